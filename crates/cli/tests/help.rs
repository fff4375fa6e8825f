//! Help texts, the version, and what is typed wrong.

use insta::assert_snapshot;

use crate::common::{World, run};

fn help(args: &[&str]) -> String {
    run(&World::new(""), args).to_string()
}

#[test]
fn nothing_typed_is_a_mistake() {
    assert_snapshot!(help(&[]), @r"
    --- stderr
    Measure and budget a model's context window

    Usage: loadline [OPTIONS] <COMMAND>

    Commands:
      pack         Pack a repository into one text for a model, within a token budget
      search       Search a repository for the passages most relevant to a query
      map          Map a repository: its most important files, with what they define and where
      score        Show the score of each file and the signals behind it
      context      Show and prune notes, and show the contents of the last pack
      feature      Measure and compact the notes of a feature
      count        Count the tokens of files, directories and standard input
      chunk        Show how files are split into chunks
      session      Measure, trim and convert an agent's session
      recall       Print what was cut from a session, by the handle in its marker
      check        Check a session, or all notes, against limits; exit code 3 if a limit is exceeded
      hook         Answer a hook of an agent: reads its event on standard input
      ledger       List and total what was cut: by hooks, by the server, by trimming
      statusline   Print a status line for Claude Code; reads what it says on standard input
      install      Set an agent up to use Loadline: hooks, and a status line where there is one
      uninstall    Take Loadline out of an agent's settings again
      doctor       Check that an agent is set up, and try one hook
      window       Build a prompt within a budget: for a phase, from messages or from sources
      round        Hand results from one round of an analysis to the next, and report usage
      usage        Show what your agents' sessions used and cost, by day, model and project
      mcp          Serve packs, searches, outlines, files and originals to agents over MCP
      models       List the known models, or show one with the budget that its window leaves
      config       Show, check or import settings
      cache        Show or empty the cache of counts and outlines
      archive      Show or prune the originals of what was cut from sessions and outputs
      completions  Print the completion script for a shell
      man          Print the manual page, or write all pages to a directory
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help (see more with '--help')
      -V, --version  Print version

    Global options:
          --json           Print a JSON document instead of text; docs/json.md describes each
      -q, --quiet          Suppress remarks and progress
          --now <TIME>     Use TIME as the current time, such as 2026-01-31T12:00:00Z or seconds since
                           1970
          --no-cache       Do not use the cache
          --config <FILE>  Read user settings from FILE instead of the default location
          --color <WHEN>   When to use colors [default: auto] [possible values: auto, always, never]
    --- exit 2
    ");
}

#[test]
fn the_version() {
    let version = concat!("loadline ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(help(&["--version"]), version);
}

#[test]
fn help_of_the_program() {
    assert_snapshot!(help(&["--help"]), @r"
    Measure and budget a model's context window.

    Exit codes: 0 success, 1 failure, 2 invalid usage or configuration, 3 a limit is exceeded (`check`),
    130 interrupted by Ctrl-C.

    Usage: loadline [OPTIONS] <COMMAND>

    Commands:
      pack         Pack a repository into one text for a model, within a token budget
      search       Search a repository for the passages most relevant to a query
      map          Map a repository: its most important files, with what they define and where
      score        Show the score of each file and the signals behind it
      context      Show and prune notes, and show the contents of the last pack
      feature      Measure and compact the notes of a feature
      count        Count the tokens of files, directories and standard input
      chunk        Show how files are split into chunks
      session      Measure, trim and convert an agent's session
      recall       Print what was cut from a session, by the handle in its marker
      check        Check a session, or all notes, against limits; exit code 3 if a limit is exceeded
      hook         Answer a hook of an agent: reads its event on standard input
      ledger       List and total what was cut: by hooks, by the server, by trimming
      statusline   Print a status line for Claude Code; reads what it says on standard input
      install      Set an agent up to use Loadline: hooks, and a status line where there is one
      uninstall    Take Loadline out of an agent's settings again
      doctor       Check that an agent is set up, and try one hook
      window       Build a prompt within a budget: for a phase, from messages or from sources
      round        Hand results from one round of an analysis to the next, and report usage
      usage        Show what your agents' sessions used and cost, by day, model and project
      mcp          Serve packs, searches, outlines, files and originals to agents over MCP
      models       List the known models, or show one with the budget that its window leaves
      config       Show, check or import settings
      cache        Show or empty the cache of counts and outlines
      archive      Show or prune the originals of what was cut from sessions and outputs
      completions  Print the completion script for a shell
      man          Print the manual page, or write all pages to a directory
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Global options:
          --json
              Print a JSON document instead of text; docs/json.md describes each

      -q, --quiet
              Suppress remarks and progress

          --now <TIME>
              Use TIME as the current time, such as 2026-01-31T12:00:00Z or seconds since 1970

          --no-cache
              Do not use the cache

          --config <FILE>
              Read user settings from FILE instead of the default location

          --color <WHEN>
              When to use colors

              Possible values:
              - auto:   On a terminal, unless the environment says otherwise
              - always: Always
              - never:  Never
              
              [default: auto]
    ");
}

#[test]
fn help_of_count() {
    assert_snapshot!(help(&["count", "-h"]), @r"
    Count the tokens of files, directories and standard input

    Usage: loadline count [OPTIONS] [PATH]...

    Arguments:
      [PATH]...  Files and directories; - means standard input [default: .]

    Options:
      -m, --model <NAME>    Model to count for; determines the counter and the window
      -c, --counter <NAME>  Counter to use, such as o200k, claude-4.8, heuristic, api or hf:FILE; repeat
                            it to compare counters, or use `all`
          --by-language     Show totals by language instead of files
          --tree            Show a tree of directories; entries below 1 % are hidden
          --top <N>         Maximum number of rows; in a tree, for each directory [default: 25]
          --all             Show all rows
          --sort <BY>       Sort order [default: tokens] [possible values: tokens, path, lines]
          --hidden          Include hidden files
          --no-ignore       Include files that ignore files exclude
          --include <GLOB>  Count only files that match GLOB; may be repeated
          --exclude <GLOB>  Skip files and directories that match GLOB; may be repeated
      -h, --help            Print help (see more with '--help')

    Global options:
          --json           Print a JSON document instead of text; docs/json.md describes each
      -q, --quiet          Suppress remarks and progress
          --now <TIME>     Use TIME as the current time, such as 2026-01-31T12:00:00Z or seconds since
                           1970
          --no-cache       Do not use the cache
          --config <FILE>  Read user settings from FILE instead of the default location
          --color <WHEN>   When to use colors [default: auto] [possible values: auto, always, never]

    Examples:
      loadline count                               this directory, largest files first
      loadline count src README.md --model gpt-4o  with the share of the model's window
      git diff | loadline count -                  standard input
      loadline count --counter all                 what other models would count
      loadline count --tree --top 5                where the tokens are
      loadline count --json | jq .total.tokens     for programs
    ");
}

#[test]
fn help_of_chunk() {
    assert_snapshot!(help(&["chunk", "-h"]), @r"
    Show how files are split into chunks

    Usage: loadline chunk [OPTIONS] <FILE>...

    Arguments:
      <FILE>...  Files to split; - means standard input

    Options:
          --max-tokens <TOKENS>  Maximum tokens of a chunk
          --min-tokens <TOKENS>  Merge chunks with fewer tokens into a neighbor
          --level <LEVEL>        Granularity of code chunks [default: method] [possible values: class,
                                 method, block]
          --by-lines             Split by lines instead of structure
          --lines <N>            Lines of a chunk when splitting by lines
          --overlap <N>          Lines that such a chunk shares with the previous one
          --language <NAME>      Language of the files, such as rust [default: by file name]
          --path <PATH>          Path to assume for standard input; its name determines the language
          --content              Print the text of each chunk
          --no-redact            Do not redact secrets
      -m, --model <NAME>         Model to count for; determines the counter
      -c, --counter <NAME>       Counter to use [default: the model's]
      -h, --help                 Print help (see more with '--help')

    Global options:
          --json           Print a JSON document instead of text; docs/json.md describes each
      -q, --quiet          Suppress remarks and progress
          --now <TIME>     Use TIME as the current time, such as 2026-01-31T12:00:00Z or seconds since
                           1970
          --no-cache       Do not use the cache
          --config <FILE>  Read user settings from FILE instead of the default location
          --color <WHEN>   When to use colors [default: auto] [possible values: auto, always, never]

    Examples:
      loadline chunk src/main.rs
      loadline chunk docs/*.md --max-tokens 512   smaller chunks
      loadline chunk src/main.rs --level class    whole types
      git show HEAD:a.py | loadline chunk - --path a.py
      loadline chunk src/main.rs --json --content | jq -r '.files[].chunks[].content'
    ");
}

#[test]
fn help_of_search() {
    assert_snapshot!(help(&["search", "-h"]), @r#"
    Search a repository for the passages most relevant to a query

    Usage: loadline search [OPTIONS] <TEXT> [PATH]

    Arguments:
      <TEXT>  Query, or - to read it from standard input
      [PATH]  Directory to search [default: .]

    Options:
      -n, --limit <N>        Maximum number of passages, or files [default: 10]
      -b, --budget <TOKENS>  Maximum tokens of all passages together, such as 4000 or 4k [default: none]
      -l, --files            Print only the paths of files, one per line
          --no-text          Omit the text of passages
      -m, --model <NAME>     Model to count for; determines the counter and the window
      -c, --counter <NAME>   Counter to use [default: the model's]
          --include <GLOB>   Use only files that match GLOB; may be repeated. A path without wildcards
                             also includes a file that is hidden, ignored or may hold credentials
          --exclude <GLOB>   Skip files and directories that match GLOB; may be repeated
          --hidden           Include hidden files
          --no-ignore        Include files that ignore files exclude
          --no-redact        Do not redact secrets
      -h, --help             Print help (see more with '--help')

    Global options:
          --json           Print a JSON document instead of text; docs/json.md describes each
      -q, --quiet          Suppress remarks and progress
          --now <TIME>     Use TIME as the current time, such as 2026-01-31T12:00:00Z or seconds since
                           1970
          --no-cache       Do not use the cache
          --config <FILE>  Read user settings from FILE instead of the default location
          --color <WHEN>   When to use colors [default: auto] [possible values: auto, always, never]

    Examples:
      loadline search "where do sessions expire"
      loadline search "retry with backoff" src --limit 3
      loadline search --files "parse the config" | xargs wc -l
      loadline search - --budget 4k < issue.txt
      loadline search timeout --json | jq -r .path
    "#);
}

#[test]
fn help_of_models() {
    assert_snapshot!(help(&["models", "-h"]), @r"
    List the known models, or show one with the budget that its window leaves

    Usage: loadline models [OPTIONS] [NAME]

    Arguments:
      [NAME]  Model to show in detail

    Options:
      -h, --help  Print help (see more with '--help')

    Global options:
          --json           Print a JSON document instead of text; docs/json.md describes each
      -q, --quiet          Suppress remarks and progress
          --now <TIME>     Use TIME as the current time, such as 2026-01-31T12:00:00Z or seconds since
                           1970
          --no-cache       Do not use the cache
          --config <FILE>  Read user settings from FILE instead of the default location
          --color <WHEN>   When to use colors [default: auto] [possible values: auto, always, never]

    Examples:
      loadline models
      loadline models anthropic/claude-sonnet-4.5
      loadline models --json | jq '.models[] | select(.window > 500000) | .name'
    ");
}

#[test]
fn help_of_config() {
    assert_snapshot!(help(&["config", "-h"]), @r"
    Show, check or import settings

    Usage: loadline config [OPTIONS] <COMMAND>

    Commands:
      show      Show all settings
      validate  Check the current settings, or one file
      import    Convert a .handover.yml, context.json, .agent/config.yml or compaction file
      path      Print the paths of configuration files
      env       List environment variables
      default   Print the default settings as loadline.toml
      help      Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help (see more with '--help')

    Global options:
          --json           Print a JSON document instead of text; docs/json.md describes each
      -q, --quiet          Suppress remarks and progress
          --now <TIME>     Use TIME as the current time, such as 2026-01-31T12:00:00Z or seconds since
                           1970
          --no-cache       Do not use the cache
          --config <FILE>  Read user settings from FILE instead of the default location
          --color <WHEN>   When to use colors [default: auto] [possible values: auto, always, never]
    ");
}

#[test]
fn help_of_config_import() {
    assert_snapshot!(help(&["config", "import", "-h"]), @r"
    Convert a .handover.yml, context.json, .agent/config.yml or compaction file

    Usage: loadline config import [OPTIONS] <FILE>

    Arguments:
      <FILE>  File to convert

    Options:
      -o, --output <FILE>  Write to FILE instead of standard output
          --force          Overwrite the output file
      -h, --help           Print help (see more with '--help')

    Global options:
          --json           Print a JSON document instead of text; docs/json.md describes each
      -q, --quiet          Suppress remarks and progress
          --now <TIME>     Use TIME as the current time, such as 2026-01-31T12:00:00Z or seconds since
                           1970
          --no-cache       Do not use the cache
          --config <FILE>  Read user settings from FILE instead of the default location
          --color <WHEN>   When to use colors [default: auto] [possible values: auto, always, never]
    ");
}

#[test]
fn help_of_cache() {
    assert_snapshot!(help(&["cache", "-h"]), @r"
    Show or empty the cache of counts and outlines

    Usage: loadline cache [OPTIONS] <COMMAND>

    Commands:
      info   Show what the cache holds
      clear  Empty the cache
      path   Print the cache's directory
      help   Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help (see more with '--help')

    Global options:
          --json           Print a JSON document instead of text; docs/json.md describes each
      -q, --quiet          Suppress remarks and progress
          --now <TIME>     Use TIME as the current time, such as 2026-01-31T12:00:00Z or seconds since
                           1970
          --no-cache       Do not use the cache
          --config <FILE>  Read user settings from FILE instead of the default location
          --color <WHEN>   When to use colors [default: auto] [possible values: auto, always, never]
    ");
}

#[test]
fn a_misspelled_command_or_flag_gets_a_suggestion() {
    assert_snapshot!(help(&["modles"]), @r"
    --- stderr
    error: unrecognized subcommand 'modles'

      tip: a similar subcommand exists: 'models'

    Usage: loadline [OPTIONS] <COMMAND>

    For more information, try '--help'.
    --- exit 2
    ");
    assert_snapshot!(help(&["models", "--jsno"]), @r"
    --- stderr
    error: unexpected argument '--jsno' found

      tip: a similar argument exists: '--json'

    Usage: loadline models --json [NAME]

    For more information, try '--help'.
    --- exit 2
    ");
    assert_snapshot!(help(&["models", "--now", "tomorrow"]), @r"
    --- stderr
    error: invalid value 'tomorrow' for '--now <TIME>': write 2026-01-31T12:00:00Z, or seconds since 1970

    For more information, try '--help'.
    --- exit 2
    ");
    assert_snapshot!(help(&["models", "--color", "alway"]), @r"
    --- stderr
    error: invalid value 'alway' for '--color <WHEN>'
      [possible values: auto, always, never]

      tip: a similar value exists: 'always'

    For more information, try '--help'.
    --- exit 2
    ");
}
