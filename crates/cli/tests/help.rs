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
    Decide what goes into a model's context window, and keep it within a budget

    Usage: loadline [OPTIONS] <COMMAND>

    Commands:
      pack         Pack a repository into one text for a model, within a token budget
      search       Search a repository for the passages most relevant to a query
      map          Map a repository: its most important files, with what they define and where
      score        Show the score of each file and the signals behind it
      context      Show and prune notes, and show the contents of the last pack
      feature      Measure and compact the notes of a feature
      notes        Measure, shorten, hand over and restore the notes that agents keep
      count        Count the tokens of files, directories and standard input
      chunk        Show how files are split into chunks
      session      Measure, trim and convert an agent's session
      resume       Go on with the last session of a project, trimmed first if its prompt cache is cold
      recall       Print what was cut from a session, by the handle in its marker
      pin          Pin words or a section of a file, to stay in trims, compactions and handoffs
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
      bill         Show why your agents' sessions cost what they did, and what would have cost less
      serve        Show sessions, the bill, packs, notes and the archive in a browser
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
fn every_command_explains_itself_and_its_flags() {
    let world = World::new("");
    let pages = run(&world, &["man", "pages"]).stdout;
    for page in pages.lines() {
        let name = page.trim_start_matches("pages/loadline").trim_end_matches(".1");
        let words: Vec<&str> = name.split('-').filter(|word| !word.is_empty()).collect();
        let long = help(&[&words[..], &["--help"]].concat());
        let about = long.lines().next().unwrap_or_default();
        assert!(about.starts_with(char::is_uppercase) && about.len() > 10, "{name}: {about}");
        // A flag without a word about it has nothing below it but a blank line.
        let lines: Vec<&str> = long.lines().map(str::trim).collect();
        for pair in lines.windows(2).filter(|pair| pair[0].starts_with("--")) {
            assert!(!pair[1].is_empty(), "{name}: {}", pair[0]);
        }
    }
    assert!(pages.lines().count() > 40, "{pages}");
}

#[test]
fn a_misspelled_command_or_flag_gets_a_suggestion() {
    assert_snapshot!(help(&["modles"]), @r"
    --- stderr
    error: unrecognized subcommand 'modles'

      tip: some similar subcommands exist: 'notes', 'models'

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
