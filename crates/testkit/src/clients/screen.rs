//! A program in its screen, in a terminal of its own.
//!
//! tmux is the terminal, with a server for each screen. It tells of no change, so what is waited for is looked for again
//! and again.
#![expect(clippy::disallowed_methods, reason = "a terminal has no event to wait for: the screen is looked at again")]

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    thread,
    time::Duration,
};

use rustix::process::Pid;
use tempfile::TempDir;

use super::{Client, processes};
use crate::model::LIMIT;

/// How often the screen is looked at.
const INTERVAL: Duration = Duration::from_millis(50);
/// How often the screen is looked at before Enter is pressed again: a program that works shows it within seconds.
const LOOKS_PER_ENTER: usize = 60;
/// Columns and rows: wide enough that no program breaks the lines tests look for.
const SIZE: (u16, u16) = (150, 45);

/// A program in its screen. It ends with the test, and so does all that it started.
#[derive(Debug)]
pub struct Screen {
    client: Client,
    directory: TempDir,
    /// The first process in the terminal.
    first: Pid,
    /// Programs that run from below here outlive the terminal, and end with the test.
    home: PathBuf,
}

impl Screen {
    pub(super) fn start(client: Client, command: &Command, home: &Path) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let script = directory.path().join("start.sh");
        fs::write(&script, shell_script(command)).unwrap();
        let socket = socket(&directory);
        let (columns, rows) = (SIZE.0.to_string(), SIZE.1.to_string());
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(socket).args(["-f", "/dev/null", "new-session", "-d", "-P", "-F", "#{pane_pid}"]);
        tmux.args(["-x", &columns, "-y", &rows, "sh"]).arg(script);
        // A screen stays when its program has ended, to be read.
        tmux.args([";", "set-option", "-g", "remain-on-exit", "on"]);
        let started = tmux.output().expect("tmux is there: `cargo xtask test` installs it");
        assert!(started.status.success(), "{started:?}");
        let first = processes::parse(&String::from_utf8_lossy(&started.stdout)).unwrap();
        Self { client, directory, first, home: home.to_owned() }
    }

    /// Types text, as it is.
    pub fn type_text(&self, text: &str) {
        self.tmux(&["send-keys", "-l", "--", text]);
    }

    /// Presses a key by its name: `Enter`, `Escape`, `C-c`, `Up`.
    pub fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    /// Types a prompt and submits it. Programs take Enter that comes with the text for a part of it, so it comes when
    /// the text is on the screen; `gemini` loses it while it starts, so it comes again where nothing happens.
    pub fn submit(&self, prompt: &str) {
        self.type_text(prompt);
        thread::sleep(INTERVAL);
        self.wait_for(prompt);
        let typed = self.text();
        self.enter_until("an answer to Enter", || self.text() != typed);
    }

    /// Types a command of the program itself and submits it until it did what it is for: a list of commands that opens
    /// while it is typed may take the first Enter.
    pub fn command(&self, command: &str, is_done: impl Fn(&Self) -> bool) {
        if self.client == Client::Codex {
            // While a turn ends, with the hooks for that, it refuses commands.
            self.wait_for("Worked for");
        }
        self.type_text(command);
        self.wait_for(command);
        self.enter_until(command, || is_done(self));
    }

    fn enter_until(&self, what: &str, is_met: impl Fn() -> bool) {
        let mut looks = 0;
        self.wait_until(what, || {
            if looks % LOOKS_PER_ENTER == 0 {
                self.press("Enter");
            }
            looks += 1;
            is_met()
        });
    }

    /// Answers a question of the program with a key.
    pub fn answer(&self, question: &str, key: &str) {
        self.wait_for(question);
        self.press(key);
    }

    /// The text on the screen.
    pub fn text(&self) -> String {
        let shown = self.try_tmux(&["capture-pane", "-p"]);
        String::from_utf8_lossy(&shown.stdout).trim_end().to_owned()
    }

    /// Waits until a text is on the screen.
    pub fn wait_for(&self, text: &str) {
        self.wait_until(&format!("{text:?}"), || self.text().contains(text));
    }

    /// Waits until a text is no more on the screen.
    pub fn wait_for_no(&self, text: &str) {
        self.wait_until(&format!("no {text:?}"), || !self.text().contains(text));
    }

    /// Waits until the program takes prompts. Said when it was started without one.
    pub fn wait_until_ready(&self) {
        self.wait_for(match self.client {
            Client::Claude => "bypass permissions on",
            Client::Codex => "YOLO mode",
            Client::Gemini => "Type your message",
            Client::OpenCode => "Ask anything",
        });
    }

    /// Changes the size of the terminal.
    pub fn resize(&self, columns: u16, rows: u16) {
        self.tmux(&["resize-window", "-x", &columns.to_string(), "-y", &rows.to_string()]);
    }

    /// Closes the terminal: the program is sent the signal for it, and not ended otherwise.
    pub fn close_terminal(&self) {
        self.tmux(&["kill-session"]);
    }

    /// The process id of the program itself. `codex` and `gemini` are started by a launcher, whose child they are.
    pub fn pid(&self) -> u32 {
        let mut found = self.first;
        self.wait_until("the program's process", || {
            found = self.program();
            match self.client {
                Client::Gemini => found != self.first,
                // Its launcher is a script for node, or replaces itself.
                Client::Codex => !processes::command_line(found).first().is_some_and(|word| word.ends_with("node")),
                Client::Claude | Client::OpenCode => true,
            }
        });
        u32::try_from(found.as_raw_nonzero().get()).unwrap()
    }

    /// Whether the program has ended.
    pub fn has_ended(&self) -> bool {
        !processes::runs(self.first)
    }

    /// Waits until the program has ended.
    pub fn wait_for_end(&self) {
        self.wait_until("the end of the program", || self.has_ended());
    }

    /// The innermost process of the program.
    fn program(&self) -> Pid {
        let name = self.client.name();
        let is_it = |process: &Pid| {
            let words = processes::command_line(*process);
            words.iter().take(3).any(|word| PathBuf::from(word).file_stem().is_some_and(|stem| stem == name))
        };
        let mut process = self.first;
        while let Some(child) = processes::children(process).into_iter().find(is_it) {
            process = child;
        }
        process
    }

    fn wait_until(&self, what: &str, mut met: impl FnMut() -> bool) {
        for _ in 0..LIMIT.as_millis() / INTERVAL.as_millis() {
            if met() {
                return;
            }
            thread::sleep(INTERVAL);
        }
        panic!("{:?} did not come to {what}. Its screen:\n{}", self.client, self.text());
    }

    fn tmux(&self, words: &[&str]) {
        let done = self.try_tmux(words);
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "tmux {words:?}: {said}\n{}", self.text());
    }

    fn try_tmux(&self, words: &[&str]) -> Output {
        Command::new("tmux").arg("-S").arg(socket(&self.directory)).args(words).output().unwrap()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = std::io::Write::write_all(
                &mut std::io::stderr(),
                format!("the screen of {:?}:\n{}\n", self.client, self.text()).as_bytes(),
            );
        }
        // A program may outlive its terminal; gemini does.
        if processes::runs(self.first) {
            processes::end_tree(self.first);
        }
        processes::end_below(&self.home);
        let _ = self.try_tmux(&["kill-server"]);
    }
}

fn socket(directory: &TempDir) -> PathBuf {
    directory.path().join("tmux.sock")
}

/// A script that becomes the command: tmux would add to its environment.
fn shell_script(command: &Command) -> String {
    let mut script = format!("cd {} && exec env -i", quoted(command.get_current_dir().unwrap().as_os_str()));
    for (name, value) in command.get_envs() {
        let setting = format!("{}={}", name.to_str().unwrap(), value.unwrap_or_default().to_str().unwrap());
        write!(script, " {}", quoted(setting.as_ref())).unwrap();
    }
    for word in std::iter::once(command.get_program()).chain(command.get_args()) {
        write!(script, " {}", quoted(word)).unwrap();
    }
    script + "\n"
}

fn quoted(word: &std::ffi::OsStr) -> String {
    format!("'{}'", word.to_str().unwrap().replace('\'', r"'\''"))
}
