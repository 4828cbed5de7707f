//! A person at a terminal: the program on a pseudo-terminal of its own, and lines typed there.

use std::process::Command;

use super::{Ran, World, world::BATON};

impl World {
    /// The program as the agent `test:WHO`, on a terminal on which its standard input is typed.
    pub(crate) fn at_terminal(&self, who: &str, arguments: &[&str]) -> Command {
        let words: Vec<_> = [BATON].iter().chain(arguments).map(|word| format!("'{word}'")).collect();
        let mut command = self.command("script");
        command.args(["--quiet", "--return", "--command", &words.join(" "), "/dev/null"]);
        command.env("BATON_AGENT_ID", format!("test:{who}")).env("SHELL", "/bin/sh").env("TERM", "dumb");
        command
    }

    /// Runs it there and types. What was shown, the echo of what was typed and both outputs together, is the standard
    /// output.
    pub(crate) fn type_as(&self, who: &str, arguments: &[&str], typed: &str) -> Ran {
        let ran = Ran::with_input(self.at_terminal(who, arguments), typed);
        Ran { stdout: ran.stdout.replace('\r', ""), ..ran }
    }
}
