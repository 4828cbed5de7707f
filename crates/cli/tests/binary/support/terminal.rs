//! A person at a terminal: a shell that leads a session on a real pseudo-terminal, and what is typed there.
//!
//! Tests may be run by a coding agent, and a person has none above them. So the shell is an orphan: its parent has
//! ended before it runs anything.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::process::{Command, Stdio};

use rustix::{
    fd::OwnedFd,
    io::{read, write},
    process::{Pid, PidfdFlags, pidfd_open},
    pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, ptsname, unlockpt},
    termios::{LocalModes, OptionalActions, OutputModes, Winsize, tcgetattr, tcgetsid, tcsetattr, tcsetwinsize},
};

use serde_json::Value;

use super::{Ran, World, ready, world::BATON};

/// Runs the arguments with standard input as their controlling terminal, as an orphan. The loop waits for the parent to
/// be collected. A background command has no input unless it is handed on, and ignores Ctrl-C unless it is told not to.
const ORPHANED: &str = r#"
    exec 3<&0
    parent=$$
    (
        while kill -0 $parent 2>/dev/null; do :; done
        exec env --default-signal=INT,QUIT setsid --ctty "$@" <&3 3<&-
    ) &
"#;

/// The shell's prompt, which tells how the last command ended. No program writes the first character.
const PROMPT: &str = "\u{1e}$?\n";
const END: &str = "\u{1e}";

/// A terminal with an interactive shell, as which a person runs one command after the other. It is closed when this is
/// dropped.
pub(crate) struct Terminal {
    /// The side on which the person types and reads; closing it hangs up the other.
    master: OwnedFd,
    shell: Pid,
    name: String,
    shown: Vec<u8>,
}

impl World {
    /// A terminal of a person, who is `human:<account>:pts<N>` there and may do what an operator may.
    pub(crate) fn terminal(&self) -> Terminal {
        self.terminal_with(&[])
    }

    /// A terminal on which these variables are set.
    pub(crate) fn terminal_with(&self, variables: &[(&str, &str)]) -> Terminal {
        let mut command = self.command("sh");
        command.args(["-c", ORPHANED, "sh", "sh", "-i"]).envs([("PS1", PROMPT), ("PS2", "")]).env("TERM", "dumb");
        Terminal::open(command.envs(variables.iter().copied()))
    }

    /// Runs the program at a terminal that is opened for it, to its end. Standard output is all that was shown, both
    /// outputs together.
    pub(crate) fn at_terminal(&self, arguments: &[&str]) -> Ran {
        self.terminal().run(arguments)
    }

    /// The `data` of a command that must succeed there, with `--json`.
    pub(crate) fn data_at_terminal(&self, arguments: &[&str]) -> Value {
        let ran = self.at_terminal(&[arguments, &["--json"]].concat());
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:?}");
        ran.json()["data"].clone()
    }

    /// Has an operator set timings of a room, as flags of `baton room policy`.
    pub(crate) fn set_policy(&self, room: &str, timings: &[&str]) {
        self.data_at_terminal(&[&["room", "policy", "--room", room], timings].concat());
    }

    /// Runs it as the agent `test:WHO`, and types while it runs.
    pub(crate) fn type_as(&self, who: &str, arguments: &[&str], typed: &str) -> Ran {
        self.terminal_with(&[("BATON_AGENT_ID", &format!("test:{who}"))]).run_typing(arguments, typed)
    }
}

