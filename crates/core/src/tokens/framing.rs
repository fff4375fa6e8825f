//! Tokens that a message costs in addition to its text.
//!
//! Roles, separators and the syntax of tool calls are tokens too. The numbers
//! are the medians of billed minus counted tokens over real sessions: Claude's
//! of Claude Code and pi, OpenAI's of Codex and pi with GPT-5. A negative one
//! means that part of what is counted as text is not billed.

/// The structural tokens of one family of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// A single message of the user, sent alone.
    pub request: i64,
    /// A reply of plain text.
    pub reply: i64,
    /// A message of the user that follows a reply.
    pub message: i64,
    /// Text in a reply that also calls tools.
    pub text_with_calls: i64,
    /// What the model thought, once it is sent back.
    pub thinking: i64,
    /// A round of calls and their results.
    round: PerCall,
    /// The calls alone, as the reply is billed.
    calling: PerCall,
}

/// What calls of one round cost: the first, the second, each further one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PerCall(i64, i64, i64);

impl Framing {
    /// Nothing is known, nothing is added.
    pub const NONE: Framing = Framing::per_call(0);
    /// Claude 3 up to 4.6.
    pub const CLAUDE_3: Framing = Framing {
        request: 7,
        reply: 3,
        message: 3,
        text_with_calls: 0,
        thinking: 14,
        round: PerCall(12, 49, 23),
        calling: PerCall(0, 0, 0),
    };
    /// Claude 4.7.
    pub const CLAUDE_4_7: Framing =
        Framing { request: 11, reply: 4, message: 6, ..Framing::CLAUDE_3 };
    /// Claude 4.8 and later.
    pub const CLAUDE_4_8: Framing = Framing {
        request: 6,
        reply: 2,
        round: PerCall(-11, 51, 23),
        calling: PerCall(-16, 0, 0),
        ..Framing::CLAUDE_3
    };
    /// OpenAI.
    pub const OPENAI: Framing = Framing {
        request: 7,
        reply: 7,
        message: 3,
        text_with_calls: 8,
        thinking: 2,
        round: PerCall(22, 32, 16),
        calling: PerCall(11, 25, 8),
    };

    /// A framing with one price per tool call and nothing else.
    pub(super) const fn per_call(tokens: i64) -> Framing {
        Framing {
            request: 0,
            reply: 0,
            message: 0,
            text_with_calls: 0,
            thinking: 0,
            round: PerCall(tokens, tokens, tokens),
            calling: PerCall(tokens, tokens, tokens),
        }
    }

    /// Returns what a round with `calls` tool calls and their results costs in addition to its texts.
    pub fn tool_round(&self, calls: u32) -> i64 {
        self.round.of(calls)
    }

    /// Returns what `calls` tool calls cost in addition to their texts in the reply that makes them.
    pub fn tool_calls(&self, calls: u32) -> i64 {
        self.calling.of(calls)
    }
}

impl PerCall {
    fn of(self, calls: u32) -> i64 {
        match calls {
            0 => 0,
            1 => self.0,
            calls => self.0 + self.1 + self.2 * i64::from(calls - 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_cost_what_was_measured() {
        let measured = [(1, 12), (2, 61), (3, 83), (4, 106), (6, 152)];
        for (calls, tokens) in measured {
            let framing = Framing::CLAUDE_3.tool_round(calls);
            assert!((framing - tokens).abs() <= 1, "{calls} calls: {framing}");
        }
        assert_eq!(Framing::CLAUDE_4_8.tool_round(1), -11);
        assert_eq!(Framing::CLAUDE_4_8.tool_round(2), 40);
        let openai = [(0, 0), (1, 22), (2, 54), (3, 70), (4, 86), (5, 102)];
        for (calls, tokens) in openai {
            assert_eq!(Framing::OPENAI.tool_round(calls), tokens);
        }
        assert_eq!(Framing::OPENAI.tool_calls(1), 11);
        assert_eq!(Framing::NONE.tool_calls(3), 0);
    }
}
