# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_attache_global_optspecs
    string join \n json q/quiet v/verbose home= h/help V/version
end

function __fish_attache_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_attache_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_attache_using_subcommand
    set -l cmd (__fish_attache_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c attache -n "__fish_attache_needs_command" -l home -d 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform\'s own place' -r -F
complete -c attache -n "__fish_attache_needs_command" -l json -d 'Print one JSON document instead of text'
complete -c attache -n "__fish_attache_needs_command" -s q -l quiet -d 'Print only what was asked for, and errors'
complete -c attache -n "__fish_attache_needs_command" -s v -l verbose -d 'Print more about what is done'
complete -c attache -n "__fish_attache_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c attache -n "__fish_attache_needs_command" -s V -l version -d 'Print version'
complete -c attache -n "__fish_attache_needs_command" -f -a "init" -d 'Make a small agent to start from'
complete -c attache -n "__fish_attache_needs_command" -f -a "validate" -d 'Say whether a package is good, and everything that is wrong with it'
complete -c attache -n "__fish_attache_needs_command" -f -a "inspect" -d 'Show what a package says of itself: metadata, capabilities, files'
complete -c attache -n "__fish_attache_needs_command" -f -a "build" -d 'Build a package from a source folder'
complete -c attache -n "__fish_attache_needs_command" -f -a "convert" -d 'Write an agent as a source folder in another format, and report what that cannot hold'
complete -c attache -n "__fish_attache_needs_command" -f -a "diff" -d 'Compare two packages: manifest, capabilities and prompts first, then files'
complete -c attache -n "__fish_attache_needs_command" -f -a "unpack" -d 'Take a package apart into a new folder'
complete -c attache -n "__fish_attache_needs_command" -f -a "lock" -d 'Choose versions that go together, and write them down in attache.lock'
complete -c attache -n "__fish_attache_needs_command" -f -a "tree" -d 'Show who needs whom'
complete -c attache -n "__fish_attache_needs_command" -f -a "why" -d 'Say why a package is needed, or why it was left out'
complete -c attache -n "__fish_attache_needs_command" -f -a "outdated" -d 'Say which locked packages have newer versions, and what holds them back'
complete -c attache -n "__fish_attache_needs_command" -f -a "index" -d 'Make an index of a folder of packages, to resolve from later or on another machine'
complete -c attache -n "__fish_attache_needs_command" -f -a "quickstart" -d 'Run the main job end to end on a small agent, explaining each step'
complete -c attache -n "__fish_attache_needs_command" -f -a "completions" -d 'Print a completion script for your shell'
complete -c attache -n "__fish_attache_needs_command" -f -a "man" -d 'Print the manual page of a command'
complete -c attache -n "__fish_attache_needs_command" -f -a "generate-reference" -d 'Write the reference pages, schemas, manual pages and completions'
complete -c attache -n "__fish_attache_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c attache -n "__fish_attache_using_subcommand init" -l format -d 'The format to write in' -r -f -a "lexichord\t'Lexichord .lxpkg, our native format'
nexo\t'Python agents in a zip'
holon\t'Sealed bundles for containers'
agentforge\t'Packs with a hash for every file'
nanobot\t'Agents, skills and tasks in Markdown'"
complete -c attache -n "__fish_attache_using_subcommand init" -l id -d 'The package\'s name; taken from the folder\'s if there is none' -r
complete -c attache -n "__fish_attache_using_subcommand init" -l home -d 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform\'s own place' -r -F
complete -c attache -n "__fish_attache_using_subcommand init" -l json -d 'Print one JSON document instead of text'
complete -c attache -n "__fish_attache_using_subcommand init" -s q -l quiet -d 'Print only what was asked for, and errors'
complete -c attache -n "__fish_attache_using_subcommand init" -s v -l verbose -d 'Print more about what is done'
complete -c attache -n "__fish_attache_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c attache -n "__fish_attache_using_subcommand init" -s V -l version -d 'Print version'
complete -c attache -n "__fish_attache_using_subcommand validate" -l format -d 'The format, if it is not to be found out' -r -f -a "lexichord\t'Lexichord .lxpkg, our native format'
nexo\t'Python agents in a zip'
holon\t'Sealed bundles for containers'
agentforge\t'Packs with a hash for every file'
nanobot\t'Agents, skills and tasks in Markdown'"
complete -c attache -n "__fish_attache_using_subcommand validate" -l hmac-key-env -d 'Take the key for AgentForge\'s HMAC signature from this environment variable' -r
complete -c attache -n "__fish_attache_using_subcommand validate" -l hmac-key-file -d 'Take the key for AgentForge\'s HMAC signature from this file, byte for byte' -r -F
complete -c attache -n "__fish_attache_using_subcommand validate" -l home -d 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform\'s own place' -r -F
complete -c attache -n "__fish_attache_using_subcommand validate" -l lenient -d 'Turn deviations that are common in the wild into warnings'
complete -c attache -n "__fish_attache_using_subcommand validate" -l json -d 'Print one JSON document instead of text'
complete -c attache -n "__fish_attache_using_subcommand validate" -s q -l quiet -d 'Print only what was asked for, and errors'
complete -c attache -n "__fish_attache_using_subcommand validate" -s v -l verbose -d 'Print more about what is done'
complete -c attache -n "__fish_attache_using_subcommand validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c attache -n "__fish_attache_using_subcommand validate" -s V -l version -d 'Print version'
complete -c attache -n "__fish_attache_using_subcommand inspect" -l format -d 'The format, if it is not to be found out' -r -f -a "lexichord\t'Lexichord .lxpkg, our native format'
nexo\t'Python agents in a zip'
holon\t'Sealed bundles for containers'
agentforge\t'Packs with a hash for every file'
nanobot\t'Agents, skills and tasks in Markdown'"
complete -c attache -n "__fish_attache_using_subcommand inspect" -l home -d 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform\'s own place' -r -F
complete -c attache -n "__fish_attache_using_subcommand inspect" -l json -d 'Print one JSON document instead of text'
complete -c attache -n "__fish_attache_using_subcommand inspect" -s q -l quiet -d 'Print only what was asked for, and errors'
complete -c attache -n "__fish_attache_using_subcommand inspect" -s v -l verbose -d 'Print more about what is done'
complete -c attache -n "__fish_attache_using_subcommand inspect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c attache -n "__fish_attache_using_subcommand inspect" -s V -l version -d 'Print version'
complete -c attache -n "__fish_attache_using_subcommand build" -s o -l output -d 'The file to write; by default the format\'s own name, here' -r -F
complete -c attache -n "__fish_attache_using_subcommand build" -l format -d 'The format, if it is not to be found out' -r -f -a "lexichord\t'Lexichord .lxpkg, our native format'
nexo\t'Python agents in a zip'
holon\t'Sealed bundles for containers'
agentforge\t'Packs with a hash for every file'
nanobot\t'Agents, skills and tasks in Markdown'"
complete -c attache -n "__fish_attache_using_subcommand build" -l compression -d 'How hard to compress: 0 stores, 9 is smallest' -r
complete -c attache -n "__fish_attache_using_subcommand build" -l metadata -d 'Add a field to the manifest\'s metadata; VALUE is JSON, or else a string' -r
complete -c attache -n "__fish_attache_using_subcommand build" -l archive -d 'The archive to write, where the format has several (Holon)' -r -f -a "zip\t'A zip'
tar.gz\t'A tar in gzip'
tar.zst\t'A tar in zstd'"
complete -c attache -n "__fish_attache_using_subcommand build" -l dependency -d 'A dependency\'s .lxpkg, to lock or carry, instead of what attache.lock holds; may be given several times' -r -F
complete -c attache -n "__fish_attache_using_subcommand build" -l index -d 'Where --sealed finds what attache.lock holds, besides where attache.toml says; may be given several times' -r
complete -c attache -n "__fish_attache_using_subcommand build" -l hmac-key-env -d 'Take the key for AgentForge\'s HMAC signature from this environment variable' -r
complete -c attache -n "__fish_attache_using_subcommand build" -l hmac-key-file -d 'Take the key for AgentForge\'s HMAC signature from this file, byte for byte' -r -F
complete -c attache -n "__fish_attache_using_subcommand build" -l home -d 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform\'s own place' -r -F
complete -c attache -n "__fish_attache_using_subcommand build" -l lenient -d 'Turn deviations that are common in the wild into warnings'
complete -c attache -n "__fish_attache_using_subcommand build" -l include-source -d 'Take source code (src/) along'
complete -c attache -n "__fish_attache_using_subcommand build" -l optimize -d 'Make PNG and JSON files smaller without loss; the default for .lxpkg'
complete -c attache -n "__fish_attache_using_subcommand build" -l no-optimize -d 'Leave PNG and JSON files as they are'
complete -c attache -n "__fish_attache_using_subcommand build" -l no-docs -d 'Leave documentation (docs/, README.md, CHANGELOG.md) out'
complete -c attache -n "__fish_attache_using_subcommand build" -l include-examples -d 'Take examples (examples/, workflows/examples/) along'
complete -c attache -n "__fish_attache_using_subcommand build" -l sealed -d 'Carry the dependencies inside, so that it installs with no network'
complete -c attache -n "__fish_attache_using_subcommand build" -l stamp -d 'Take the creation time from the clock, where the format has one. Two builds then differ'
complete -c attache -n "__fish_attache_using_subcommand build" -l no-cache -d 'Build even if nothing changed'
complete -c attache -n "__fish_attache_using_subcommand build" -l json -d 'Print one JSON document instead of text'
complete -c attache -n "__fish_attache_using_subcommand build" -s q -l quiet -d 'Print only what was asked for, and errors'
complete -c attache -n "__fish_attache_using_subcommand build" -s v -l verbose -d 'Print more about what is done'
complete -c attache -n "__fish_attache_using_subcommand build" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c attache -n "__fish_attache_using_subcommand build" -s V -l version -d 'Print version'
complete -c attache -n "__fish_attache_using_subcommand convert" -l to -d 'The format to write' -r -f -a "lexichord\t'Lexichord .lxpkg, our native format'
nexo\t'Python agents in a zip'
holon\t'Sealed bundles for containers'
agentforge\t'Packs with a hash for every file'
nanobot\t'Agents, skills and tasks in Markdown'"
complete -c attache -n "__fish_attache_using_subcommand convert" -s o -l output -d 'The new source folder; by default named after the package and the format' -r -F
complete -c attache -n "__fish_attache_using_subcommand convert" -l format -d 'The format, if it is not to be found out' -r -f -a "lexichord\t'Lexichord .lxpkg, our native format'
nexo\t'Python agents in a zip'
holon\t'Sealed bundles for containers'
agentforge\t'Packs with a hash for every file'
nanobot\t'Agents, skills and tasks in Markdown'"
complete -c attache -n "__fish_attache_using_subcommand convert" -l home -d 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform\'s own place' -r -F
complete -c attache -n "__fish_attache_using_subcommand convert" -l lenient -d 'Turn deviations that are common in the wild into warnings'
complete -c attache -n "__fish_attache_using_subcommand convert" -l json -d 'Print one JSON document instead of text'
complete -c attache -n "__fish_attache_using_subcommand convert" -s q -l quiet -d 'Print only what was asked for, and errors'
complete -c attache -n "__fish_attache_using_subcommand convert" -s v -l verbose -d 'Print more about what is done'
complete -c attache -n "__fish_attache_using_subcommand convert" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c attache -n "__fish_attache_using_subcommand convert" -s V -l version -d 'Print version'
complete -c attache -n "__fish_attache_using_subcommand diff" -l home -d 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform\'s own place' -r -F
complete -c attache -n "__fish_attache_using_subcommand diff" -l check -d 'Exit 8 if they differ'
complete -c attache -n "__fish_attache_using_subcommand diff" -l json -d 'Print one JSON document instead of text'
complete -c attache -n "__fish_attache_using_subcommand diff" -s q -l quiet -d 'Print only what was asked for, and errors'
complete -c attache -n "__fish_attache_using_subcommand diff" -s v -l verbose -d 'Print more about what is done'
complete -c attache -n "__fish_attache_using_subcommand diff" -s h -l help -d 'Print help'
complete -c attache -n "__fish_attache_using_subcommand diff" -s V -l version -d 'Print version'
complete -c attache -n "__fish_attache_using_subcommand unpack" -s o -l output -d 'The new folder; by default named after the package' -r -F
complete -c attache -n "__fish_attache_using_subcommand unpack" -l format -d 'The format, if it is not to be found out' -r -f -a "lexichord\t'Lexichord .lxpkg, our native format'
nexo\t'Python agents in a zip'
holon\t'Sealed bundles for containers'
agentforge\t'Packs with a hash for every file'
nanobot\t'Agents, skills and tasks in Markdown'"
complete -c attache -n "__fish_attache_using_subcommand unpack" -l home -d 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform\'s own place' -r -F
complete -c attache -n "__fish_attache_using_subcommand unpack" -l lenient -d 'Turn deviations that are common in the wild into warnings'
complete -c attache -n "__fish_attache_using_subcommand unpack" -l json -d 'Print one JSON document instead of text'
complete -c attache -n "__fish_attache_using_subcommand unpack" -s q -l quiet -d 'Print only what was asked for, and errors'
complete -c attache -n "__fish_attache_using_subcommand unpack" -s v -l verbose -d 'Print more about what is done'
complete -c attache -n "__fish_attache_using_subcommand unpack" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c attache -n "__fish_attache_using_subcommand unpack" -s V -l version -d 'Print version'
complete -c attache -n "__fish_attache_using_subcommand lock" -l index -d 'Where versions come from: a folder of packages or an index file, in front of those that attache.toml names; may be given several times' -r
complete -c attache -n "__fish_attache_using_subcommand lock" -l override -d 'Replace whatever anyone requires of a package; may be given several times' -r
complete -c attache -n "__fish_attache_using_subcommand lock" -l strategy -d 'Which of several versions that fit is taken; otherwise what attache.toml says, otherwise the highest' -r -f -a "highest\t'The highest'
lowest\t'The lowest, which shows whether lower bounds are true'"
complete -c attache -n "__fish_attache_using_subcommand lock" -l platform -d 'Resolve for this platform' -r
complete -c attache -n "__fish_attache_using_subcommand lock" -l engine -d 'Resolve for a host program of this version' -r
complete -c attache -n "__fish_attache_using_subcommand lock" -l runtime -d 'Resolve for a language runtime of this version, e.g. python=3.12' -r
complete -c attache -n "__fish_attache_using_subcommand lock" -l max-steps -d 'Give up after this many steps of the search' -r
complete -c attache -n "__fish_attache_using_subcommand lock" -l upgrade-package -d 'Let this package move, while the others stay where they can; may be given several times' -r
complete -c attache -n "__fish_attache_using_subcommand lock" -l home -d 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform\'s own place' -r -F
complete -c attache -n "__fish_attache_using_subcommand lock" -l this-host -d 'Resolve for this very machine: its platform, its Python and its Node'
complete -c attache -n "__fish_attache_using_subcommand lock" -l offline -d 'Use only what is on this machine, and say what is missing'
complete -c attache -n "__fish_attache_using_subcommand lock" -l frozen -d 'Exit 8 if the lock is not what it should be, and change nothing'
complete -c attache -n "__fish_attache_using_subcommand lock" -l check -d 'Exit 8 if the lock would change, and change nothing'
complete -c attache -n "__fish_attache_using_subcommand lock" -l dry-run -d 'Say what would change, and change nothing'
complete -c attache -n "__fish_attache_using_subcommand lock" -l upgrade -d 'Let every package move to the version that fits best now'
complete -c attache -n "__fish_attache_using_subcommand lock" -l json -d 'Print one JSON document instead of text'
complete -c attache -n "__fish_attache_using_subcommand lock" -s q -l quiet -d 'Print only what was asked for, and errors'
complete -c attache -n "__fish_attache_using_subcommand lock" -s v -l verbose -d 'Print more about what is done'
complete -c attache -n "__fish_attache_using_subcommand lock" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c attache -n "__fish_attache_using_subcommand lock" -s V -l version -d 'Print version'
complete -c attache -n "__fish_attache_using_subcommand tree" -l index -d 'Where versions come from: a folder of packages or an index file, in front of those that attache.toml names; may be given several times' -r
complete -c attache -n "__fish_attache_using_subcommand tree" -l override -d 'Replace whatever anyone requires of a package; may be given several times' -r
complete -c attache -n "__fish_attache_using_subcommand tree" -l strategy -d 'Which of several versions that fit is taken; otherwise what attache.toml says, otherwise the highest' -r -f -a "highest\t'The highest'
lowest\t'The lowest, which shows whether lower bounds are true'"
complete -c attache -n "__fish_attache_using_subcommand tree" -l platform -d 'Resolve for this platform' -r
complete -c attache -n "__fish_attache_using_subcommand tree" -l engine -d 'Resolve for a host program of this version' -r
complete -c attache -n "__fish_attache_using_subcommand tree" -l runtime -d 'Resolve for a language runtime of this version, e.g. python=3.12' -r
complete -c attache -n "__fish_attache_using_subcommand tree" -l max-steps -d 'Give up after this many steps of the search' -r
complete -c attache -n "__fish_attache_using_subcommand tree" -s p -l package -d 'Start from this package; may be given several times' -r
complete -c attache -n "__fish_attache_using_subcommand tree" -l depth -d 'How many steps to show; text only' -r
complete -c attache -n "__fish_attache_using_subcommand tree" -l as -d 'How to draw it' -r -f -a "text\t'With lines, for a terminal'
dot\t'In Graphviz\' language'
svg\t'As a picture'"
complete -c attache -n "__fish_attache_using_subcommand tree" -s o -l output -d 'The file to draw into' -r -F
complete -c attache -n "__fish_attache_using_subcommand tree" -l home -d 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform\'s own place' -r -F
complete -c attache -n "__fish_attache_using_subcommand tree" -l this-host -d 'Resolve for this very machine: its platform, its Python and its Node'
complete -c attache -n "__fish_attache_using_subcommand tree" -l offline -d 'Use only what is on this machine, and say what is missing'
complete -c attache -n "__fish_attache_using_subcommand tree" -l frozen -d 'Exit 8 if the lock is not what it should be, and change nothing'
complete -c attache -n "__fish_attache_using_subcommand tree" -l invert -d 'Show who needs a package, instead of what it needs'
complete -c attache -n "__fish_attache_using_subcommand tree" -l json -d 'Print one JSON document instead of text'
complete -c attache -n "__fish_attache_using_subcommand tree" -s q -l quiet -d 'Print only what was asked for, and errors'
complete -c attache -n "__fish_attache_using_subcommand tree" -s v -l verbose -d 'Print more about what is done'
complete -c attache -n "__fish_attache_using_subcommand tree" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c attache -n "__fish_attache_using_subcommand tree" -s V -l version -d 'Print version'
complete -c attache -n "__fish_attache_using_subcommand why" -l index -d 'Where versions come from: a folder of packages or an index file, in front of those that attache.toml names; may be given several times' -r
complete -c attache -n "__fish_attache_using_subcommand why" -l override -d 'Replace whatever anyone requires of a package; may be given several times' -r
complete -c attache -n "__fish_attache_using_subcommand why" -l strategy -d 'Which of several versions that fit is taken; otherwise what attache.toml says, otherwise the highest' -r -f -a "highest\t'The highest'
lowest\t'The lowest, which shows whether lower bounds are true'"
complete -c attache -n "__fish_attache_using_subcommand why" -l platform -d 'Resolve for this platform' -r
complete -c attache -n "__fish_attache_using_subcommand why" -l engine -d 'Resolve for a host program of this version' -r
complete -c attache -n "__fish_attache_using_subcommand why" -l runtime -d 'Resolve for a language runtime of this version, e.g. python=3.12' -r
complete -c attache -n "__fish_attache_using_subcommand why" -l max-steps -d 'Give up after this many steps of the search' -r
complete -c attache -n "__fish_attache_using_subcommand why" -l home -d 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform\'s own place' -r -F
complete -c attache -n "__fish_attache_using_subcommand why" -l this-host -d 'Resolve for this very machine: its platform, its Python and its Node'
complete -c attache -n "__fish_attache_using_subcommand why" -l offline -d 'Use only what is on this machine, and say what is missing'
complete -c attache -n "__fish_attache_using_subcommand why" -l frozen -d 'Exit 8 if the lock is not what it should be, and change nothing'
complete -c attache -n "__fish_attache_using_subcommand why" -l json -d 'Print one JSON document instead of text'
complete -c attache -n "__fish_attache_using_subcommand why" -s q -l quiet -d 'Print only what was asked for, and errors'
complete -c attache -n "__fish_attache_using_subcommand why" -s v -l verbose -d 'Print more about what is done'
complete -c attache -n "__fish_attache_using_subcommand why" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c attache -n "__fish_attache_using_subcommand why" -s V -l version -d 'Print version'
complete -c attache -n "__fish_attache_using_subcommand outdated" -l index -d 'Where versions come from: a folder of packages or an index file, in front of those that attache.toml names; may be given several times' -r
complete -c attache -n "__fish_attache_using_subcommand outdated" -l override -d 'Replace whatever anyone requires of a package; may be given several times' -r
complete -c attache -n "__fish_attache_using_subcommand outdated" -l strategy -d 'Which of several versions that fit is taken; otherwise what attache.toml says, otherwise the highest' -r -f -a "highest\t'The highest'
lowest\t'The lowest, which shows whether lower bounds are true'"
complete -c attache -n "__fish_attache_using_subcommand outdated" -l platform -d 'Resolve for this platform' -r
complete -c attache -n "__fish_attache_using_subcommand outdated" -l engine -d 'Resolve for a host program of this version' -r
complete -c attache -n "__fish_attache_using_subcommand outdated" -l runtime -d 'Resolve for a language runtime of this version, e.g. python=3.12' -r
complete -c attache -n "__fish_attache_using_subcommand outdated" -l max-steps -d 'Give up after this many steps of the search' -r
complete -c attache -n "__fish_attache_using_subcommand outdated" -l home -d 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform\'s own place' -r -F
complete -c attache -n "__fish_attache_using_subcommand outdated" -l this-host -d 'Resolve for this very machine: its platform, its Python and its Node'
complete -c attache -n "__fish_attache_using_subcommand outdated" -l offline -d 'Use only what is on this machine, and say what is missing'
complete -c attache -n "__fish_attache_using_subcommand outdated" -l frozen -d 'Exit 8 if the lock is not what it should be, and change nothing'
complete -c attache -n "__fish_attache_using_subcommand outdated" -l check -d 'Exit 8 if anything is outdated'
complete -c attache -n "__fish_attache_using_subcommand outdated" -l json -d 'Print one JSON document instead of text'
complete -c attache -n "__fish_attache_using_subcommand outdated" -s q -l quiet -d 'Print only what was asked for, and errors'
complete -c attache -n "__fish_attache_using_subcommand outdated" -s v -l verbose -d 'Print more about what is done'
complete -c attache -n "__fish_attache_using_subcommand outdated" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c attache -n "__fish_attache_using_subcommand outdated" -s V -l version -d 'Print version'
complete -c attache -n "__fish_attache_using_subcommand index" -s o -l output -d 'The file to write; by default index.jsonl in that folder' -r -F
complete -c attache -n "__fish_attache_using_subcommand index" -l name -d 'The name that locks give to what comes from here' -r
complete -c attache -n "__fish_attache_using_subcommand index" -l home -d 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform\'s own place' -r -F
complete -c attache -n "__fish_attache_using_subcommand index" -l json -d 'Print one JSON document instead of text'
complete -c attache -n "__fish_attache_using_subcommand index" -s q -l quiet -d 'Print only what was asked for, and errors'
complete -c attache -n "__fish_attache_using_subcommand index" -s v -l verbose -d 'Print more about what is done'
complete -c attache -n "__fish_attache_using_subcommand index" -s h -l help -d 'Print help'
complete -c attache -n "__fish_attache_using_subcommand index" -s V -l version -d 'Print version'
complete -c attache -n "__fish_attache_using_subcommand quickstart" -l format -d 'The format to show' -r -f -a "lexichord\t'Lexichord .lxpkg, our native format'
nexo\t'Python agents in a zip'
holon\t'Sealed bundles for containers'
agentforge\t'Packs with a hash for every file'
nanobot\t'Agents, skills and tasks in Markdown'"
complete -c attache -n "__fish_attache_using_subcommand quickstart" -l home -d 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform\'s own place' -r -F
complete -c attache -n "__fish_attache_using_subcommand quickstart" -l json -d 'Print one JSON document instead of text'
complete -c attache -n "__fish_attache_using_subcommand quickstart" -s q -l quiet -d 'Print only what was asked for, and errors'
complete -c attache -n "__fish_attache_using_subcommand quickstart" -s v -l verbose -d 'Print more about what is done'
complete -c attache -n "__fish_attache_using_subcommand quickstart" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c attache -n "__fish_attache_using_subcommand quickstart" -s V -l version -d 'Print version'
complete -c attache -n "__fish_attache_using_subcommand completions" -l home -d 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform\'s own place' -r -F
complete -c attache -n "__fish_attache_using_subcommand completions" -l json -d 'Print one JSON document instead of text'
complete -c attache -n "__fish_attache_using_subcommand completions" -s q -l quiet -d 'Print only what was asked for, and errors'
complete -c attache -n "__fish_attache_using_subcommand completions" -s v -l verbose -d 'Print more about what is done'
complete -c attache -n "__fish_attache_using_subcommand completions" -s h -l help -d 'Print help'
complete -c attache -n "__fish_attache_using_subcommand completions" -s V -l version -d 'Print version'
complete -c attache -n "__fish_attache_using_subcommand man" -l home -d 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform\'s own place' -r -F
complete -c attache -n "__fish_attache_using_subcommand man" -l json -d 'Print one JSON document instead of text'
complete -c attache -n "__fish_attache_using_subcommand man" -s q -l quiet -d 'Print only what was asked for, and errors'
complete -c attache -n "__fish_attache_using_subcommand man" -s v -l verbose -d 'Print more about what is done'
complete -c attache -n "__fish_attache_using_subcommand man" -s h -l help -d 'Print help'
complete -c attache -n "__fish_attache_using_subcommand man" -s V -l version -d 'Print version'
complete -c attache -n "__fish_attache_using_subcommand generate-reference" -l out -d 'The folder to write into' -r -F
complete -c attache -n "__fish_attache_using_subcommand generate-reference" -l home -d 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform\'s own place' -r -F
complete -c attache -n "__fish_attache_using_subcommand generate-reference" -l json -d 'Print one JSON document instead of text'
complete -c attache -n "__fish_attache_using_subcommand generate-reference" -s q -l quiet -d 'Print only what was asked for, and errors'
complete -c attache -n "__fish_attache_using_subcommand generate-reference" -s v -l verbose -d 'Print more about what is done'
complete -c attache -n "__fish_attache_using_subcommand generate-reference" -s h -l help -d 'Print help'
complete -c attache -n "__fish_attache_using_subcommand generate-reference" -s V -l version -d 'Print version'
complete -c attache -n "__fish_attache_using_subcommand help; and not __fish_seen_subcommand_from init validate inspect build convert diff unpack lock tree why outdated index quickstart completions man generate-reference help" -f -a "init" -d 'Make a small agent to start from'
complete -c attache -n "__fish_attache_using_subcommand help; and not __fish_seen_subcommand_from init validate inspect build convert diff unpack lock tree why outdated index quickstart completions man generate-reference help" -f -a "validate" -d 'Say whether a package is good, and everything that is wrong with it'
complete -c attache -n "__fish_attache_using_subcommand help; and not __fish_seen_subcommand_from init validate inspect build convert diff unpack lock tree why outdated index quickstart completions man generate-reference help" -f -a "inspect" -d 'Show what a package says of itself: metadata, capabilities, files'
complete -c attache -n "__fish_attache_using_subcommand help; and not __fish_seen_subcommand_from init validate inspect build convert diff unpack lock tree why outdated index quickstart completions man generate-reference help" -f -a "build" -d 'Build a package from a source folder'
complete -c attache -n "__fish_attache_using_subcommand help; and not __fish_seen_subcommand_from init validate inspect build convert diff unpack lock tree why outdated index quickstart completions man generate-reference help" -f -a "convert" -d 'Write an agent as a source folder in another format, and report what that cannot hold'
complete -c attache -n "__fish_attache_using_subcommand help; and not __fish_seen_subcommand_from init validate inspect build convert diff unpack lock tree why outdated index quickstart completions man generate-reference help" -f -a "diff" -d 'Compare two packages: manifest, capabilities and prompts first, then files'
complete -c attache -n "__fish_attache_using_subcommand help; and not __fish_seen_subcommand_from init validate inspect build convert diff unpack lock tree why outdated index quickstart completions man generate-reference help" -f -a "unpack" -d 'Take a package apart into a new folder'
complete -c attache -n "__fish_attache_using_subcommand help; and not __fish_seen_subcommand_from init validate inspect build convert diff unpack lock tree why outdated index quickstart completions man generate-reference help" -f -a "lock" -d 'Choose versions that go together, and write them down in attache.lock'
complete -c attache -n "__fish_attache_using_subcommand help; and not __fish_seen_subcommand_from init validate inspect build convert diff unpack lock tree why outdated index quickstart completions man generate-reference help" -f -a "tree" -d 'Show who needs whom'
complete -c attache -n "__fish_attache_using_subcommand help; and not __fish_seen_subcommand_from init validate inspect build convert diff unpack lock tree why outdated index quickstart completions man generate-reference help" -f -a "why" -d 'Say why a package is needed, or why it was left out'
complete -c attache -n "__fish_attache_using_subcommand help; and not __fish_seen_subcommand_from init validate inspect build convert diff unpack lock tree why outdated index quickstart completions man generate-reference help" -f -a "outdated" -d 'Say which locked packages have newer versions, and what holds them back'
complete -c attache -n "__fish_attache_using_subcommand help; and not __fish_seen_subcommand_from init validate inspect build convert diff unpack lock tree why outdated index quickstart completions man generate-reference help" -f -a "index" -d 'Make an index of a folder of packages, to resolve from later or on another machine'
complete -c attache -n "__fish_attache_using_subcommand help; and not __fish_seen_subcommand_from init validate inspect build convert diff unpack lock tree why outdated index quickstart completions man generate-reference help" -f -a "quickstart" -d 'Run the main job end to end on a small agent, explaining each step'
complete -c attache -n "__fish_attache_using_subcommand help; and not __fish_seen_subcommand_from init validate inspect build convert diff unpack lock tree why outdated index quickstart completions man generate-reference help" -f -a "completions" -d 'Print a completion script for your shell'
complete -c attache -n "__fish_attache_using_subcommand help; and not __fish_seen_subcommand_from init validate inspect build convert diff unpack lock tree why outdated index quickstart completions man generate-reference help" -f -a "man" -d 'Print the manual page of a command'
complete -c attache -n "__fish_attache_using_subcommand help; and not __fish_seen_subcommand_from init validate inspect build convert diff unpack lock tree why outdated index quickstart completions man generate-reference help" -f -a "generate-reference" -d 'Write the reference pages, schemas, manual pages and completions'
complete -c attache -n "__fish_attache_using_subcommand help; and not __fish_seen_subcommand_from init validate inspect build convert diff unpack lock tree why outdated index quickstart completions man generate-reference help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
