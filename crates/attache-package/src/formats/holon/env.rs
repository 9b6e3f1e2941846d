//! Which environment variables a bundle may not set.

/// Variables that make a loader, shell, interpreter or tool run, load or trust something other
/// than what was asked for.
///
/// A bundle's own code runs in its own process. These would reach every other process that the
/// runner starts with the same environment, which is a different thing and needs no bundle.
pub const HOOKS: &[&str] = &[
    // Which program a bare name means, and how a shell reads its input.
    "PATH",
    "IFS",
    "CDPATH",
    "ENV",
    "BASH_ENV",
    "BASHOPTS",
    "SHELLOPTS",
    "PROMPT_COMMAND",
    "PS4",
    "ZDOTDIR",
    // The C library: tunables, character-set modules, name resolution.
    "GLIBC_TUNABLES",
    "GCONV_PATH",
    "GETCONF_DIR",
    "HOSTALIASES",
    "LOCPATH",
    "NLSPATH",
    "LIBPATH",
    "SHLIB_PATH",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
    // Interpreters.
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_REPL_EXTERNAL_MODULE",
    "BUN_OPTIONS",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONSTARTUP",
    "PYTHONINSPECT",
    "PYTHONBREAKPOINT",
    "PYTHONWARNINGS",
    "PYTHONUSERBASE",
    "PYTHONEXECUTABLE",
    "PYTHONPLATLIBDIR",
    "PYTHONPYCACHEPREFIX",
    "PERL5OPT",
    "PERL5LIB",
    "PERL5DB",
    "PERLLIB",
    "RUBYOPT",
    "RUBYLIB",
    "GEM_HOME",
    "GEM_PATH",
    "BUNDLE_GEMFILE",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "CLASSPATH",
    "DOTNET_STARTUP_HOOKS",
    "DOTNET_ADDITIONAL_DEPS",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "LUA_INIT",
    "LUA_PATH",
    "LUA_CPATH",
    "R_PROFILE",
    "R_PROFILE_USER",
    // git and ssh start these.
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_TEMPLATE_DIR",
    "SSH_ASKPASS",
];

/// Families of such variables, by how they begin.
pub const HOOK_FAMILIES: &[&str] = &[
    "LD_",
    "DYLD_",
    "BASH_FUNC_",
    "GIT_CONFIG",
    "NPM_CONFIG_",
    "CORECLR_",
    "COR_",
    "COMPLUS_",
    // Numbered ones such as LUA_INIT_5_4.
    "LUA_INIT_",
    "LUA_PATH_",
    "LUA_CPATH_",
];

/// Returns whether setting `name` would reach into programs other than the bundle's own.
pub fn is_hook(name: &str) -> bool {
    HOOKS.contains(&name) || HOOK_FAMILIES.iter().any(|family| name.starts_with(family))
}

/// Returns whether `name` is spelled as the manifest's schema wants it.
pub(super) fn is_name(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}
