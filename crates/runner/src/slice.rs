//! One slice of a job: a program is started, watched, and what it leaves behind is kept.
#![expect(clippy::disallowed_methods, reason = "reports are not sent too often")]

use std::{
    io,
    time::{Duration, Instant},
};

use baton_app::{Failure, commands::jobs::JobView, identity::BATON_JOB};
use baton_core::{
    code::ErrorCode,
    job::{ReportKind, Routing},
    library::ArtifactKind,
    reference::Reference,
};
use serde_json::{Map, Value, json};

use crate::{
    desk::Said,
    executor::{
        Conversation, Executor, Failed, Form, Outcome, Running, SERVER, Seen, Server, Session, Slice, ToolState,
    },
    place::{Before, Place},
    scratch::Scratch,
    work::{Halted, Work},
};

/// How much of a stream is kept.
const KEPT_BYTES: usize = 4 * 1024 * 1024;
/// How often the use of tools is reported at the most.
const REPORT_EVERY: Duration = Duration::from_secs(1);

/// What a slice came to, and what it left behind.
pub(crate) struct Kept {
    pub(crate) outcome: Outcome,
    pub(crate) session: Option<Session>,
    /// The files that were kept.
    pub(crate) refs: Vec<Reference>,
    /// What is noted beside the job.
    pub(crate) meta: Map<String, Value>,
}

/// What a slice is played with.
pub(crate) struct Part {
    pub(crate) prompt: String,
    pub(crate) form: Form,
    /// The conversation to go on with.
    pub(crate) resume: Option<Session>,
    /// Which slice of the job it is.
    pub(crate) number: u32,
}

/// Plays a slice.
pub(crate) fn play(work: &Work<'_>, place: &Place, job: &JobView, part: Part) -> Result<Kept, Halted> {
    let Part { prompt, form, resume, number } = part;
    let executor = choose(work, job)?;
    let scratch = Scratch::new(&work.settings.scratch).map_err(|error| failed("A directory", &error))?;
    let slice = Slice {
        prompt,
        form,
        cwd: place.path().to_owned(),
        profile: profile(executor, job),
        model: routing(job).and_then(|routing| routing.executor_model),
        resume,
        scratch: scratch.path().to_owned(),
        server: Some(server(work)),
        read_only: is_read_only(job),
    };
    let mut recording = Recording::new(work, number);
    recording.keep(ArtifactKind::Prompt, "prompt.txt", slice.prompt.as_bytes())?;
    let before = place.before();
    let shown = if slice.resume.is_some() { "goes on" } else { "begins" };
    work.told.say(work.claimed.id(), &format!("slice {number} {shown} with {}", executor.kind()));
    let running = match Running::start(executor, &slice, work.settings.limits, &work.settings.own_program) {
        Ok(running) => running,
        Err(error) => {
            let why = format!("{} could not be started: {error}", executor.kind());
            let failed = Failed { why, tail: String::new(), conversation: Conversation::Doubtful };
            let outcome = Outcome::Failed(failed);
            return Ok(recording.done(outcome, None));
        }
    };
    work.lifeline.attach(running.halt());
    let mut log = Stream::default();
    let played = running.finish(|line| log.push(&line.text), |seen| recording.see(&seen));
    work.lifeline.detach();
    if work.lifeline.cut().is_some() {
        // Whatever it left is nobody's: the claim is gone, or the job is given back.
        return Ok(recording.done(Outcome::Stopped, None));
    }
    if !played.exit.stuck.is_empty() {
        work.told
            .say(work.claimed.id(), &format!("left processes that cannot be ended: {}", played.exit.stuck.join(", ")));
    }
    if !played.exit.leaked.is_empty() {
        work.told.say(
            work.claimed.id(),
            &format!("left processes behind, which were ended: {}", played.exit.leaked.join(", ")),
        );
    }
    if played.ignored_lines > 0 {
        log.push(&format!("--- {} lines above meant nothing to the runner ---", played.ignored_lines));
    }
    let complaints = played.exit.stderr.to_string();
    if !complaints.trim().is_empty() {
        log.push(&format!("--- standard error ---\n{complaints}"));
    }
    recording.keep_all(&log, place, &before, (&played.outcome, form))?;
    Ok(recording.done(played.outcome, played.session))
}

/// The program that the job was claimed for.
pub(crate) fn choose<'a>(work: &Work<'a>, job: &JobView) -> Result<&'a Executor, Failure> {
    let found = work.settings.executors.iter().find(|executor| Some(executor.kind()) == job.claim_executor);
    found.ok_or_else(|| {
        let message = format!("{} was claimed for a program that this runner has not.", job.job);
        Failure::new(ErrorCode::Internal, message)
    })
}

/// Whether a job's agent may only look. It is said with the job, where nothing that was noted since can change it.
fn is_read_only(job: &JobView) -> bool {
    job.meta.get("grants").is_some_and(|grants| grants["read_only"] == Value::Bool(true))
}

/// What a job asks of whoever does it.
pub(crate) fn routing(job: &JobView) -> Option<Routing> {
    serde_json::from_value(Value::Object(job.meta.clone())).ok()
}

