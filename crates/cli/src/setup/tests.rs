use super::*;

fn scope(home: &Path) -> InstallScope {
    InstallScope::user("loadline", loadline::agents::AgentHomes::new(home))
}

const SETTINGS: &str = r#"{
  // mine
  "model": "opus", /* and this */
  "hooks": {
    "PostToolUse": [
      { "matcher": "Edit", "hooks": [{ "type": "command", "command": "prettier" }] },
    ],
  },
  "statusLine": { "type": "command", "command": "echo 'it''s'" }
}
"#;

fn write(home: &Path, name: &str, text: &str) -> PathBuf {
    let path = home.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn settings_keep_every_key_and_comment() {
    let home = tempfile::tempdir().unwrap();
    write(home.path(), ".claude/settings.json", SETTINGS);
    let edit = files(Agent::ClaudeCode, &scope(home.path()), true).unwrap().remove(0);
    let after = edit.after.clone().unwrap();
    for kept in ["// mine", "/* and this */", "\"model\": \"opus\"", "prettier"] {
        assert!(after.contains(kept), "{kept} is gone:\n{after}");
    }
    for added in [
        "loadline hook claude-code post-tool-use",
        "loadline hook claude-code pre-compact",
        "loadline statusline --chain 'echo '\\\\''it'\\\\'''\\\\''s'\\\\'''",
    ] {
        assert!(after.contains(added), "{added} is missing:\n{after}");
    }
    std::fs::write(&edit.path, &after).unwrap();
    let again = files(Agent::ClaudeCode, &scope(home.path()), true).unwrap().remove(0);
    assert!(!again.is_change(), "{}", again.after.unwrap());
}

#[test]
fn what_was_there_comes_back_byte_for_byte() {
    let (home, store) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for agent in [Agent::ClaudeCode, Agent::Codex, Agent::Gemini, Agent::Copilot, Agent::Pi] {
        let scope = scope(home.path());
        for text in [Some(SETTINGS), Some("{}"), Some(""), None] {
            for edit in files(agent, &scope, true).unwrap() {
                let _ = std::fs::remove_file(&edit.path);
            }
            for edit in files(agent, &scope, true).unwrap() {
                if let Some(text) = text {
                    std::fs::create_dir_all(edit.path.parent().unwrap()).unwrap();
                    std::fs::write(&edit.path, text).unwrap();
                }
            }
            for edit in files(agent, &scope, true).unwrap() {
                Record::keep(store.path(), &edit).unwrap();
                write_after(&edit);
            }
            for edit in files(agent, &scope, false).unwrap() {
                let edit = restore(store.path(), edit);
                assert_eq!(edit.after.as_deref(), text, "{agent:?}");
            }
        }
    }
}

fn write_after(edit: &FileEdit) {
    std::fs::create_dir_all(edit.path.parent().unwrap()).unwrap();
    std::fs::write(&edit.path, edit.after.as_deref().unwrap()).unwrap();
}

#[test]
fn what_others_changed_since_stays() {
    let (home, store) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let scope = scope(home.path());
    let path = write(home.path(), ".claude/settings.json", SETTINGS);
    let edit = files(Agent::ClaudeCode, &scope, true).unwrap().remove(0);
    Record::keep(store.path(), &edit).unwrap();
    let changed = edit.after.unwrap().replace("opus", "sonnet");
    std::fs::write(&path, changed).unwrap();
    let edit = restore(store.path(), files(Agent::ClaudeCode, &scope, false).unwrap().remove(0));
    let after = edit.after.unwrap();
    assert!(after.contains("sonnet") && after.contains("prettier"), "{after}");
    assert!(after.contains("echo 'it''s'"), "{after}");
    assert!(!after.contains("loadline"), "{after}");
}

#[test]
fn settings_of_another_shape_are_an_error() {
    let home = tempfile::tempdir().unwrap();
    for text in ["[]", "{\"hooks\": 7}", "{\"hooks\": {\"PostToolUse\": {}}}", "{,"] {
        write(home.path(), ".claude/settings.json", text);
        let error = files(Agent::ClaudeCode, &scope(home.path()), true).unwrap_err();
        assert!(matches!(error, SetupError::Shape { .. }), "{text}: {error}");
    }
}
