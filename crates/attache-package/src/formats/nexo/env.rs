//! `.env.example`: the variables an agent asks its user for.

/// Where the template is.
pub(super) const PATH: &str = ".env.example";

/// What a template holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Template {
    /// The variables, in the order of the file.
    pub(super) names: Vec<String>,
    /// The lines that are wrong or worth a look: their number from one, and why.
    pub(super) findings: Vec<(usize, String)>,
}

/// Reads `NAME=value` lines. Comments, blank lines, `export` and quoted values over several
/// lines are taken as the usual readers of such files take them.
pub(super) fn parse(text: &str) -> Template {
    let mut template = Template::default();
    let mut seen = std::collections::HashSet::new();
    let mut open: Option<char> = None;
    for (at, line) in text.lines().enumerate() {
        if let Some(quote) = open {
            if line.contains(quote) {
                open = None;
            }
            continue;
        }
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        let name = name.trim();
        if !is_name(name) {
            let message = format!(
                "`{}` is not a variable; write `NAME=value`",
                line.escape_debug()
            );
            template.findings.push((at + 1, message));
            continue;
        }
        if is_hook(name) {
            let message = format!(
                "`{name}` changes how every program starts, and is not for an agent to ask for"
            );
            template.findings.push((at + 1, message));
        }
        let value = value.trim_start();
        open = value
            .chars()
            .next()
            .filter(|quote| ['"', '\''].contains(quote) && !value[1..].contains(*quote));
        if seen.insert(name) {
            template.names.push(name.to_owned());
        }
    }
    template
}

/// Returns whether a shell takes `name` for a variable.
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Returns whether setting `name` makes the loader or Python run other code.
fn is_hook(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    name.starts_with("LD_")
        || name.starts_with("DYLD_")
        || ["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PATH"].contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, names: &[&str], findings: &[usize]) {
        let template = parse(text);
        assert_eq!(template.names, names, "{text:?}");
        let lines: Vec<_> = template.findings.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, findings, "{text:?}: {:?}", template.findings);
    }

    #[test]
    fn variables_are_found_as_shells_write_them() {
        check("", &[], &[]);
        check(
            "# A comment\n\nKEY=\nOTHER=x # y\r\n",
            &["KEY", "OTHER"],
            &[],
        );
        check("export A=1\n B = 2\nBARE\nA=3", &["A", "B", "BARE"], &[]);
        check(
            "PEM=\"-----BEGIN\nnot=a name\n-----END\"\nB=1",
            &["PEM", "B"],
            &[],
        );
        check("Q='one' # it's\nB=\"\"\nC='", &["Q", "B", "C"], &[]);
    }

    #[test]
    fn lines_that_are_no_variables_are_named() {
        check("1KEY=x\nA=1\nnot a name", &["A"], &[1, 3]);
        check(
            "LD_PRELOAD=/x.so\npythonpath=.",
            &["LD_PRELOAD", "pythonpath"],
            &[1, 2],
        );
    }
}
