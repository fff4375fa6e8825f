//! `loadline map`

use insta::assert_snapshot;

use crate::common::{World, json, run};
use crate::pack::PROJECT;

#[test]
fn a_map_lists_files_and_what_they_define_within_its_budget() {
    let world = World::new(PROJECT);
    assert_snapshot!(run(&world, &["map", "-q"]), @r"
    # Map of work

    3 of 4 text files, best first, with what they define by line.

    ```
    src/index.ts (4 lines)
      2 export function main(values: number[]): number
    src/math.ts (7 lines)
      2 export function add(a: number, b: number): number
      5 export function sub(a: number, b: number): number
    package.json (1 line)
      keys: name
    ```
    ");
    run(&world, &["map", "-q", "--format", "xml"]).begins("<map name=\"work\">\n");
    run(&world, &["map", "-q", "-f", "plain", "-o", "map.txt"]).exits(0).prints("").is_silent();
    assert!(world.work().read("map.txt").starts_with("Map of work: "));
    let document = json(&world, &["map", "-q", "--budget", "60"]);
    assert!(document["tokens"].as_u64().unwrap() <= 60);
    assert_eq!(document["budget"], 60);
    let first = &document["files"][0];
    assert_eq!(first["path"], "src/index.ts");
    assert_eq!(first["definitions"][0]["line"], 2);
    assert_eq!(first["definitions"][0]["kind"], "function");
    run(&world, &["map", "--budget", "3"]).prints("").says(&["nothing fits a budget of 3 tokens"]);
}

#[test]
fn files_that_a_task_is_about_come_first() {
    let world = World::new(
        "
        //- /src/main.py
        def main():
            pass
        //- /src/sessions.py
        def expire(session):
            pass
        ",
    );
    let first = |args: &[&str]| {
        let document = json(&world, &[&["map", "-q"], args].concat());
        document["files"][0]["path"].as_str().unwrap().to_owned()
    };
    assert_eq!(first(&[]), "src/main.py");
    assert_eq!(first(&["--task", "sessions expire too early"]), "src/sessions.py");
}
