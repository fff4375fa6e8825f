//! `loadline man`

use crate::common::{World, json, run};

#[test]
fn the_page_is_printed_or_all_are_written() {
    let world = World::new("");
    run(&world, &["man"]).shows(&[".SH NAME"]);
    let pages = run(&world, &["man", "pages"]).stdout;
    for name in ["loadline", "loadline-config", "loadline-config-import", "loadline-pack"] {
        assert!(pages.contains(&format!("pages/{name}.1\n")), "{pages}");
    }
    assert!(pages.lines().all(|page| world.work().path(page).is_file()), "{pages}");
    assert!(world.work().read("pages/loadline-count.1").contains("count"));
    let document = json(&world, &["man", "pages"]);
    assert_eq!(document["files"][0], "pages/loadline-archive-info.1");
}
