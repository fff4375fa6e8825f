//! Chunks, duplicates, shares, and the text that comes of them.

use super::*;
use crate::Diagnose;

fn tool(name: &str, count: usize) -> PackSource {
    PackSource::new(SourceKind::ToolResult, name).content(words(name, count))
}

#[test]
fn f123_a_preview_chooses_the_same_without_writing() {
    let sources = || vec![tool("a", 50), tool("b", 60), tool("c", 900)];
    let budget = Allocation::of(Tokens::new(200));
    let preview = preview_sources(sources(), &budget, &options(), &Cancel::new()).unwrap();
    let packed = run(sources(), 200, &options());
    assert_eq!(preview.chunks, packed.chunks);
    assert_eq!(preview.excluded, packed.excluded);
    assert_eq!(preview.stats, packed.stats);
    assert_eq!((preview.tokens, preview.content.as_str()), (packed.tokens, ""));
    assert_eq!((packed.stats.chunks, packed.stats.shown), (4, 2));
}

#[test]
fn f123_f263_a_cancelled_pack_stops() {
    let cancel = Cancel::new();
    cancel.cancel();
    let budget = Allocation::of(Tokens::new(200));
    let error = pack_sources(vec![tool("a", 5)], &budget, &options(), &cancel).unwrap_err();
    assert!(matches!(error, PackError::Cancelled), "{error}");
    assert_eq!(error.code(), "LL-CTX-001");
}

#[test]
fn f123_work_is_cancelled_between_any_two_steps() {
    /// Cancels the work when it has counted so often.
    struct Stopping(Cancel, std::sync::atomic::AtomicUsize);
    impl CountTokens for Stopping {
        fn name(&self) -> &str {
            "stopping"
        }
        fn precision(&self) -> Precision {
            Precision::Exact
        }
        fn count(&self, text: &str) -> Tokens {
            let before = self.1.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
            if before == 1 {
                self.0.cancel();
            }
            Words.count(text)
        }
    }
    let sources = || {
        let text = |number: usize| words(&format!("w{number}x"), 60);
        (0..6).map(move |number| found(&format!("a{number}.txt"), &text(number), 0.5))
    };
    let budget = Allocation::of(Tokens::new(150));
    let mut cancelled = 0;
    for steps in 1..400 {
        let cancel = Cancel::new();
        let counter = Stopping(cancel.clone(), steps.into());
        let options = SourceOptions { counter: Counter::custom(counter), ..options() };
        match pack_sources(sources().collect(), &budget, &options, &cancel) {
            Err(error) => {
                assert!(matches!(error, PackError::Cancelled), "{error}");
                cancelled += 1;
            }
            // The last count is the end of the work.
            Ok(packed) => assert!(!packed.content.is_empty()),
        }
    }
    assert!(cancelled > 10, "{cancelled}");
}
