//! `loadline install`, `uninstall` and `doctor` on settings that are the user's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::common::{World, loadline, parsed, run};

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn claude(world: &World) -> PathBuf {
    world.home().join(".claude/settings.json")
}

#[cfg(unix)]
#[test]
fn hooks_and_status_line_run_from_a_path_that_a_shell_would_take_apart() {
    let world = World::new("").with("PATH", "/usr/bin:/bin");
    let program = world.home().join("my tools/it's R&D (x86) $HOME/loadline");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    let built = loadline(&world, &[]).get_program().to_owned();
    if fs::hard_link(&built, &program).is_err() {
        fs::copy(&built, &program).unwrap();
    }
    let here = |args: &[&str]| {
        let usual = loadline(&world, args);
        let mut command = Command::new(&program);
        command.args(usual.get_args());
        command.current_dir(usual.get_current_dir().unwrap()).env_clear();
        command.envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?))));
        world.run_with(&mut command, "")
    };
    write(
        &claude(&world),
        "{\"statusLine\": {\"type\": \"command\", \"command\": \"echo 'it is'\"}}",
    );
    here(&["install", "claude-code", "--yes"]).exits(0);
    here(&["doctor", "claude-code"]).exits(0).shows(&["ok       trial: ", "ok       program: "]);
    let settings = parsed(&fs::read_to_string(claude(&world)).unwrap());
    let line = settings["statusLine"]["command"].as_str().unwrap();
    let event = json!({"model": {"display_name": "Opus"}, "session_id": "s"}).to_string();
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).env("HOME", world.home());
    world.run_with(&mut shell, event).begins("it is");
    // This program is another one than the hooks call.
    run(&world, &["doctor", "claude-code"])
        .exits(1)
        .shows(&["our hooks are not those of this program"]);
    fs::remove_file(&program).unwrap();
    run(&world, &["doctor", "claude-code"]).shows(&["failed   program: the hooks call "]);
    run(&world, &["install", "claude-code", "--yes"]).exits(0);
    let text = fs::read_to_string(claude(&world)).unwrap();
    assert!(!text.contains("my tools"), "{text}");
    assert_eq!(text.matches("echo").count(), 1, "{text}");
}

#[test]
fn what_only_mentions_us_stays() {
    let world = World::new("").with("PATH", "/usr/bin:/bin");
    let own = [
        "echo loadline hook",
        "my-loadline hook claude-code stop",
        "nice loadline hook claude-code stop",
        "loadline hook claude-code stop && notify",
        "~/bin/wrapped 'loadline hook claude-code stop'",
        "loadline hook my-agent stop",
        "loadline check --max-percent 85",
    ];
    let calls: Vec<Value> =
        own.iter().map(|it| json!({"type": "command", "command": it})).collect();
    let settings = json!({
        "hooks": {"Stop": [{"hooks": calls}]},
        "statusLine": {"type": "command", "command": "~/bin/line --of 'loadline statusline'"},
    });
    let before = format!("{settings:#}\n");
    write(&claude(&world), &before);
    // Without a record of ours, all that there is to go by is the text.
    run(&world, &["uninstall", "claude-code", "--yes"]).says(&["nothing to change"]);
    run(&world, &["install", "claude-code", "--yes"]).exits(0);
    let text = fs::read_to_string(claude(&world)).unwrap();
    write(&claude(&world), &text.replacen("{", "{\n  \"model\": \"opus\",", 1));
    run(&world, &["uninstall", "claude-code", "--yes"]).exits(0);
    let after = parsed(&fs::read_to_string(claude(&world)).unwrap());
    assert_eq!(after["hooks"], settings["hooks"]);
    assert_eq!(after["statusLine"], settings["statusLine"]);
}

