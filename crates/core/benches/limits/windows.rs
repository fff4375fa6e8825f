//! Very long rows of messages, and what a round put out by the megabyte.

use loadline::prompt::{
    ChatMessage, Phases, PromptOptions, RoundOptions, SystemPrompt, WorkState, build_prompt,
    compress_rounds, keep_messages, read_rounds,
};
use loadline::session::Role;
use loadline::tokens::Tokens;

use super::{Report, Result, least};

/// How many messages a window is chosen from.
const MESSAGES: usize = 100_000;

/// Windows of 20,000 tokens over 100,000 messages, and a round of a million findings.
pub(crate) fn windows(report: &mut Report) -> Result<()> {
    let options = PromptOptions::new("o200k".parse()?);
    let state = WorkState {
        system_prompt: SystemPrompt::One("You write small functions.".to_owned()),
        feature_description: "A cache with a limit.".to_owned(),
        messages: (0..MESSAGES).map(message).collect(),
        ..WorkState::default()
    };
    let cap = Tokens::new(20_000);
    let slide = || keep_messages(&state.messages, cap, &options.counter);
    let window = slide();
    assert!(window.tokens <= cap && window.kept > 300, "{}", window.kept);
    report.time("F147", "window over 100,000 messages", 300, least(slide));

    let phases = Phases::builtin()?;
    let planning = phases.find("planning")?;
    let build = || build_prompt(&state, planning, &options);
    assert!(build()?.omitted_messages > 99_000, "too few were left out");
    report.time("F143", "phase over 100,000 messages", 300, least(build));

    let findings: Vec<String> = (0..100_000)
        .map(|number| {
            format!("finding {number}: part {} waits for part {}", number % 97, number % 89)
        })
        .collect();
    let output = serde_json::json!({ "findings": findings }).to_string();
    let rounds = read_rounds(output.as_bytes())?;
    let options = RoundOptions::new(options.counter);
    let compress = || compress_rounds(&rounds, &options);
    assert!(compress().tokens <= Tokens::new(2_000), "the round is over its budget");
    report.time("F126", "round of 100,000 findings", 500, least(compress));
    Ok(())
}

fn message(number: usize) -> ChatMessage {
    let role = if number.is_multiple_of(2) { Role::User } else { Role::Assistant };
    ChatMessage::new(role, format!("Message {number}: {}", "some words of it ".repeat(12)))
}
