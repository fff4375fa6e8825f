//! What every `--json` document has in common, errors included.

use crate::common::{World, loadline, parsed};

#[test]
fn an_error_is_a_document_on_stderr_with_the_same_exit_code() {
    let world = World::new("");
    for (args, exit, code) in [
        (&["models", "gtp-5"][..], 2, "LL-CLI-001"),
        (&["count", "nowhere"], 1, "LL-CTX-004"),
        (&["count", "--no-such-flag"], 2, "LL-CLI-030"),
        (&["search", "timeout", "nowhere"], 1, "LL-CTX-004"),
    ] {
        let run = world.run(loadline(&world, args).arg("--json")).exits(exit).prints("");
        let document = parsed(&run.stderr);
        assert_eq!(document["schema"], 1, "{run}");
        assert_eq!(document["error"]["code"], code, "{run}");
        assert!(document["error"]["message"].is_string(), "{run}");
        assert!(document["error"]["hint"].is_string(), "{run}");
        assert!(document["remarks"].is_array(), "{run}");
    }
}
