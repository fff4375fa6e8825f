//! `loadline session score`

use insta::assert_snapshot;

use crate::common::{World, json, run};

/// A request, a call with its result, an answer.
pub(crate) const SESSION: &str = r#"
//- /session.json
[{"role":"user","content":"Please fix the login page."},
{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"ls"}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"login.rs"}]},
{"role":"assistant","content":"The cause is a typo."}]
"#;

#[test]
fn f159_f165_scores_come_with_their_signals() {
    let world = World::new(SESSION);
    let args = ["session", "score", "session.json", "--counter", "heuristic"];
    assert_snapshot!(run(&world, &args), @r"
    turn  role       kind         tokens  score  signals
       1  user       instruction      11     90  base 50, user 15, instruction 10, floor 15
       2  assistant  tool-use          8     85  base 50, recency 10, floor 25
       3  user       tool-use          6     85  base 50, recency 10, floor 25
       4  assistant  response          9     85  base 50, conclusion 10, recency 20, floor 5
    ");
    let document = json(&world, &["session", "score", "session.json", "--keep-last", "1"]);
    let turns = document["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 4);
    assert_eq!(turns[0]["turn"], 1);
    assert_eq!(turns[0]["score"], 90);
    assert_eq!(turns[0]["signals"]["user"], 15);
    assert_eq!(turns[1]["kind"], "tool_use");
    assert_eq!(turns[1]["score"], 60);
    assert_eq!(turns[3]["preview"], "The cause is a typo.");
}
