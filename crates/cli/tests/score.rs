//! `loadline score`

use insta::assert_snapshot;

use crate::common::{World, find, json, run};
use crate::pack::PROJECT;

#[test]
fn f046_scores_come_with_their_signals() {
    let world = World::new(PROJECT);
    assert_snapshot!(run(&world, &["score"]), @r"
    score  signals                               path
       32  entry_point 30, exports 2             src/index.ts
       17  importers 3, exports 4, edge_case 10  src/math.ts
       15  config 15                             package.json
       14  exports 4, edge_case 10               old/math.ts
    ");
    assert_snapshot!(run(&world, &["score", "--limit", "1", "--boost", "old/*"]), @r"
    score  signals                            path
       34  exports 4, edge_case 10, boost 20  old/math.ts
    ... and 3 more files; --limit shows more
    ");
    let document = json(&world, &["score", "--limit", "2", "--pin", "src/math.ts"]);
    assert_eq!(document["total"], 4);
    assert_eq!(document["files"].as_array().unwrap().len(), 2);
    let math = &document["files"][1];
    assert_eq!(math["path"], "src/math.ts");
    assert_eq!(math["pinned"], true);
    assert_eq!(math["signals"]["edge_case"], 10);
    assert_eq!(math["lines"], 7);
    assert_eq!(document["omitted"][0]["reason"], "lock_file");
}

#[test]
fn a_directory_that_is_not_there_is_an_error() {
    let world = World::new("");
    run(&world, &["score", "nowhere"]).exits(1).says(&["nowhere"]);
}

#[test]
fn f031_f034_an_export_counts_once_and_a_module_is_credited_to_its_importer() {
    let world = World::new(
        "
        //- /web/view.ts
        export default function view(title?: string, body = 1) { return title; }
        //- /kit/__init__.py
        //- /kit/m.py
        X = 1
        //- /kit/user.py
        from . import m
        ",
    );
    let document = json(&world, &["score", "-q"]);
    let signals = |path: &str| &find(&document["files"], "path", path)["signals"];
    assert_eq!(signals("web/view.ts")["exports"], 2);
    assert_eq!(signals("kit/m.py")["importers"], 3);
    run(&world, &["map", "-q"]).shows(&["export function view(title?: string, body)"]);
}

#[test]
fn jsx_in_a_file_that_is_not_named_for_it_is_parsed() {
    let world = World::new(
        "//- /page.ts\nexport function Page() {\n  return <p>Hi</p>;\n}\nexport const Last = 1;\n",
    );
    run(&world, &["map", "-q"]).shows(&["1 export function Page()", "4 export const Last"]);
}
