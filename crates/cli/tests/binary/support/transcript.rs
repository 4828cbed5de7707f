//! A session at the command line, as one would copy it from a terminal, to be compared as a whole.

use super::{Ran, Terminal, Tidy, World};

/// Runs commands and writes down what was typed, what was said, and the exit status unless it was 0.
pub(crate) struct Transcript<'a> {
    world: &'a World,
    tidy: Tidy,
    text: String,
    /// The last `BATON_JOB` that was shown.
    assignment: Option<String>,
    /// Opened when a person first does something.
    terminal: Option<Terminal>,
}

impl<'a> Transcript<'a> {
    pub(crate) fn new(world: &'a World) -> Self {
        let tidy = Tidy::default()
            .naming(&world.workspace(), "WORKSPACE")
            .naming(&world.data(), "DATA")
            .naming(&world.home(), "HOME");
        Self { world, tidy, text: String::new(), assignment: None, terminal: None }
    }

    /// Has `test:WHO` run the program.
    pub(crate) fn run(&mut self, who: &str, arguments: &[&str]) {
        let ran = self.world.run_as(who, arguments);
        if let Some((_, after)) = ran.stdout.split_once("BATON_JOB=") {
            self.assignment = after.split_whitespace().next().map(str::to_owned);
        }
        self.note(who, arguments, &ran);
    }

    /// Has a person at a terminal of their own run it.
    pub(crate) fn steer(&mut self, arguments: &[&str]) {
        let terminal = self.terminal.get_or_insert_with(|| self.world.terminal());
        let (ran, person) = (terminal.run(arguments), terminal.person());
        let ran = Ran { stdout: ran.stdout.replace(&person, "human:PERSON"), ..ran };
        self.note("person", arguments, &ran);
    }

    /// Has the agent that works on the job that was claimed last run it.
    pub(crate) fn run_on_it(&mut self, arguments: &[&str]) {
        let assignment = self.assignment.as_deref().expect("a claim showed an assignment");
        let ran = self.world.run_on(assignment, arguments);
        self.note("its agent", arguments, &ran);
    }

    fn note(&mut self, who: &str, arguments: &[&str], ran: &Ran) {
        let typed: Vec<_> = arguments.iter().map(|argument| shown(argument)).collect();
        self.text.push_str(&format!("{who}$ baton {}\n", self.tidy.tidy(&typed.join(" "))));
        self.text.push_str(&self.tidy.tidy(&ran.stdout));
        self.text.push_str(&self.tidy.tidy(&ran.stderr));
        if ran.status != 0 {
            self.text.push_str(&format!("[exit {}]\n", ran.status));
        }
        self.text.push('\n');
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

fn shown(argument: &str) -> String {
    if argument.contains([' ', '\n', '\u{1b}']) { format!("{argument:?}") } else { argument.to_owned() }
}