#[test]
fn a_plugin_of_somebody_else_by_our_name_stays() {
    let world = World::new("");
    let path = world.home().join(".config/opencode/plugin/loadline.js");
    write(&path, "// my own\n");
    run(&world, &["uninstall", "opencode", "--yes"]).says(&["nothing to change"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "// my own\n");
}

#[cfg(unix)]
#[test]
fn a_link_to_settings_that_are_not_there_yet_stays_a_link() {
    use std::os::unix::fs::symlink;
    let world = World::new("");
    let path = claude(&world);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink("../dotfiles/claude.json", &path).unwrap();
    let target = world.home().join("dotfiles/claude.json");
    run(&world, &["install", "claude-code", "--yes"]).exits(0);
    assert!(path.is_symlink());
    assert!(fs::read_to_string(&target).unwrap().contains("hook claude-code stop"));
    run(&world, &["uninstall", "claude-code", "--yes"]).exits(0);
    assert!(path.is_symlink() && !target.exists());
}

#[test]
fn doctor_says_when_nothing_can_be_kept() {
    let world = World::new("").with("PATH", "/usr/bin:/bin");
    run(&world, &["install", "claude-code", "--yes"]).exits(0);
    // No directory can be made there.
    let world = world.with("LOADLINE_DATA_DIR", "/dev/null");
    run(&world, &["doctor", "claude-code"]).exits(1).shows(&["failed   archive: "]);
}

const CLIENTS: [(&str, &str, &str, Option<&str>); 6] = [
    ("claude-code", ".claude.json", "mcpServers", Some(".mcp.json")),
    ("claude-desktop", ".config/Claude/claude_desktop_config.json", "mcpServers", None),
    ("cursor", ".cursor/mcp.json", "mcpServers", Some(".cursor/mcp.json")),
    ("vscode", ".config/Code/User/mcp.json", "servers", Some(".vscode/mcp.json")),
    ("windsurf", ".codeium/windsurf/mcp_config.json", "mcpServers", None),
    ("zed", ".config/zed/settings.json", "context_servers", None),
];

#[cfg(target_os = "linux")]
#[test]
fn every_client_gets_the_server_and_loses_it_again() {
    for (client, file, key, project) in CLIENTS {
        let world = World::new("").with("PATH", "/usr/bin:/bin");
        let path = world.home().join(file);
        let before = format!(
            "// mine\n{{\n  \"theme\": \"one\", // dark\n  \"{key}\": {{\n    \"other\": \
             {{ \"command\": \"x\" }}\n  }}\n}}\n"
        );
        write(&path, &before);
        run(&world, &["install", "--mcp", client]).shows(&["+"]).says(&["--yes"]);
        assert_eq!(fs::read_to_string(&path).unwrap(), before);
        run(&world, &["install", "--mcp", client, "--yes"])
            .exits(0)
            .says(&[&format!("loadline uninstall --mcp {client}")]);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("// mine") && text.contains("// dark"), "{text}");
        let settings = parsed(&text.replace("// mine", "").replace("// dark", ""));
        let server = &settings[key]["loadline"];
        let built = loadline(&world, &[]).get_program().to_owned();
        let command = Path::new(server["command"].as_str().unwrap());
        assert_eq!(command.canonicalize().unwrap(), Path::new(&built).canonicalize().unwrap());
        assert_eq!(server["args"][0], "mcp");
        assert_eq!(settings[key]["other"]["command"], "x");
        run(&world, &["install", "--mcp", client, "--yes"]).says(&["nothing to change"]);
        run(&world, &["uninstall", "--mcp", client, "--yes"]).exits(0);
        assert_eq!(fs::read_to_string(&path).unwrap(), before);

        let done = run(&world, &["install", "--mcp", client, "--project", "--yes"]);
        match project {
            Some(file) => {
                assert_eq!(done.code, 0, "{done}");
                let path = world.work().path(file);
                assert!(fs::read_to_string(&path).unwrap().contains("\"loadline\""));
                run(&world, &["uninstall", "--mcp", client, "--project", "--yes"]).exits(0);
                assert!(!path.exists());
            }
            None => {
                assert_eq!(done.code, 2, "{done}");
                assert!(done.stderr.contains("no settings of one project"), "{done}");
            }
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_of_somebody_else_by_our_name_stays() {
    let world = World::new("");
    let path = world.home().join(".cursor/mcp.json");
    let before =
        "{\"mcpServers\": {\"loadline\": {\"command\": \"docker\", \"args\": [\"run\"]}}}\n";
    write(&path, before);
    for command in ["install", "uninstall"] {
        run(&world, &[command, "--mcp", "cursor", "--yes"]).says(&["nothing to change"]);
    }
    // One of ours that names a program that is gone is put right.
    write(&path, &before.replace("docker", "/gone/loadline").replace("run", "mcp"));
    run(&world, &["install", "--mcp", "cursor", "--yes"]).exits(0);
    assert!(!fs::read_to_string(&path).unwrap().contains("/gone/"));
}

#[test]
fn an_agent_or_a_client_is_named() {
    let world = World::new("");
    for args in
        [&["install"][..], &["install", "gemini", "--mcp", "zed"], &["install", "--mcp", "x"]]
    {
        assert_eq!(run(&world, args).code, 2);
    }
}

#[test]
fn the_status_line_alone_leaves_hooks_to_the_plugin() {
    let world = World::new("");
    run(&world, &["install", "claude-code", "--status-line", "--yes"]).exits(0);
    let settings = parsed(&fs::read_to_string(claude(&world)).unwrap());
    assert!(settings["statusLine"]["command"].as_str().unwrap().ends_with("statusline"));
    assert_eq!(settings.get("hooks"), None);
    assert_eq!(run(&world, &["uninstall", "claude-code", "--status-line", "--yes"]).code, 0);
    assert!(!claude(&world).exists());
    run(&world, &["install", "codex", "--status-line", "--yes"])
        .exits(2)
        .says(&["codex has no status line"]);
}
