//! Reads every session below a directory and says what was understood of it.
//!
//! ```text
//! cargo run --release -p loadline --example session_formats -- DIR
//! ```
//!
//! Each file is read, written whole and compared byte for byte; then drafts of it
//! are written, read back and compared turn by turn.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use loadline::session::{
    Change, Content, Draft, DraftBlock, DraftTurn, Role, Transcript, Turn, check_session,
    read_session, write_session,
};

fn main() -> Result<(), Box<dyn Error>> {
    let root = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let mut files = Vec::new();
    find_files(Path::new(&root), &mut files)?;
    files.sort();
    for file in files {
        println!("{}", file.display());
        match read_session(std::fs::read(&file)?, None) {
            Ok(transcript) => describe(&transcript),
            Err(error) => println!("  {error}"),
        }
    }
    Ok(())
}

fn find_files(directory: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            find_files(&path, files)?
        } else {
            files.push(path)
        }
    }
    Ok(())
}

fn describe(transcript: &Transcript) {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for block in transcript.turns.iter().flat_map(|turn| &turn.blocks) {
        *kinds.entry(kind(&block.content)).or_default() += 1;
    }
    let model = transcript.model.as_deref().unwrap_or("no model");
    println!(
        "  {}, {model}, {} turns, blocks {kinds:?}",
        transcript.format,
        transcript.turns.len()
    );
    println!("  passed over {:?}", transcript.passed_over);
    println!("  unknown {:?}", transcript.unknown);
    for note in &transcript.notes {
        println!("  note: {note}");
    }
    let whole = write_session(transcript, &Draft::whole(transcript));
    let is_same = whole == transcript.source();
    println!(
        "  whole: {}",
        if is_same { "same bytes" } else { "DIFFERS" }
    );
    println!("  as recorded: {}", violations(transcript));
    for (name, draft) in drafts(transcript) {
        println!("  {name}: {}", come_back(transcript, &draft));
    }
}

fn kind(content: &Content) -> &'static str {
    match content {
        Content::Text(_) => "text",
        Content::Thinking(_) => "thinking",
        Content::Call(_) => "call",
        Content::Result(_) => "result",
        Content::Image => "image",
        Content::Other(_) => "other",
    }
}

fn violations(transcript: &Transcript) -> String {
    let found = check_session(transcript);
    match found.first() {
        None => "valid".to_owned(),
        Some(first) => format!(
            "{} violations, first in turn {}: {}",
            found.len(),
            first.turn,
            first.rule
        ),
    }
}

/// Drafts that leave out a half, change every text, and keep only the end.
fn drafts(transcript: &Transcript) -> Vec<(&'static str, Draft)> {
    let summary = DraftTurn::New {
        role: Role::User,
        text: "what came before".to_owned(),
    };
    let middle = transcript.turns.len() / 2;
    // A cut stands before a turn that no call is open at.
    let cut = (middle..transcript.turns.len())
        .find(|it| transcript.turns[*it].results().next().is_none())
        .unwrap_or(transcript.turns.len());
    let with = |turns: Vec<DraftTurn>| {
        let turns = std::iter::once(summary.clone()).chain(turns);
        Draft {
            turns: turns.collect(),
        }
    };
    let all = 0..transcript.turns.len();
    let kept = |turn| DraftTurn::kept(transcript, turn);
    vec![
        (
            "the end",
            with((cut..transcript.turns.len()).map(kept).collect()),
        ),
        ("the beginning", with((0..cut).map(kept).collect())),
        (
            "all, shortened",
            with(all.map(|turn| shortened(transcript, turn)).collect()),
        ),
    ]
}

fn shortened(transcript: &Transcript, turn: usize) -> DraftTurn {
    let blocks = transcript.turns[turn].blocks.iter().enumerate();
    let blocks = blocks.map(|(block, it)| match &it.content {
        Content::Text(text) => DraftBlock::changed(block, Change::Text(head(text))),
        Content::Result(result) => DraftBlock::changed(block, Change::Text(head(&result.text))),
        Content::Call(call) => {
            DraftBlock::changed(block, Change::Arguments(call.arguments.clone()))
        }
        _ => DraftBlock::kept(block),
    });
    let blocks = blocks.collect();
    DraftTurn::Of { turn, blocks }
}

fn head(text: &str) -> String {
    format!("{}…", text.chars().take(40).collect::<String>())
}

fn come_back(transcript: &Transcript, draft: &Draft) -> String {
    let written = write_session(transcript, draft);
    let added = written.strip_prefix(transcript.source());
    let size = match added {
        Some(added) => format!("{} bytes added", added.len()),
        None => format!("{} bytes", written.len()),
    };
    match read_session(written, None) {
        Err(error) => format!("CANNOT BE READ: {error}"),
        Ok(back) => {
            let is_same = said(&back.turns) == said(&draft.turns(transcript));
            let turns = if is_same { "same turns" } else { "OTHER TURNS" };
            format!("{turns}, {size}, {}", violations(&back))
        }
    }
}

/// Who said what, without places, names and times.
fn said(turns: &[Turn]) -> Vec<(Role, Vec<&Content>)> {
    turns
        .iter()
        .map(|turn| {
            let blocks = turn.blocks.iter().map(|block| &block.content);
            (turn.role, blocks.collect())
        })
        .collect()
}
