//! Help texts, the version, and what is typed wrong.

use insta::assert_snapshot;

use crate::common::{World, run};

fn help(args: &[&str]) -> String {
    run(&World::new(""), args).to_string()
}

#[test]
fn nothing_typed_is_a_mistake() {
    assert_snapshot!(help(&[]), @r#"
    --- stderr
    Measure and budget a model's context window

    Usage: loadline [OPTIONS] <COMMAND>

    Commands:
      pack         Pack a repository into one text for a model, within a budget of tokens
      search       Search a repository for the passages that a text is about, the best first
      map          Map a repository: its best files with what they define, and on which line
      score        Show the score of every file, and the signals it comes from
      context      Show how full notes are, archive old ones, and show what the last pack was made of
      feature      Look after the notes of a feature: how full they are, and how they get smaller
      count        Count the tokens of files, directories and standard input
      chunk        Show how files are cut into chunks
      session      Measure the session of an agent, and fit it into a budget
      recall       Print what was cut from a session, by the handle in its marker
      check        Check that a session, or all notes, leave room: exit code 0 if so, 3 if not
      hook         Answer a hook of an agent: reads its event on standard input
      ledger       List and total what was cut: by hooks, by the server, by trimming
      statusline   Print a status line for Claude Code; reads what it says on standard input
      install      Set an agent up to use Loadline: hooks, and a status line where there is one
      uninstall    Take Loadline out of an agent's settings again
      doctor       Check that an agent is set up, and try one hook
      window       Build the prompt for a phase of work, or from many sources, within a budget
      round        Carry what matters from one round of an analysis to the next, and keep its books
      usage        Show what your agents' sessions used and cost, by day, model and project
      mcp          Serve packs, searches, outlines, files and originals to agents, by MCP
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

    Options of every command:
          --json           Print one JSON document, {"schema":1,...}, instead of text
      -q, --quiet          Print no notes
          --now <TIME>     Take this as the present: 2026-01-31T12:00:00Z, or seconds since 1970
          --no-cache       Neither read nor write the cache
          --config <FILE>  Read the user's settings from this file instead of the usual one
          --color <WHEN>   When to use colours [default: auto] [possible values: auto, always, never]
    --- exit 2
    "#);
}

#[test]
fn the_version() {
    let version = concat!("loadline ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(help(&["--version"]), version);
}

#[test]
fn help_of_the_program() {
    assert_snapshot!(help(&["--help"]), @r#"
    Measure and budget a model's context window.

    Exit codes: 0 fine, 1 the work failed, 2 wrong usage or configuration, 3 a gate is not met, 130
    Ctrl-C.

    Usage: loadline [OPTIONS] <COMMAND>

    Commands:
      pack         Pack a repository into one text for a model, within a budget of tokens
      search       Search a repository for the passages that a text is about, the best first
      map          Map a repository: its best files with what they define, and on which line
      score        Show the score of every file, and the signals it comes from
      context      Show how full notes are, archive old ones, and show what the last pack was made of
      feature      Look after the notes of a feature: how full they are, and how they get smaller
      count        Count the tokens of files, directories and standard input
      chunk        Show how files are cut into chunks
      session      Measure the session of an agent, and fit it into a budget
      recall       Print what was cut from a session, by the handle in its marker
      check        Check that a session, or all notes, leave room: exit code 0 if so, 3 if not
      hook         Answer a hook of an agent: reads its event on standard input
      ledger       List and total what was cut: by hooks, by the server, by trimming
      statusline   Print a status line for Claude Code; reads what it says on standard input
      install      Set an agent up to use Loadline: hooks, and a status line where there is one
      uninstall    Take Loadline out of an agent's settings again
      doctor       Check that an agent is set up, and try one hook
      window       Build the prompt for a phase of work, or from many sources, within a budget
      round        Carry what matters from one round of an analysis to the next, and keep its books
      usage        Show what your agents' sessions used and cost, by day, model and project
      mcp          Serve packs, searches, outlines, files and originals to agents, by MCP
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

    Options of every command:
          --json
              Print one JSON document, {"schema":1,...}, instead of text

      -q, --quiet
              Print no notes

          --now <TIME>
              Take this as the present: 2026-01-31T12:00:00Z, or seconds since 1970

          --no-cache
              Neither read nor write the cache

          --config <FILE>
              Read the user's settings from this file instead of the usual one

          --color <WHEN>
              When to use colours

              Possible values:
              - auto:   On a terminal, unless the environment says otherwise
              - always: Always
              - never:  Never
              
              [default: auto]
    "#);
}

#[test]
fn help_of_count() {
    assert_snapshot!(help(&["count", "-h"]), @r#"
    Count the tokens of files, directories and standard input

    Usage: loadline count [OPTIONS] [PATH]...

    Arguments:
      [PATH]...  Files and directories; - is standard input [default: .]

    Options:
      -m, --model <NAME>    The model to count for; decides the counter and the window
      -c, --counter <NAME>  Count with this counter, such as o200k, claude-4.8, heuristic, api or
                            hf:FILE; may be repeated; all compares
          --by-language     Show languages instead of files
          --tree            Show directories with what is in them; less than 1 % is not shown
          --top <N>         Show this many rows; in a tree, per directory [default: 25]
          --all             Show all rows
          --sort <BY>       What comes first [default: tokens] [possible values: tokens, path, lines]
          --hidden          Count files whose name begins with a dot, too
          --no-ignore       Count what ignore files leave out, too
          --include <GLOB>  Count only files that match; may be repeated
          --exclude <GLOB>  Leave out files and directories that match; may be repeated
      -h, --help            Print help (see more with '--help')

    Options of every command:
          --json           Print one JSON document, {"schema":1,...}, instead of text
      -q, --quiet          Print no notes
          --now <TIME>     Take this as the present: 2026-01-31T12:00:00Z, or seconds since 1970
          --no-cache       Neither read nor write the cache
          --config <FILE>  Read the user's settings from this file instead of the usual one
          --color <WHEN>   When to use colours [default: auto] [possible values: auto, always, never]

    Examples:
      loadline count                               this directory, largest files first
      loadline count src README.md --model gpt-4o  with the share of the model's window
      git diff | loadline count -                  standard input
      loadline count --counter all                 what other models would count
      loadline count --tree --top 5                where the tokens are
      loadline count --json | jq .total.tokens     for programs
    "#);
}

#[test]
fn help_of_chunk() {
    assert_snapshot!(help(&["chunk", "-h"]), @r#"
    Show how files are cut into chunks

    Usage: loadline chunk [OPTIONS] <FILE>...

    Arguments:
      <FILE>...  Files to cut; - is standard input

    Options:
          --max-tokens <TOKENS>  The most tokens of a chunk
          --min-tokens <TOKENS>  Join a chunk of fewer tokens with its neighbour
          --level <LEVEL>        What a chunk of code is [default: method] [possible values: class,
                                 method, block]
          --by-lines             Cut by lines, not by structure
          --lines <N>            Lines of a chunk where there is no structure
          --overlap <N>          Lines that such chunks share with the one before
          --language <NAME>      Take files to be in this language, such as rust, whatever their names
                                 say
          --path <PATH>          Call standard input by this path, whose name says the language
          --content              Print the text of every chunk, too
          --no-redact            Leave secrets in the text
      -m, --model <NAME>         The model to count for; decides the counter
      -c, --counter <NAME>       Count with this counter instead of the model's
      -h, --help                 Print help (see more with '--help')

    Options of every command:
          --json           Print one JSON document, {"schema":1,...}, instead of text
      -q, --quiet          Print no notes
          --now <TIME>     Take this as the present: 2026-01-31T12:00:00Z, or seconds since 1970
          --no-cache       Neither read nor write the cache
          --config <FILE>  Read the user's settings from this file instead of the usual one
          --color <WHEN>   When to use colours [default: auto] [possible values: auto, always, never]

    Examples:
      loadline chunk src/main.rs
      loadline chunk docs/*.md --max-tokens 512   smaller chunks
      loadline chunk src/main.rs --level class    whole types
      git show HEAD:a.py | loadline chunk - --path a.py
      loadline chunk src/main.rs --json --content | jq -r '.files[].chunks[].content'
    "#);
}

#[test]
fn help_of_search() {
    assert_snapshot!(help(&["search", "-h"]), @r#"
    Search a repository for the passages that a text is about, the best first

    Usage: loadline search [OPTIONS] <TEXT> [PATH]

    Arguments:
      <TEXT>  What to look for; - reads it from standard input
      [PATH]  The directory to search [default: .]

    Options:
      -n, --limit <N>        Show this many passages, or files, at most [default: 10]
      -b, --budget <TOKENS>  Show no more passages than fit in these tokens, such as 4000 or 4k
                             [default: none]
      -l, --files            Print the paths of files only, one per line
          --no-text          Leave out the lines themselves
      -m, --model <NAME>     The model to count for; decides the counter and the window
      -c, --counter <NAME>   Count with this counter instead of the model's
          --include <GLOB>   Take only files that match; may be repeated. A path without wildcards also
                             lets in a file that is hidden, ignored or holds credentials
          --exclude <GLOB>   Leave out files and directories that match; may be repeated
          --hidden           Take files whose name begins with a dot, too
          --no-ignore        Take what ignore files leave out, too
          --no-redact        Leave secrets in the text
      -h, --help             Print help (see more with '--help')

    Options of every command:
          --json           Print one JSON document, {"schema":1,...}, instead of text
      -q, --quiet          Print no notes
          --now <TIME>     Take this as the present: 2026-01-31T12:00:00Z, or seconds since 1970
          --no-cache       Neither read nor write the cache
          --config <FILE>  Read the user's settings from this file instead of the usual one
          --color <WHEN>   When to use colours [default: auto] [possible values: auto, always, never]

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
    assert_snapshot!(help(&["models", "-h"]), @r#"
    List the known models, or show one with the budget that its window leaves

    Usage: loadline models [OPTIONS] [NAME]

    Arguments:
      [NAME]  Show this model in detail

    Options:
      -h, --help  Print help (see more with '--help')

    Options of every command:
          --json           Print one JSON document, {"schema":1,...}, instead of text
      -q, --quiet          Print no notes
          --now <TIME>     Take this as the present: 2026-01-31T12:00:00Z, or seconds since 1970
          --no-cache       Neither read nor write the cache
          --config <FILE>  Read the user's settings from this file instead of the usual one
          --color <WHEN>   When to use colours [default: auto] [possible values: auto, always, never]

    Examples:
      loadline models
      loadline models anthropic/claude-sonnet-4.5
      loadline models --json | jq '.models[] | select(.window > 500000) | .name'
    "#);
}

#[test]
fn help_of_config() {
    assert_snapshot!(help(&["config", "-h"]), @r#"
    Show, check or import settings

    Usage: loadline config [OPTIONS] <COMMAND>

    Commands:
      show      Show every setting
      validate  Check the settings in force, or one file
      import    Rewrite a .handover.yml, context.json, .agent/config.yml or compaction file
      path      Print where the files are
      env       List the environment variables and what they mean
      default   Print the defaults, a file to start from
      help      Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help (see more with '--help')

    Options of every command:
          --json           Print one JSON document, {"schema":1,...}, instead of text
      -q, --quiet          Print no notes
          --now <TIME>     Take this as the present: 2026-01-31T12:00:00Z, or seconds since 1970
          --no-cache       Neither read nor write the cache
          --config <FILE>  Read the user's settings from this file instead of the usual one
          --color <WHEN>   When to use colours [default: auto] [possible values: auto, always, never]
    "#);
}

#[test]
fn help_of_config_import() {
    assert_snapshot!(help(&["config", "import", "-h"]), @r#"
    Rewrite a .handover.yml, context.json, .agent/config.yml or compaction file

    Usage: loadline config import [OPTIONS] <FILE>

    Arguments:
      <FILE>  The older file

    Options:
      -o, --output <FILE>  Write here instead of to standard output
          --force          Overwrite the output
      -h, --help           Print help (see more with '--help')

    Options of every command:
          --json           Print one JSON document, {"schema":1,...}, instead of text
      -q, --quiet          Print no notes
          --now <TIME>     Take this as the present: 2026-01-31T12:00:00Z, or seconds since 1970
          --no-cache       Neither read nor write the cache
          --config <FILE>  Read the user's settings from this file instead of the usual one
          --color <WHEN>   When to use colours [default: auto] [possible values: auto, always, never]
    "#);
}

#[test]
fn help_of_cache() {
    assert_snapshot!(help(&["cache", "-h"]), @r#"
    Show or empty the cache of counts and outlines

    Usage: loadline cache [OPTIONS] <COMMAND>

    Commands:
      info   Show what the cache holds
      clear  Empty the cache
      path   Print the cache's directory
      help   Print this message or the help of the given subcommand(s)

    Options:
      -h, --help  Print help (see more with '--help')

    Options of every command:
          --json           Print one JSON document, {"schema":1,...}, instead of text
      -q, --quiet          Print no notes
          --now <TIME>     Take this as the present: 2026-01-31T12:00:00Z, or seconds since 1970
          --no-cache       Neither read nor write the cache
          --config <FILE>  Read the user's settings from this file instead of the usual one
          --color <WHEN>   When to use colours [default: auto] [possible values: auto, always, never]
    "#);
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
