//! `loadline map`

use insta::assert_snapshot;

use crate::common::{World, json, run};
use crate::pack::PROJECT;

#[test]
fn a_map_lists_files_and_what_they_define() {
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
    let xml = run(&world, &["map", "-q", "--format", "xml"]).stdout;
    assert!(xml.starts_with("<map name=\"work\">\n"), "{xml}");
    let plain = run(&world, &["map", "-q", "-f", "plain", "-o", "map.txt"]);
    assert_eq!(plain.to_string(), "");
    assert!(world.work().read("map.txt").starts_with("Map of work: "));
}

#[test]
fn a_map_keeps_to_its_budget() {
    let world = World::new(PROJECT);
    let document = json(&world, &["map", "-q", "--budget", "60"]);
    assert!(document["tokens"].as_u64().unwrap() <= 60);
    assert_eq!(document["budget"], 60);
    let first = &document["files"][0];
    assert_eq!(first["path"], "src/index.ts");
    assert_eq!(first["definitions"][0]["line"], 2);
    assert_eq!(first["definitions"][0]["kind"], "function");
    let run = run(&world, &["map", "--budget", "3"]);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("nothing fits a budget of 3 tokens"), "{run}");
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
