
use builtin;
use str;

set edit:completion:arg-completer[attache] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'attache'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'attache'= {
            cand --home 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place'
            cand --json 'Print one JSON document instead of text'
            cand -q 'Print only what was asked for, and errors'
            cand --quiet 'Print only what was asked for, and errors'
            cand -v 'Print more about what is done'
            cand --verbose 'Print more about what is done'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand init 'Make a small agent to start from'
            cand validate 'Say whether a package is good, and everything that is wrong with it'
            cand inspect 'Show what a package says of itself: metadata, capabilities, files'
            cand build 'Build a package from a source folder'
            cand convert 'Write an agent as a source folder in another format, and report what that cannot hold'
            cand diff 'Compare two packages: manifest, capabilities and prompts first, then files'
            cand unpack 'Take a package apart into a new folder'
            cand lock 'Choose versions that go together, and write them down in attache.lock'
            cand tree 'Show who needs whom'
            cand why 'Say why a package is needed, or why it was left out'
            cand outdated 'Say which locked packages have newer versions, and what holds them back'
            cand index 'Make an index of a folder of packages, to resolve from later or on another machine'
            cand quickstart 'Run the main job end to end on a small agent, explaining each step'
            cand completions 'Print a completion script for your shell'
            cand man 'Print the manual page of a command'
            cand generate-reference 'Write the reference pages, schemas, manual pages and completions'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'attache;init'= {
            cand --format 'The format to write in'
            cand --id 'The package''s name; taken from the folder''s if there is none'
            cand --home 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place'
            cand --json 'Print one JSON document instead of text'
            cand -q 'Print only what was asked for, and errors'
            cand --quiet 'Print only what was asked for, and errors'
            cand -v 'Print more about what is done'
            cand --verbose 'Print more about what is done'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'attache;validate'= {
            cand --format 'The format, if it is not to be found out'
            cand --hmac-key-env 'Take the key for AgentForge''s HMAC signature from this environment variable'
            cand --hmac-key-file 'Take the key for AgentForge''s HMAC signature from this file, byte for byte'
            cand --home 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place'
            cand --lenient 'Turn deviations that are common in the wild into warnings'
            cand --json 'Print one JSON document instead of text'
            cand -q 'Print only what was asked for, and errors'
            cand --quiet 'Print only what was asked for, and errors'
            cand -v 'Print more about what is done'
            cand --verbose 'Print more about what is done'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'attache;inspect'= {
            cand --format 'The format, if it is not to be found out'
            cand --home 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place'
            cand --json 'Print one JSON document instead of text'
            cand -q 'Print only what was asked for, and errors'
            cand --quiet 'Print only what was asked for, and errors'
            cand -v 'Print more about what is done'
            cand --verbose 'Print more about what is done'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'attache;build'= {
            cand -o 'The file to write; by default the format''s own name, here'
            cand --output 'The file to write; by default the format''s own name, here'
            cand --format 'The format, if it is not to be found out'
            cand --compression 'How hard to compress: 0 stores, 9 is smallest'
            cand --metadata 'Add a field to the manifest''s metadata; VALUE is JSON, or else a string'
            cand --archive 'The archive to write, where the format has several (Holon)'
            cand --dependency 'A dependency''s .lxpkg, to lock or carry, instead of what attache.lock holds; may be given several times'
            cand --index 'Where --sealed finds what attache.lock holds, besides where attache.toml says; may be given several times'
            cand --hmac-key-env 'Take the key for AgentForge''s HMAC signature from this environment variable'
            cand --hmac-key-file 'Take the key for AgentForge''s HMAC signature from this file, byte for byte'
            cand --home 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place'
            cand --lenient 'Turn deviations that are common in the wild into warnings'
            cand --include-source 'Take source code (src/) along'
            cand --optimize 'Make PNG and JSON files smaller without loss; the default for .lxpkg'
            cand --no-optimize 'Leave PNG and JSON files as they are'
            cand --no-docs 'Leave documentation (docs/, README.md, CHANGELOG.md) out'
            cand --include-examples 'Take examples (examples/, workflows/examples/) along'
            cand --sealed 'Carry the dependencies inside, so that it installs with no network'
            cand --stamp 'Take the creation time from the clock, where the format has one. Two builds then differ'
            cand --no-cache 'Build even if nothing changed'
            cand --json 'Print one JSON document instead of text'
            cand -q 'Print only what was asked for, and errors'
            cand --quiet 'Print only what was asked for, and errors'
            cand -v 'Print more about what is done'
            cand --verbose 'Print more about what is done'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'attache;convert'= {
            cand --to 'The format to write'
            cand -o 'The new source folder; by default named after the package and the format'
            cand --output 'The new source folder; by default named after the package and the format'
            cand --format 'The format, if it is not to be found out'
            cand --home 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place'
            cand --lenient 'Turn deviations that are common in the wild into warnings'
            cand --json 'Print one JSON document instead of text'
            cand -q 'Print only what was asked for, and errors'
            cand --quiet 'Print only what was asked for, and errors'
            cand -v 'Print more about what is done'
            cand --verbose 'Print more about what is done'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'attache;diff'= {
            cand --home 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place'
            cand --check 'Exit 8 if they differ'
            cand --json 'Print one JSON document instead of text'
            cand -q 'Print only what was asked for, and errors'
            cand --quiet 'Print only what was asked for, and errors'
            cand -v 'Print more about what is done'
            cand --verbose 'Print more about what is done'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'attache;unpack'= {
            cand -o 'The new folder; by default named after the package'
            cand --output 'The new folder; by default named after the package'
            cand --format 'The format, if it is not to be found out'
            cand --home 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place'
            cand --lenient 'Turn deviations that are common in the wild into warnings'
            cand --json 'Print one JSON document instead of text'
            cand -q 'Print only what was asked for, and errors'
            cand --quiet 'Print only what was asked for, and errors'
            cand -v 'Print more about what is done'
            cand --verbose 'Print more about what is done'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'attache;lock'= {
            cand --index 'Where versions come from: a folder of packages or an index file, in front of those that attache.toml names; may be given several times'
            cand --override 'Replace whatever anyone requires of a package; may be given several times'
            cand --strategy 'Which of several versions that fit is taken; otherwise what attache.toml says, otherwise the highest'
            cand --platform 'Resolve for this platform'
            cand --engine 'Resolve for a host program of this version'
            cand --runtime 'Resolve for a language runtime of this version, e.g. python=3.12'
            cand --max-steps 'Give up after this many steps of the search'
            cand --upgrade-package 'Let this package move, while the others stay where they can; may be given several times'
            cand --home 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place'
            cand --this-host 'Resolve for this very machine: its platform, its Python and its Node'
            cand --offline 'Use only what is on this machine, and say what is missing'
            cand --frozen 'Exit 8 if the lock is not what it should be, and change nothing'
            cand --check 'Exit 8 if the lock would change, and change nothing'
            cand --dry-run 'Say what would change, and change nothing'
            cand --upgrade 'Let every package move to the version that fits best now'
            cand --json 'Print one JSON document instead of text'
            cand -q 'Print only what was asked for, and errors'
            cand --quiet 'Print only what was asked for, and errors'
            cand -v 'Print more about what is done'
            cand --verbose 'Print more about what is done'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'attache;tree'= {
            cand --index 'Where versions come from: a folder of packages or an index file, in front of those that attache.toml names; may be given several times'
            cand --override 'Replace whatever anyone requires of a package; may be given several times'
            cand --strategy 'Which of several versions that fit is taken; otherwise what attache.toml says, otherwise the highest'
            cand --platform 'Resolve for this platform'
            cand --engine 'Resolve for a host program of this version'
            cand --runtime 'Resolve for a language runtime of this version, e.g. python=3.12'
            cand --max-steps 'Give up after this many steps of the search'
            cand -p 'Start from this package; may be given several times'
            cand --package 'Start from this package; may be given several times'
            cand --depth 'How many steps to show; text only'
            cand --as 'How to draw it'
            cand -o 'The file to draw into'
            cand --output 'The file to draw into'
            cand --home 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place'
            cand --this-host 'Resolve for this very machine: its platform, its Python and its Node'
            cand --offline 'Use only what is on this machine, and say what is missing'
            cand --frozen 'Exit 8 if the lock is not what it should be, and change nothing'
            cand --invert 'Show who needs a package, instead of what it needs'
            cand --json 'Print one JSON document instead of text'
            cand -q 'Print only what was asked for, and errors'
            cand --quiet 'Print only what was asked for, and errors'
            cand -v 'Print more about what is done'
            cand --verbose 'Print more about what is done'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'attache;why'= {
            cand --index 'Where versions come from: a folder of packages or an index file, in front of those that attache.toml names; may be given several times'
            cand --override 'Replace whatever anyone requires of a package; may be given several times'
            cand --strategy 'Which of several versions that fit is taken; otherwise what attache.toml says, otherwise the highest'
            cand --platform 'Resolve for this platform'
            cand --engine 'Resolve for a host program of this version'
            cand --runtime 'Resolve for a language runtime of this version, e.g. python=3.12'
            cand --max-steps 'Give up after this many steps of the search'
            cand --home 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place'
            cand --this-host 'Resolve for this very machine: its platform, its Python and its Node'
            cand --offline 'Use only what is on this machine, and say what is missing'
            cand --frozen 'Exit 8 if the lock is not what it should be, and change nothing'
            cand --json 'Print one JSON document instead of text'
            cand -q 'Print only what was asked for, and errors'
            cand --quiet 'Print only what was asked for, and errors'
            cand -v 'Print more about what is done'
            cand --verbose 'Print more about what is done'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'attache;outdated'= {
            cand --index 'Where versions come from: a folder of packages or an index file, in front of those that attache.toml names; may be given several times'
            cand --override 'Replace whatever anyone requires of a package; may be given several times'
            cand --strategy 'Which of several versions that fit is taken; otherwise what attache.toml says, otherwise the highest'
            cand --platform 'Resolve for this platform'
            cand --engine 'Resolve for a host program of this version'
            cand --runtime 'Resolve for a language runtime of this version, e.g. python=3.12'
            cand --max-steps 'Give up after this many steps of the search'
            cand --home 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place'
            cand --this-host 'Resolve for this very machine: its platform, its Python and its Node'
            cand --offline 'Use only what is on this machine, and say what is missing'
            cand --frozen 'Exit 8 if the lock is not what it should be, and change nothing'
            cand --check 'Exit 8 if anything is outdated'
            cand --json 'Print one JSON document instead of text'
            cand -q 'Print only what was asked for, and errors'
            cand --quiet 'Print only what was asked for, and errors'
            cand -v 'Print more about what is done'
            cand --verbose 'Print more about what is done'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'attache;index'= {
            cand -o 'The file to write; by default index.jsonl in that folder'
            cand --output 'The file to write; by default index.jsonl in that folder'
            cand --name 'The name that locks give to what comes from here'
            cand --home 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place'
            cand --json 'Print one JSON document instead of text'
            cand -q 'Print only what was asked for, and errors'
            cand --quiet 'Print only what was asked for, and errors'
            cand -v 'Print more about what is done'
            cand --verbose 'Print more about what is done'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'attache;quickstart'= {
            cand --format 'The format to show'
            cand --home 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place'
            cand --json 'Print one JSON document instead of text'
            cand -q 'Print only what was asked for, and errors'
            cand --quiet 'Print only what was asked for, and errors'
            cand -v 'Print more about what is done'
            cand --verbose 'Print more about what is done'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'attache;completions'= {
            cand --home 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place'
            cand --json 'Print one JSON document instead of text'
            cand -q 'Print only what was asked for, and errors'
            cand --quiet 'Print only what was asked for, and errors'
            cand -v 'Print more about what is done'
            cand --verbose 'Print more about what is done'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'attache;man'= {
            cand --home 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place'
            cand --json 'Print one JSON document instead of text'
            cand -q 'Print only what was asked for, and errors'
            cand --quiet 'Print only what was asked for, and errors'
            cand -v 'Print more about what is done'
            cand --verbose 'Print more about what is done'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'attache;generate-reference'= {
            cand --out 'The folder to write into'
            cand --home 'Our data folder; otherwise ATTACHE_HOME, otherwise the platform''s own place'
            cand --json 'Print one JSON document instead of text'
            cand -q 'Print only what was asked for, and errors'
            cand --quiet 'Print only what was asked for, and errors'
            cand -v 'Print more about what is done'
            cand --verbose 'Print more about what is done'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'attache;help'= {
            cand init 'Make a small agent to start from'
            cand validate 'Say whether a package is good, and everything that is wrong with it'
            cand inspect 'Show what a package says of itself: metadata, capabilities, files'
            cand build 'Build a package from a source folder'
            cand convert 'Write an agent as a source folder in another format, and report what that cannot hold'
            cand diff 'Compare two packages: manifest, capabilities and prompts first, then files'
            cand unpack 'Take a package apart into a new folder'
            cand lock 'Choose versions that go together, and write them down in attache.lock'
            cand tree 'Show who needs whom'
            cand why 'Say why a package is needed, or why it was left out'
            cand outdated 'Say which locked packages have newer versions, and what holds them back'
            cand index 'Make an index of a folder of packages, to resolve from later or on another machine'
            cand quickstart 'Run the main job end to end on a small agent, explaining each step'
            cand completions 'Print a completion script for your shell'
            cand man 'Print the manual page of a command'
            cand generate-reference 'Write the reference pages, schemas, manual pages and completions'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'attache;help;init'= {
        }
        &'attache;help;validate'= {
        }
        &'attache;help;inspect'= {
        }
        &'attache;help;build'= {
        }
        &'attache;help;convert'= {
        }
        &'attache;help;diff'= {
        }
        &'attache;help;unpack'= {
        }
        &'attache;help;lock'= {
        }
        &'attache;help;tree'= {
        }
        &'attache;help;why'= {
        }
        &'attache;help;outdated'= {
        }
        &'attache;help;index'= {
        }
        &'attache;help;quickstart'= {
        }
        &'attache;help;completions'= {
        }
        &'attache;help;man'= {
        }
        &'attache;help;generate-reference'= {
        }
        &'attache;help;help'= {
        }
    ]
    $completions[$command]
}
