
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'attache' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'attache'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'attache' {
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of text')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Make a small agent to start from')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Say whether a package is good, and everything that is wrong with it')
            [CompletionResult]::new('inspect', 'inspect', [CompletionResultType]::ParameterValue, 'Show what a package says of itself: metadata, capabilities, files')
            [CompletionResult]::new('build', 'build', [CompletionResultType]::ParameterValue, 'Build a package from a source folder')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'Write an agent as a source folder in another format, and report what that cannot hold')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Compare two packages: manifest, capabilities and prompts first, then files')
            [CompletionResult]::new('unpack', 'unpack', [CompletionResultType]::ParameterValue, 'Take a package apart into a new folder')
            [CompletionResult]::new('lock', 'lock', [CompletionResultType]::ParameterValue, 'Choose versions that go together, and write them down in attache.lock')
            [CompletionResult]::new('tree', 'tree', [CompletionResultType]::ParameterValue, 'Show who needs whom')
            [CompletionResult]::new('why', 'why', [CompletionResultType]::ParameterValue, 'Say why a package is needed, or why it was left out')
            [CompletionResult]::new('outdated', 'outdated', [CompletionResultType]::ParameterValue, 'Say which locked packages have newer versions, and what holds them back')
            [CompletionResult]::new('index', 'index', [CompletionResultType]::ParameterValue, 'Make an index of a folder of packages, to resolve from later or on another machine')
            [CompletionResult]::new('quickstart', 'quickstart', [CompletionResultType]::ParameterValue, 'Run the main job end to end on a small agent, explaining each step')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for your shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page of a command')
            [CompletionResult]::new('generate-reference', 'generate-reference', [CompletionResultType]::ParameterValue, 'Write the reference pages, schemas, manual pages and completions')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'attache;init' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The format to write in')
            [CompletionResult]::new('--id', '--id', [CompletionResultType]::ParameterName, 'The package''s name; taken from the folder''s if there is none')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of text')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'attache;validate' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The format, if it is not to be found out')
            [CompletionResult]::new('--hmac-key-env', '--hmac-key-env', [CompletionResultType]::ParameterName, 'Take the key for AgentForge''s HMAC signature from this environment variable')
            [CompletionResult]::new('--hmac-key-file', '--hmac-key-file', [CompletionResultType]::ParameterName, 'Take the key for AgentForge''s HMAC signature from this file, byte for byte')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place')
            [CompletionResult]::new('--lenient', '--lenient', [CompletionResultType]::ParameterName, 'Turn deviations that are common in the wild into warnings')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of text')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'attache;inspect' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The format, if it is not to be found out')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of text')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'attache;build' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The file to write; by default the format''s own name, here')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The file to write; by default the format''s own name, here')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The format, if it is not to be found out')
            [CompletionResult]::new('--compression', '--compression', [CompletionResultType]::ParameterName, 'How hard to compress: 0 stores, 9 is smallest')
            [CompletionResult]::new('--metadata', '--metadata', [CompletionResultType]::ParameterName, 'Add a field to the manifest''s metadata; VALUE is JSON, or else a string')
            [CompletionResult]::new('--archive', '--archive', [CompletionResultType]::ParameterName, 'The archive to write, where the format has several (Holon)')
            [CompletionResult]::new('--dependency', '--dependency', [CompletionResultType]::ParameterName, 'A dependency''s .lxpkg, to lock or carry, instead of what attache.lock holds; may be given several times')
            [CompletionResult]::new('--index', '--index', [CompletionResultType]::ParameterName, 'Where --sealed finds what attache.lock holds, besides where attache.toml says; may be given several times')
            [CompletionResult]::new('--hmac-key-env', '--hmac-key-env', [CompletionResultType]::ParameterName, 'Take the key for AgentForge''s HMAC signature from this environment variable')
            [CompletionResult]::new('--hmac-key-file', '--hmac-key-file', [CompletionResultType]::ParameterName, 'Take the key for AgentForge''s HMAC signature from this file, byte for byte')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place')
            [CompletionResult]::new('--lenient', '--lenient', [CompletionResultType]::ParameterName, 'Turn deviations that are common in the wild into warnings')
            [CompletionResult]::new('--include-source', '--include-source', [CompletionResultType]::ParameterName, 'Take source code (src/) along')
            [CompletionResult]::new('--optimize', '--optimize', [CompletionResultType]::ParameterName, 'Make PNG and JSON files smaller without loss; the default for .lxpkg')
            [CompletionResult]::new('--no-optimize', '--no-optimize', [CompletionResultType]::ParameterName, 'Leave PNG and JSON files as they are')
            [CompletionResult]::new('--no-docs', '--no-docs', [CompletionResultType]::ParameterName, 'Leave documentation (docs/, README.md, CHANGELOG.md) out')
            [CompletionResult]::new('--include-examples', '--include-examples', [CompletionResultType]::ParameterName, 'Take examples (examples/, workflows/examples/) along')
            [CompletionResult]::new('--sealed', '--sealed', [CompletionResultType]::ParameterName, 'Carry the dependencies inside, so that it installs with no network')
            [CompletionResult]::new('--stamp', '--stamp', [CompletionResultType]::ParameterName, 'Take the creation time from the clock, where the format has one. Two builds then differ')
            [CompletionResult]::new('--no-cache', '--no-cache', [CompletionResultType]::ParameterName, 'Build even if nothing changed')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of text')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'attache;convert' {
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'The format to write')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The new source folder; by default named after the package and the format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The new source folder; by default named after the package and the format')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The format, if it is not to be found out')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place')
            [CompletionResult]::new('--lenient', '--lenient', [CompletionResultType]::ParameterName, 'Turn deviations that are common in the wild into warnings')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of text')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'attache;diff' {
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Exit 8 if they differ')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of text')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'attache;unpack' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The new folder; by default named after the package')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The new folder; by default named after the package')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The format, if it is not to be found out')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place')
            [CompletionResult]::new('--lenient', '--lenient', [CompletionResultType]::ParameterName, 'Turn deviations that are common in the wild into warnings')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of text')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'attache;lock' {
            [CompletionResult]::new('--index', '--index', [CompletionResultType]::ParameterName, 'Where versions come from: a folder of packages or an index file, in front of those that attache.toml names; may be given several times')
            [CompletionResult]::new('--override', '--override', [CompletionResultType]::ParameterName, 'Replace whatever anyone requires of a package; may be given several times')
            [CompletionResult]::new('--strategy', '--strategy', [CompletionResultType]::ParameterName, 'Which of several versions that fit is taken; otherwise what attache.toml says, otherwise the highest')
            [CompletionResult]::new('--platform', '--platform', [CompletionResultType]::ParameterName, 'Resolve for this platform')
            [CompletionResult]::new('--engine', '--engine', [CompletionResultType]::ParameterName, 'Resolve for a host program of this version')
            [CompletionResult]::new('--runtime', '--runtime', [CompletionResultType]::ParameterName, 'Resolve for a language runtime of this version, e.g. python=3.12')
            [CompletionResult]::new('--max-steps', '--max-steps', [CompletionResultType]::ParameterName, 'Give up after this many steps of the search')
            [CompletionResult]::new('--upgrade-package', '--upgrade-package', [CompletionResultType]::ParameterName, 'Let this package move, while the others stay where they can; may be given several times')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place')
            [CompletionResult]::new('--this-host', '--this-host', [CompletionResultType]::ParameterName, 'Resolve for this very machine: its platform, its Python and its Node')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Use only what is on this machine, and say what is missing')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Exit 8 if the lock is not what it should be, and change nothing')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Exit 8 if the lock would change, and change nothing')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Say what would change, and change nothing')
            [CompletionResult]::new('--upgrade', '--upgrade', [CompletionResultType]::ParameterName, 'Let every package move to the version that fits best now')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of text')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'attache;tree' {
            [CompletionResult]::new('--index', '--index', [CompletionResultType]::ParameterName, 'Where versions come from: a folder of packages or an index file, in front of those that attache.toml names; may be given several times')
            [CompletionResult]::new('--override', '--override', [CompletionResultType]::ParameterName, 'Replace whatever anyone requires of a package; may be given several times')
            [CompletionResult]::new('--strategy', '--strategy', [CompletionResultType]::ParameterName, 'Which of several versions that fit is taken; otherwise what attache.toml says, otherwise the highest')
            [CompletionResult]::new('--platform', '--platform', [CompletionResultType]::ParameterName, 'Resolve for this platform')
            [CompletionResult]::new('--engine', '--engine', [CompletionResultType]::ParameterName, 'Resolve for a host program of this version')
            [CompletionResult]::new('--runtime', '--runtime', [CompletionResultType]::ParameterName, 'Resolve for a language runtime of this version, e.g. python=3.12')
            [CompletionResult]::new('--max-steps', '--max-steps', [CompletionResultType]::ParameterName, 'Give up after this many steps of the search')
            [CompletionResult]::new('-p', '-p', [CompletionResultType]::ParameterName, 'Start from this package; may be given several times')
            [CompletionResult]::new('--package', '--package', [CompletionResultType]::ParameterName, 'Start from this package; may be given several times')
            [CompletionResult]::new('--depth', '--depth', [CompletionResultType]::ParameterName, 'How many steps to show; text only')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'How to draw it')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The file to draw into')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The file to draw into')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place')
            [CompletionResult]::new('--this-host', '--this-host', [CompletionResultType]::ParameterName, 'Resolve for this very machine: its platform, its Python and its Node')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Use only what is on this machine, and say what is missing')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Exit 8 if the lock is not what it should be, and change nothing')
            [CompletionResult]::new('--invert', '--invert', [CompletionResultType]::ParameterName, 'Show who needs a package, instead of what it needs')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of text')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'attache;why' {
            [CompletionResult]::new('--index', '--index', [CompletionResultType]::ParameterName, 'Where versions come from: a folder of packages or an index file, in front of those that attache.toml names; may be given several times')
            [CompletionResult]::new('--override', '--override', [CompletionResultType]::ParameterName, 'Replace whatever anyone requires of a package; may be given several times')
            [CompletionResult]::new('--strategy', '--strategy', [CompletionResultType]::ParameterName, 'Which of several versions that fit is taken; otherwise what attache.toml says, otherwise the highest')
            [CompletionResult]::new('--platform', '--platform', [CompletionResultType]::ParameterName, 'Resolve for this platform')
            [CompletionResult]::new('--engine', '--engine', [CompletionResultType]::ParameterName, 'Resolve for a host program of this version')
            [CompletionResult]::new('--runtime', '--runtime', [CompletionResultType]::ParameterName, 'Resolve for a language runtime of this version, e.g. python=3.12')
            [CompletionResult]::new('--max-steps', '--max-steps', [CompletionResultType]::ParameterName, 'Give up after this many steps of the search')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place')
            [CompletionResult]::new('--this-host', '--this-host', [CompletionResultType]::ParameterName, 'Resolve for this very machine: its platform, its Python and its Node')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Use only what is on this machine, and say what is missing')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Exit 8 if the lock is not what it should be, and change nothing')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of text')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'attache;outdated' {
            [CompletionResult]::new('--index', '--index', [CompletionResultType]::ParameterName, 'Where versions come from: a folder of packages or an index file, in front of those that attache.toml names; may be given several times')
            [CompletionResult]::new('--override', '--override', [CompletionResultType]::ParameterName, 'Replace whatever anyone requires of a package; may be given several times')
            [CompletionResult]::new('--strategy', '--strategy', [CompletionResultType]::ParameterName, 'Which of several versions that fit is taken; otherwise what attache.toml says, otherwise the highest')
            [CompletionResult]::new('--platform', '--platform', [CompletionResultType]::ParameterName, 'Resolve for this platform')
            [CompletionResult]::new('--engine', '--engine', [CompletionResultType]::ParameterName, 'Resolve for a host program of this version')
            [CompletionResult]::new('--runtime', '--runtime', [CompletionResultType]::ParameterName, 'Resolve for a language runtime of this version, e.g. python=3.12')
            [CompletionResult]::new('--max-steps', '--max-steps', [CompletionResultType]::ParameterName, 'Give up after this many steps of the search')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place')
            [CompletionResult]::new('--this-host', '--this-host', [CompletionResultType]::ParameterName, 'Resolve for this very machine: its platform, its Python and its Node')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Use only what is on this machine, and say what is missing')
            [CompletionResult]::new('--frozen', '--frozen', [CompletionResultType]::ParameterName, 'Exit 8 if the lock is not what it should be, and change nothing')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Exit 8 if anything is outdated')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of text')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'attache;index' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The file to write; by default index.jsonl in that folder')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The file to write; by default index.jsonl in that folder')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The name that locks give to what comes from here')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of text')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'attache;quickstart' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The format to show')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of text')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'attache;completions' {
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of text')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'attache;man' {
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of text')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'attache;generate-reference' {
            [CompletionResult]::new('--out', '--out', [CompletionResultType]::ParameterName, 'The folder to write into')
            [CompletionResult]::new('--home', '--home', [CompletionResultType]::ParameterName, 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON document instead of text')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only what was asked for, and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print more about what is done')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'attache;help' {
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Make a small agent to start from')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Say whether a package is good, and everything that is wrong with it')
            [CompletionResult]::new('inspect', 'inspect', [CompletionResultType]::ParameterValue, 'Show what a package says of itself: metadata, capabilities, files')
            [CompletionResult]::new('build', 'build', [CompletionResultType]::ParameterValue, 'Build a package from a source folder')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'Write an agent as a source folder in another format, and report what that cannot hold')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Compare two packages: manifest, capabilities and prompts first, then files')
            [CompletionResult]::new('unpack', 'unpack', [CompletionResultType]::ParameterValue, 'Take a package apart into a new folder')
            [CompletionResult]::new('lock', 'lock', [CompletionResultType]::ParameterValue, 'Choose versions that go together, and write them down in attache.lock')
            [CompletionResult]::new('tree', 'tree', [CompletionResultType]::ParameterValue, 'Show who needs whom')
            [CompletionResult]::new('why', 'why', [CompletionResultType]::ParameterValue, 'Say why a package is needed, or why it was left out')
            [CompletionResult]::new('outdated', 'outdated', [CompletionResultType]::ParameterValue, 'Say which locked packages have newer versions, and what holds them back')
            [CompletionResult]::new('index', 'index', [CompletionResultType]::ParameterValue, 'Make an index of a folder of packages, to resolve from later or on another machine')
            [CompletionResult]::new('quickstart', 'quickstart', [CompletionResultType]::ParameterValue, 'Run the main job end to end on a small agent, explaining each step')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a completion script for your shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page of a command')
            [CompletionResult]::new('generate-reference', 'generate-reference', [CompletionResultType]::ParameterValue, 'Write the reference pages, schemas, manual pages and completions')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'attache;help;init' {
            break
        }
        'attache;help;validate' {
            break
        }
        'attache;help;inspect' {
            break
        }
        'attache;help;build' {
            break
        }
        'attache;help;convert' {
            break
        }
        'attache;help;diff' {
            break
        }
        'attache;help;unpack' {
            break
        }
        'attache;help;lock' {
            break
        }
        'attache;help;tree' {
            break
        }
        'attache;help;why' {
            break
        }
        'attache;help;outdated' {
            break
        }
        'attache;help;index' {
            break
        }
        'attache;help;quickstart' {
            break
        }
        'attache;help;completions' {
            break
        }
        'attache;help;man' {
            break
        }
        'attache;help;generate-reference' {
            break
        }
        'attache;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
