//! What a person sees on a terminal, through tmux; skipped where that is not installed.

use std::process::Command;

use crate::common::World;

const PROJECT: &str = "
    //- /README.md
    # A project
    //- /src/main.rs
    fn main() {
        println!(\"hello\");
    }
    //- /src/deep/large.rs
    pub fn large() -> &'static str { \"a longer text than the others have in them\" }
    ";

/// A screen of 90 by 24 on which a command runs.
struct Screen<'a> {
    world: &'a World,
    socket: String,
}

impl Screen<'_> {
    /// Starts a command; none where there is no tmux.
    fn start<'a>(world: &'a World, arguments: &str) -> Option<Screen<'a>> {
        let is_there = Command::new("tmux").arg("-V").output().is_ok_and(|it| it.status.success());
        if !is_there {
            return None;
        }
        let socket = world.home().join("tmux").display().to_string();
        let screen = Screen { world, socket };
        let program = env!("CARGO_BIN_EXE_loadline");
        let line = format!("{program} {arguments}; echo \"exit $?\"; exec sleep 1000");
        screen.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "90", "-y", "24", &line]);
        Some(screen)
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let mut command = self.world.command("tmux");
        command.args(["-S", &self.socket]).args(arguments).env("TERM", "xterm-256color");
        let run = self.world.run(&mut command).exits(0);
        run.stdout
    }

    /// Looks until the screen shows something.
    fn wait_for(&self, words: &str) -> String {
        let mut seen = String::new();
        for _ in 0..4_000 {
            seen = self.tmux(&["capture-pane", "-p"]);
            if seen.contains(words) {
                return seen;
            }
        }
        panic!("{words:?} does not appear:\n{seen}");
    }
}

impl Drop for Screen<'_> {
    fn drop(&mut self) {
        let mut command = self.world.command("tmux");
        let _ = command.args(["-S", &self.socket, "kill-server"]).output();
    }
}

#[test]
fn f303_on_a_terminal_a_pack_goes_to_a_file_and_its_tree_to_the_screen() {
    let world = World::new(PROJECT);
    let Some(screen) = Screen::start(&world, "pack --budget 2k") else {
        return;
    };
    let seen = screen.wait_for("exit 0");
    assert!(seen.contains("written to work.context.md; -o - prints it"), "{seen}");
    assert!(seen.contains("total, 3 files") && seen.contains("├─ src/"), "{seen}");
    let first = world.work().read("work.context.md");
    assert!(first.starts_with("# work\n"), "{first}");
    drop(screen);
    // It is neither packed nor counted by the next run.
    crate::common::run(&world, &["pack", "-q", "--budget", "2k"]).prints(first);
    crate::common::run(&world, &["count"]).shows(&["total, 3 files"]);
}

#[test]
fn f303_control_characters_are_escaped_on_a_terminal() {
    let world = World::new("//- /a.txt\none\n");
    world.work().write("a.txt", "before\u{1b}[2Jafter\u{7}\n");
    let Some(screen) = Screen::start(&world, "pack -o -") else {
        return;
    };
    let seen = screen.wait_for("exit 0");
    assert!(seen.contains("before\\u{1b}[2Jafter\\u{7}"), "{seen}");
}

#[test]
fn f303_files_are_picked_in_a_tree_with_their_tokens() {
    let world = World::new(PROJECT);
    let Some(screen) = Screen::start(&world, "pack --pick --budget 2k") else {
        return;
    };
    // The last line that is drawn.
    let seen = screen.wait_for("space toggle");
    assert!(seen.contains("3 files, "), "{seen}");
    assert!(seen.contains("[x]   README.md") && seen.contains("[x] ▾ src"), "{seen}");
    assert!(seen.contains("of 2,000 tokens") && seen.contains("space toggle"), "{seen}");
    // Down to src, open what is in it, and leave main.rs out.
    screen.tmux(&["send-keys", "Down", "Down", "Right"]);
    screen.wait_for("large.rs");
    screen.tmux(&["send-keys", "End", "Space"]);
    let seen = screen.wait_for("2 files, ");
    assert!(seen.contains("[ ]     main.rs") && seen.contains("[-] ▾ src"), "{seen}");
    screen.tmux(&["send-keys", "Enter"]);
    screen.wait_for("exit 0");
    let packed = world.work().read("work.context.md");
    assert!(packed.contains("large.rs") && !packed.contains("main.rs"), "{packed}");
    drop(screen);
    crate::common::run(&world, &["pack", "--pick"]).exits(2).says(&["--pick needs a terminal"]);
}
