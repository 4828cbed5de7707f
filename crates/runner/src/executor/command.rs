//! A command line of the user's: any program that reads a prompt and prints an answer.
//!
//! The prompt is on standard input, and what else a slice has is in variables. The last line that is not empty is the
//! answer, as JSON; lines before it are messages. Baton cannot keep such a program from changing files: for a job that only
//! looks it is told so (`BATON_READ_ONLY=1`), and has to see to it itself. Where words are asked for, all that it prints is the answer.
//! It ends with 75 to be started again later, as when a service that it needs is away, and with 77 when it is not allowed in.

use std::path::Path;

use super::{
    Answer, Cause, CommandLine, Failed, Form, Misfit, Plan, Profile, Reading, Seen, Session, Slice,
    answer::WORDS_BYTES, plan::Argv, seen::message,
};
use crate::process::{Exit, Line, StopSignal, Tail};

pub(super) fn plan(bin: &Path, line: &CommandLine, slice: &Slice) -> Plan {
    let choice = line.profiles.chosen(slice.profile);
    let mut env = Vec::new();
    let told = [
        ("BATON_PROFILE", slice.profile.map(Profile::as_str)),
        ("BATON_MODEL", slice.model.as_deref().or(choice.model.as_deref())),
        ("BATON_EFFORT", choice.effort.as_deref()),
        ("BATON_RESUME", slice.resume.as_ref().map(Session::as_str)),
    ];
    if slice.read_only {
        env.push(("BATON_READ_ONLY".into(), "1".into()));
    }
    env.extend(told.into_iter().filter_map(|(name, value)| Some((name.into(), value?.into()))));
    // It may call Baton itself, as whom it works for.
    let identity = slice.server.iter().flat_map(|server| &server.env);
    env.extend(identity.map(|(name, value)| (name.into(), value.into())));
    Plan {
        argv: Argv::of(bin).add(line.argv.iter().skip(1)).done(),
        env,
        files: Vec::new(),
        stop_signal: StopSignal::Terminate,
    }
}

/// Reads what a command prints.
#[derive(Debug)]
pub(super) struct Stream {
    form: Form,
    last: Option<Line>,
    printed: Tail,
    /// All that it printed, where that is the answer, up to the first line too many.
    words: String,
}

impl Stream {
    pub(super) fn new(slice: &Slice) -> Self {
        Self { form: slice.form, last: None, printed: Tail::default(), words: String::new() }
    }

    fn answered(&mut self) -> Result<Answer, Misfit> {
        match (self.form, self.last.take()) {
            (Form::Words | Form::Notes, _) => Answer::in_words(&self.words),
            (Form::Answer, line) => Answer::parse(line.as_ref().map_or("", |line| &line.text)),
        }
    }
}

impl Reading for Stream {
    fn line(&mut self, line: &Line, see: &mut dyn FnMut(Seen)) {
        if self.form != Form::Answer && self.words.len() <= WORDS_BYTES {
            self.words.push_str(&line.text);
            self.words.push('\n');
        }
        if line.text.trim().is_empty() {
            return;
        }
        self.printed.push(line.text.as_bytes());
        self.printed.push(b"\n");
        // A line is a message once another one follows.
        if let Some(before) = self.last.replace(line.clone()) {
            see(Seen::Message { text: message(&before.text) });
        }
    }

    fn answer(&mut self, exit: &Exit) -> Result<Answer, Failed> {
        if !exit.status.is_success() {
            return Err(Failed::new(format!("the command {}", exit.status), exit, Cause::of_command(exit.status)));
        }
        self.answered().map_err(|misfit| {
            let (printed, complained) = (self.printed.to_string(), exit.stderr.to_string());
            let tail = [printed, complained].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
            Failed::misfit(format!("the command gave no answer: {misfit}"), tail)
        })
    }

    fn ignored_lines(&self) -> u64 {
        0
    }
}
