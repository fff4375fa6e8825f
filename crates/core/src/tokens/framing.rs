//! What a message costs beside its text.
//!
//! Roles, separators and the dress of tool calls are tokens too. The Claude
//! numbers are the medians of billed minus counted tokens over real sessions;
//! a negative one means that part of what is counted as text is not billed.
//! OpenAI's are those of its cookbook for chat messages.

/// The structural tokens of one family of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// A single message of the user, sent alone.
    pub request: i64,
    /// A reply of plain text.
    pub reply: i64,
    /// A round with one tool call: the call and its result.
    first_call: i64,
    /// What a second call in the same round adds.
    second_call: i64,
    /// What each further call in the same round adds.
    further_call: i64,
}

impl Framing {
    /// Nothing is known, nothing is added.
    pub const NONE: Framing = Framing::of(0, 0, 0, 0, 0);
    /// Claude 3 up to 4.6.
    pub const CLAUDE_3: Framing = Framing::of(7, 3, 12, 49, 23);
    /// Claude 4.7.
    pub const CLAUDE_4_7: Framing = Framing::of(11, 4, 12, 49, 23);
    /// Claude 4.8 and later.
    pub const CLAUDE_4_8: Framing = Framing::of(6, 2, -11, 51, 23);
    /// OpenAI chat messages.
    pub const OPENAI: Framing = Framing::of(7, 4, 11, 8, 8);

    const fn of(request: i64, reply: i64, first: i64, second: i64, further: i64) -> Framing {
        Framing {
            request,
            reply,
            first_call: first,
            second_call: second,
            further_call: further,
        }
    }

    /// A framing in which every tool call costs the same and nothing else costs anything.
    pub(super) const fn per_call(tokens: i64) -> Framing {
        Framing::of(0, 0, tokens, tokens, tokens)
    }

    /// Returns what a round with `calls` tool calls and their results costs beside its texts.
    pub fn tool_round(&self, calls: u32) -> i64 {
        match calls {
            0 => 0,
            1 => self.first_call,
            calls => self.first_call + self.second_call + self.further_call * i64::from(calls - 2),
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
        assert_eq!(Framing::OPENAI.tool_round(0), 0);
    }
}