/// How much effort it gets: what it asks for, or the least that the program is set up for.
fn profile(executor: &Executor, job: &JobView) -> baton_core::job::Profile {
    let names = executor.profiles().names();
    let asked = routing(job).map(|routing| routing.profile()).filter(|asked| names.contains(asked));
    asked.or_else(|| names.first().copied()).unwrap_or(baton_core::job::Profile::Fast)
}

/// Baton itself, for the program to report to and ask, as its job's own agent.
fn server(work: &Work<'_>) -> Server {
    let store = &work.settings.store;
    let mut env = store.env.clone();
    env.push((BATON_JOB.to_owned(), work.desk.assignment(work.claimed).to_string()));
    let args = ["mcp", "--no-runner-autostart"].map(str::to_owned).into_iter().chain(store.args.iter().cloned());
    Server { command: work.settings.server_program.clone(), args: args.collect(), env }
}

/// A stream, as much of it as is kept.
#[derive(Default)]
struct Stream {
    text: String,
    lost: usize,
}

impl Stream {
    fn push(&mut self, line: &str) {
        if self.text.len() + line.len() < KEPT_BYTES {
            self.text.push_str(line);
            self.text.push('\n');
        } else {
            self.lost += line.len() + 1;
        }
    }

    fn whole(&self) -> String {
        match self.lost {
            0 => self.text.clone(),
            lost => format!("{}[{lost} more bytes were not kept]\n", self.text),
        }
    }
}

/// What is seen of a program, as it is told and kept.
struct Recording<'a> {
    work: &'a Work<'a>,
    number: u32,
    transcript: Stream,
    reported: Option<Instant>,
    refs: Vec<Reference>,
    meta: Map<String, Value>,
}

impl<'a> Recording<'a> {
    fn new(work: &'a Work<'a>, number: u32) -> Self {
        let meta = Map::from_iter([("slices".to_owned(), json!(number))]);
        Self { work, number, transcript: Stream::default(), reported: None, refs: Vec::new(), meta }
    }

    fn done(self, outcome: Outcome, session: Option<Session>) -> Kept {
        Kept { outcome, session, refs: self.refs, meta: self.meta }
    }

    /// Notes something that the program did, and tells it where somebody should know.
    fn see(&mut self, seen: &Seen) {
        if let Ok(line) = serde_json::to_string(seen) {
            self.transcript.push(&line);
        }
        let told = match seen {
            Seen::Tool { name, detail, state: ToolState::Done } => format!("used {name} {detail}"),
            Seen::Tool { name, detail, state: ToolState::Failed } => format!("used {name} {detail}, which failed"),
            Seen::Retrying { message } => format!("the model does not answer, trying again: {message}"),
            Seen::Session { id } => {
                self.meta.insert("session".to_owned(), json!(id));
                return;
            }
            Seen::Usage { input_tokens, output_tokens, cost_usd, .. } => {
                let usage = json!({"input_tokens": input_tokens, "output_tokens": output_tokens, "cost_usd": cost_usd});
                self.meta.insert("usage".to_owned(), usage);
                return;
            }
            Seen::Message { .. } | Seen::Problem { .. } | Seen::Tool { state: ToolState::Started, .. } => return,
        };
        self.work.told.say(self.work.claimed.id(), &told);
        if !is_ours(seen) && self.reported.is_none_or(|last| last.elapsed() >= REPORT_EVERY) {
            self.reported = Some(Instant::now());
            // What is refused here is refused again, and heeded, when the slice is over.
            let _ = self.work.desk.report(self.work.claimed, Said::new(ReportKind::Progress, told));
        }
    }

    fn keep(&mut self, kind: ArtifactKind, name: &str, content: &[u8]) -> Result<(), Halted> {
        if content.is_empty() {
            return Ok(());
        }
        let name = format!("slice-{}-{name}", self.number);
        let work = self.work;
        self.refs.push(work.patiently(|| work.desk.keep(work.claimed, kind, &name, content))?);
        Ok(())
    }

    fn keep_all(
        &mut self,
        log: &Stream,
        place: &Place,
        before: &Before,
        (outcome, form): (&Outcome, Form),
    ) -> Result<(), Halted> {
        self.keep(ArtifactKind::Log, "log.txt", log.whole().as_bytes())?;
        self.keep(ArtifactKind::Transcript, "transcript.jsonl", self.transcript.whole().clone().as_bytes())?;
        if let Some(diff) = place.diff(before) {
            self.keep(ArtifactKind::Diff, "diff.patch", diff.as_bytes())?;
        }
        if let Outcome::Answered(answer) = outcome {
            match form {
                Form::Answer => {
                    let report = serde_json::to_string_pretty(answer).unwrap_or_default();
                    self.keep(ArtifactKind::Report, "answer.json", report.as_bytes())?;
                }
                Form::Words | Form::Notes => {
                    self.keep(ArtifactKind::Report, "answer.txt", answer.summary.as_bytes())?
                }
            }
        }
        Ok(())
    }
}

/// Whether it is Baton's own tool that was used. What that did is in the log already, and an agent that waits there for an
/// answer must not be woken by its own waiting.
fn is_ours(seen: &Seen) -> bool {
    matches!(seen, Seen::Tool { name, .. } if name.split_once('.').is_some_and(|(server, _)| server == SERVER))
}

fn failed(what: &str, error: &io::Error) -> Failure {
    Failure::new(ErrorCode::Internal, format!("{what} for a slice could not be made: {error}."))
}
