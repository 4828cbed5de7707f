//! Resuming one session: its program is started with the wake as its prompt, in the session's own directory, and what it prints is
//! kept.
//!
//! The program is found and set up as for a job, and has the rights of one: nothing that a repository says is executed, and nobody
//! is there to be asked. It is no job, though. It works as the session's own agent, whose hooks guard it, and ends with the runner.

use std::time::Duration;

use baton_app::{Failure, artifacts::Keeping, hook::DueSession};
use baton_core::{library::ArtifactKind, reference::Reference};

use crate::{
    breaker::Breaker,
    circuit::{Attempt, ProgramFailure},
    desk::{Desk, may_pass},
    executor::{Cause, Executor, Failed, Form, Outcome, Played, Running, Seen, Session, Slice, harness},
    kept_output::KeptOutput,
    lifeline::Lifeline,
    process::Line,
    scratch::Scratch,
    settings::Settings,
    slice::server,
    told::Told,
};

/// How long to wait before the store is told again, doubled each time.
const RETRY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));
/// The name of the file with the program's output.
const OUTPUT: &str = "resume.log.txt";

/// A worker on one session.
pub(crate) struct Resumption<'a> {
    pub(crate) attempt: Attempt,
    pub(crate) desk: &'a Desk,
    pub(crate) settings: &'a Settings,
    pub(crate) due: &'a DueSession,
    pub(crate) lifeline: &'a Lifeline,
    pub(crate) told: &'a Told,
    pub(crate) breaker: &'a Breaker,
}

/// A resumption that is over.
#[derive(Default)]
struct Ended {
    failure: Option<String>,
    output: Option<Reference>,
}

impl Ended {
    fn failed(why: impl Into<String>) -> Self {
        Self { failure: Some(why.into()), ..Self::default() }
    }
}

impl Resumption<'_> {
    /// Resumes the session, and says how that ended.
    pub(crate) fn run(&self) {
        self.tell(&format!(
            "is resumed with {}: {}",
            self.due.harness,
            self.due.text.lines().next().unwrap_or_default()
        ));
        let ended = self.play();
        match (&ended.failure, &ended.output) {
            (Some(why), _) => self.tell(&format!("could not be resumed: {why}")),
            (None, Some(output)) => self.tell(&format!("is done; its output is {output}")),
            (None, None) => self.tell("is done"),
        }
        let mut pause = RETRY.0;
        while let Err(failure) = self.note(&ended) {
            // It is noted by nobody else, but a runner that is gone counts as done.
            if !may_pass(&failure) || self.lifeline.pause(pause).is_some() {
                return self.tell(&format!("ended, which could not be noted: {failure}"));
            }
            pause = (pause * 2).min(RETRY.1);
        }
    }

    fn note(&self, ended: &Ended) -> Result<(), Failure> {
        let (desk, agent) = (self.desk, &self.due.agent_id);
        desk.app.end_resumption(&desk.caller, &desk.room, agent, ended.failure.as_deref(), ended.output.as_ref())
    }

    fn play(&self) -> Ended {
        let found = self
            .settings
            .executors
            .iter()
            .find(|executor| harness(executor.kind()).is_some_and(|harness| harness.slug() == self.due.harness));
        let Some(executor) = found else { return Ended::failed(format!("{} is not there", self.due.harness)) };
        // It becomes an argument.
        let Some(session) = Session::parse(&self.due.conversation) else {
            return Ended::failed("its program has another form of ids now");
        };
        self.breaker.begin(executor.kind(), self.attempt);
        let mut log = KeptOutput::default();
        match self.start(executor, session, &mut log) {
            Ok(played) => {
                let failure = self.failure(executor, &played);
                let complaints = played.exit.stderr.to_string();
                if !complaints.trim().is_empty() {
                    log.push(&format!("--- standard error ---\n{complaints}"));
                }
                Ended { failure, output: self.keep(&log) }
            }
            Err(error) => Ended::failed(format!("{} could not be started: {error}", self.due.harness)),
        }
    }

    fn start(&self, executor: &Executor, session: Session, log: &mut KeptOutput) -> std::io::Result<Played> {
        let settings = self.settings;
        let scratch = Scratch::new(&settings.scratch)?;
        let slice = Slice {
            prompt: self.due.text.clone(),
            form: Form::Words,
            cwd: self.due.directory.clone(),
            profile: None,
            model: None,
            resume: Some(session),
            scratch: scratch.path().to_owned(),
            server: Some(server(settings, scratch.path())?),
            read_only: false,
        };
        let inherited = executor.inherited(&settings.environment, &settings.env);
        let running = Running::start(executor, &slice, &inherited, settings.limits, None, &settings.own_program)?;
        self.lifeline.attach(running.halt());
        let played = running.finish(
            |line: &Line| log.push(&line.text),
            |seen| {
                // A model that has a tool used does answer.
                if matches!(seen, Seen::Tool { .. }) {
                    self.breaker.close(executor.kind());
                }
            },
        );
        self.lifeline.detach();
        Ok(played)
    }

    /// The reason why the session did not go on, if so. What its model says in the end is its own business.
    fn failure(&self, executor: &Executor, played: &Played) -> Option<String> {
        match &played.outcome {
            Outcome::Answered(_) => {
                self.breaker.close(executor.kind());
                None
            }
            Outcome::Failed(_) if played.exit.status.is_success() => None,
            Outcome::Failed(failed) => {
                self.count(executor, failed);
                let said = failed.tail.trim();
                Some(if said.is_empty() { failed.why.clone() } else { format!("{}: {said}", failed.why) })
            }
            Outcome::TimedOut => {
                let minutes = self.settings.limits.slice.as_secs() / 60;
                Some(format!("it was stopped after {minutes} minutes"))
            }
            Outcome::Stopped => Some("its runner ended".to_owned()),
        }
    }

    fn count(&self, executor: &Executor, failed: &Failed) {
        if let (Cause::Program(kind), Ok(now)) = (failed.cause, self.desk.app.now()) {
            let message = failed.why.clone();
            let failure = ProgramFailure { executor: executor.kind(), kind, message, attempt: self.attempt };
            self.breaker.fail(now, &failure);
        }
    }

    /// Keeps what the program printed, where a person finds it.
    fn keep(&self, log: &KeptOutput) -> Option<Reference> {
        let content = log.whole();
        if content.is_empty() {
            return None;
        }
        let keeping = Keeping {
            kind: ArtifactKind::Log,
            name: OUTPUT,
            content: content.as_bytes(),
            proof: None,
            turn: None,
            patch: None,
        };
        match self.desk.app.keep_artifact(&self.desk.caller, &self.desk.room, &keeping) {
            Ok(kept) => Some(kept),
            Err(failure) => {
                self.tell(&format!("ended, and its output could not be kept: {failure}"));
                None
            }
        }
    }

    fn tell(&self, text: &str) {
        self.told.line(&format!("{} ({}) {text}", self.due.name, self.due.agent_id));
    }
}
