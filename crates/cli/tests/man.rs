//! `loadline man`

use insta::assert_snapshot;

use crate::common::{World, json, run};

#[test]
fn the_page_is_printed_or_all_are_written() {
    let world = World::new("");
    let page = run(&world, &["man"]).stdout;
    assert!(page.contains(".SH NAME"), "{page}");
    assert_snapshot!(run(&world, &["man", "pages"]), @r"
    pages/loadline-archive-info.1
    pages/loadline-archive-path.1
    pages/loadline-archive-prune.1
    pages/loadline-archive.1
    pages/loadline-cache-clear.1
    pages/loadline-cache-info.1
    pages/loadline-cache-path.1
    pages/loadline-cache.1
    pages/loadline-check.1
    pages/loadline-chunk.1
    pages/loadline-completions.1
    pages/loadline-config-default.1
    pages/loadline-config-env.1
    pages/loadline-config-import.1
    pages/loadline-config-path.1
    pages/loadline-config-show.1
    pages/loadline-config-validate.1
    pages/loadline-config.1
    pages/loadline-context-prune.1
    pages/loadline-context-report.1
    pages/loadline-context-show.1
    pages/loadline-context-status.1
    pages/loadline-context.1
    pages/loadline-count.1
    pages/loadline-doctor.1
    pages/loadline-feature-compact.1
    pages/loadline-feature-history.1
    pages/loadline-feature-status.1
    pages/loadline-feature.1
    pages/loadline-hook.1
    pages/loadline-install.1
    pages/loadline-ledger.1
    pages/loadline-man.1
    pages/loadline-map.1
    pages/loadline-mcp.1
    pages/loadline-models.1
    pages/loadline-pack.1
    pages/loadline-recall.1
    pages/loadline-round-compress.1
    pages/loadline-round-usage.1
    pages/loadline-round.1
    pages/loadline-score.1
    pages/loadline-search.1
    pages/loadline-session-compress.1
    pages/loadline-session-convert.1
    pages/loadline-session-pressure.1
    pages/loadline-session-restore.1
    pages/loadline-session-score.1
    pages/loadline-session-stats.1
    pages/loadline-session-trim.1
    pages/loadline-session.1
    pages/loadline-statusline.1
    pages/loadline-uninstall.1
    pages/loadline-usage.1
    pages/loadline-window-build.1
    pages/loadline-window-fill.1
    pages/loadline-window-messages.1
    pages/loadline-window-phases.1
    pages/loadline-window.1
    pages/loadline.1
    ");
    assert!(world.work().read("pages/loadline-count.1").contains("count"));
    let document = json(&world, &["man", "pages"]);
    assert_eq!(document["files"][0], "pages/loadline-archive-info.1");
}