impl Terminal {
    fn open(command: &mut Command) -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let slave = ioctl_tiocgptpeer(&master, flags).unwrap();
        let mut modes = tcgetattr(&slave).unwrap();
        // What is read is what was written, and nothing of what was typed.
        modes.local_modes.remove(LocalModes::ECHO);
        modes.output_modes.remove(OutputModes::OPOST);
        tcsetattr(&slave, OptionalActions::Now, &modes).unwrap();
        let stdio = || Stdio::from(slave.try_clone().unwrap());
        assert!(command.stdin(stdio()).stdout(stdio()).stderr(stdio()).status().unwrap().success());
        let name = name.strip_prefix("/dev/").unwrap().to_owned();
        let mut terminal = Self { master, shell: Pid::INIT, name, shown: Vec::new() };
        assert_eq!(terminal.ends().stdout, "", "the shell waits for a command");
        terminal.shell = tcgetsid(&terminal.master).unwrap();
        terminal
    }

    /// Its name: `pts/3`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Gives the window a size.
    pub(crate) fn resizes(&self, rows: u16, columns: u16) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.master, size).unwrap();
    }

    /// The person there, as an agent's id. Their name is that of the account, whatever variables say.
    pub(crate) fn person(&self) -> String {
        let account = Command::new("id").arg("-un").output().unwrap();
        format!("human:{}:{}", String::from_utf8(account.stdout).unwrap().trim(), self.name.replace('/', ""))
    }

    /// The shell, which leads the terminal's session.
    pub(crate) fn shell(&self) -> Pid {
        self.shell
    }

    /// Runs the program to its end.
    pub(crate) fn run(&mut self, arguments: &[&str]) -> Ran {
        self.run_typing(arguments, "")
    }

    /// Runs the program to its end, and types what it reads.
    pub(crate) fn run_typing(&mut self, arguments: &[&str], typed: &str) -> Ran {
        self.starts(arguments);
        self.types(typed);
        self.ends()
    }

    /// Starts the program, and does not wait for its end.
    pub(crate) fn starts(&mut self, arguments: &[&str]) {
        self.enters(&[&[BATON], arguments].concat());
    }

    /// Starts it by way of another program.
    pub(crate) fn starts_by_way_of(&mut self, way: &[&str], arguments: &[&str]) {
        self.enters(&[way, &[BATON], arguments].concat());
    }

    fn enters(&mut self, words: &[&str]) {
        let quoted = |word: &&str| format!("'{}'", word.replace('\'', r"'\''"));
        let words: Vec<_> = words.iter().map(quoted).collect();
        self.types(&format!("{}\n", words.join(" ")));
    }

    /// Types; `\u{3}` is Ctrl-C.
    pub(crate) fn types(&mut self, text: &str) {
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            rest = &rest[write(&self.master, rest).unwrap()..];
        }
    }

    /// Waits until `words` were shown since this was last asked, and tells all that was shown with them.
    pub(crate) fn shows(&mut self, words: &str) -> String {
        let end = loop {
            let found = self.shown.windows(words.len()).position(|window| window == words.as_bytes());
            if let Some(start) = found {
                break start + words.len();
            }
            let so_far = || String::from_utf8_lossy(&self.shown);
            let mut bytes = [0; 4096];
            assert!(ready(&self.master), "nothing more came: {}", so_far());
            // Once nobody has the terminal open any more, reading fails.
            let length = read(&self.master, &mut bytes).unwrap_or(0);
            assert!(length > 0, "the shell ended without showing {words:?}: {}", so_far());
            self.shown.extend_from_slice(&bytes[..length]);
        };
        String::from_utf8(self.shown.drain(..end).collect()).unwrap()
    }

    /// Waits for the end of the command that was started last.
    pub(crate) fn ends(&mut self) -> Ran {
        let output = self.shows(END);
        let status = self.shows("\n").trim().parse().unwrap();
        let ran = Ran { status, stdout: output.trim_end_matches(END).to_owned(), stderr: String::new() };
        assert!(!ran.stdout.contains("panicked"), "{ran:?}");
        ran
    }

    /// Closes the window, and waits until the shell has ended with it.
    pub(crate) fn closes(self) {
        let shell = pidfd_open(self.shell, PidfdFlags::empty()).unwrap();
        drop(self.master);
        assert!(ready(&shell), "the shell ends with its terminal");
    }
}
