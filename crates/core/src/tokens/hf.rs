//! Counts with a `tokenizer.json`, for models whose vocabulary is published
//! that way. Needs the feature `hf`.

use super::{CountTokens, Counter, CounterError, Precision, Tokens};

struct HuggingFace {
    name: String,
    tokenizer: tokenizers::Tokenizer,
}

impl CountTokens for HuggingFace {
    fn name(&self) -> &str {
        &self.name
    }

    fn precision(&self) -> Precision {
        Precision::Exact
    }

    fn count(&self, text: &str) -> Tokens {
        if text.is_empty() {
            return Tokens::ZERO;
        }
        match self.tokenizer.encode_fast(text, false) {
            Ok(encoding) => Tokens::new(encoding.len() as u64),
            // A vocabulary without a fallback cannot encode everything; bytes are an upper bound.
            Err(_) => Tokens::new(text.len() as u64),
        }
    }
}

pub(super) fn open(file: &str) -> Result<Counter, CounterError> {
    let tokenizer = tokenizers::Tokenizer::from_file(file);
    let tokenizer = tokenizer.map_err(|error| CounterError::Vocabulary {
        file: file.to_owned(),
        reason: error.to_string(),
    })?;
    Ok(Counter::custom(HuggingFace { name: format!("hf:{file}"), tokenizer }))
}
