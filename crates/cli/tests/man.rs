//! `loadline man`

use insta::assert_snapshot;

use crate::common::{World, json, run};

#[test]
fn the_page_is_printed_or_all_are_written() {
    let world = World::new("");
    let page = run(&world, &["man"]).stdout;
    assert!(page.contains(".SH NAME"), "{page}");
    assert_snapshot!(run(&world, &["man", "pages"]), @"");
    assert!(world.work().read("pages/loadline-count.1").contains("count"));
    let document = json(&world, &["man", "pages"]);
    assert_eq!(document["files"][0], "pages/loadline-cache-clear.1");
}
