//! One slice of a job, which is a turn of its agent: a program is started, watched, and what it leaves behind is kept.
#![expect(clippy::disallowed_methods, reason = "reports are not sent too often")]

use std::{
    fs::OpenOptions,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use baton_app::{Failure, commands::jobs::JobView, identity::BATON_JOB};
use baton_core::{
    code::ErrorCode,
    job::{ReportKind, Routing},
    library::ArtifactKind,
    reference::Reference,
    runner::TroubleKind,
    turn::{TurnId, Usage},
};
use serde_json::{Map, Value, json};

use crate::{
    desk::Said,
    executor::{
        Cause, Conversation, Executor, Failed, Form, Outcome, Running, Seen, Server, Session, Slice, ToolState,
    },
    kept_output::KeptOutput,
    place::{Before, Place},
    process::Line,
    prompt::Prompt,
    record::Prompted,
    scratch::Scratch,
    settings::Settings,
    spent::microusd,
    teller::{SliceStart, Teller},
    turn::Ended,
    work::{Halted, Work},
};

/// How often it is reported at the most that a model does not answer.
const REPORT_EVERY: Duration = Duration::from_secs(1);

/// What a slice came to, and what it left behind.
pub(crate) struct Kept {
    pub(crate) outcome: Outcome,
    pub(crate) session: Option<Session>,
    /// The files that were kept.
    pub(crate) refs: Vec<Reference>,
    /// What it took.
    pub(crate) usage: Usage,
    /// What is noted beside the job.
    pub(crate) meta: Map<String, Value>,
}

impl Kept {
    /// How the turn ended with it.
    pub(crate) fn ending(&self) -> Ended {
        let (outcome, why) = Ended::of(&self.outcome);
        let (session, usage, refs) = (self.session.clone(), self.usage, self.refs.clone());
        Ended { outcome, why, session, usage, refs }
    }
}

/// What a slice is played with.
pub(crate) struct Part {
    pub(crate) prompt: Prompt,
    pub(crate) form: Form,
    /// The conversation to go on with.
    pub(crate) resume: Option<Session>,
    /// Which slice of the job it is.
    pub(crate) number: u32,
    /// Which turn it is.
    pub(crate) turn: TurnId,
    /// What its agent is here for.
    pub(crate) role: String,
    /// The pack that is in its prompt.
    pub(crate) context_ref: Option<Reference>,
    /// Tokens that the job took before.
    pub(crate) tokens_before: u64,
}

/// Plays a slice.
pub(crate) fn play(work: &Work<'_>, place: &Place, job: &JobView, part: Part) -> Result<Kept, Halted> {
    let Part { prompt, form, resume, number, turn, role, context_ref, tokens_before } = part;
    let slice_start = SliceStart { number, tokens_before };
    let executor = choose(work, job)?;
    let scratch = Scratch::new(&work.settings.scratch).map_err(|error| failed("A directory", &error))?;
    let slice = Slice {
        prompt: prompt.sent(),
        form,
        cwd: place.path().to_owned(),
        profile: Some(profile(executor, job)),
        model: routing(job).and_then(|routing| Some(routing.model_for(executor.kind())?.to_owned())),
        resume,
        scratch: scratch.path().to_owned(),
        server: Some(jobs_server(work, scratch.path()).map_err(|error| failed("A file", &error))?),
        read_only: is_read_only(job),
    };
    let mut recording = Recording::new(work, number, turn);
    recording.keep(ArtifactKind::Prompt, "prompt.full.txt", prompt.full().as_bytes())?;
    recording.keep(ArtifactKind::Prompt, "prompt.blocks.json", prompt.record().as_bytes())?;
    let told = Prompted { role, context_ref, refs: recording.refs.clone() };
    work.patiently(|| work.desk.prompt(work.claimed, turn, &prompt, &told))?;
    let shown = if slice.resume.is_some() { "goes on" } else { "begins" };
    work.told.say(work.claimed.id(), &format!("slice {number} {shown} with {}", executor.kind()));
    let (before, running) = match start(work, place, executor, &slice)? {
        (before, Ok(running)) => (before, running),
        (_, Err(error)) => {
            let why = format!("{} could not be started: {error}", executor.kind());
            // A directory that is gone is this job's trouble, a program that is gone is everybody's.
            let is_jobs = !slice.cwd.is_dir();
            let cause = if is_jobs { Cause::Job } else { Cause::Program(TroubleKind::CannotStart) };
            let failed = Failed { why, tail: String::new(), conversation: Conversation::Doubtful, cause };
            let outcome = Outcome::Failed(failed);
            return Ok(recording.done(outcome, None));
        }
    };
    work.claimed.deadline.attach(running.halt());
    work.lifeline.attach(running.halt());
    let mut log = KeptOutput::default();
    // Whoever watches sees it as it comes. Without that the job is done all the same.
    let mut tail = work.desk.tail(work.claimed);
    let played = thread::scope(|scope| {
        let teller = Teller::start(scope, work, turn, (executor.kind().as_str(), slice_start));
        let on_line = |line: &Line| {
            log.push(&line.text);
            tail.take_if(|tail| tail.push(&line.text).is_err());
            teller.alive();
        };
        running.finish(on_line, |seen| {
            // A model that has a tool used does answer.
            if matches!(seen, Seen::Tool { .. }) {
                work.breaker.close(executor.kind());
            }
            recording.see(&seen);
            teller.see(&seen);
        })
    });
    work.lifeline.detach();
    work.claimed.deadline.detach();
    if work.lifeline.cut().is_some() {
        // Whatever it left is nobody's: the claim is gone, or the job is given back.
        return Ok(recording.done(Outcome::Stopped, None));
    }
    if played.exit.claim_ran_out {
        work.told.say(work.claimed.id(), "was stopped: its claim was not renewed in time");
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

/// Starts a program under the claim, once no program of an earlier claim is left, and tells how the place was before.
fn start(
    work: &Work<'_>,
    place: &Place,
    executor: &Executor,
    slice: &Slice,
) -> Result<(Before, io::Result<Running>), Halted> {
    let settings = &work.settings;
    let inherited = executor.inherited(&settings.environment, &settings.env);
    loop {
        let claim = work.await_turn()?;
        let before = place.before();
        match Running::start(executor, slice, &inherited, settings.limits, Some(claim), &settings.own_program) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {}
            // The answer tells whether the job is another's by now.
            Err(error) if error.kind() == io::ErrorKind::TimedOut => work.renew()?,
            started => return Ok((before, started)),
        }
    }
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
pub(crate) fn is_read_only(job: &JobView) -> bool {
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
fn jobs_server(work: &Work<'_>, scratch: &Path) -> io::Result<Server> {
    let mut server = server(work.settings, scratch)?;
    server.env.push((BATON_JOB.to_owned(), work.desk.assignment(work.claimed).reveal()));
    Ok(server)
}

/// Baton itself, for a program that the runner starts.
pub(crate) fn server(settings: &Settings, scratch: &Path) -> io::Result<Server> {
    let store = &settings.store;
    let mut env = store.env.clone();
    for file in &store.files {
        let path = scratch.join(file.variable.to_ascii_lowercase());
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?.write_all(&file.content)?;
        env.retain(|(name, _)| *name != file.variable);
        env.push((file.variable.clone(), path.display().to_string()));
    }
    let args = ["mcp", "--no-runner-autostart"].map(str::to_owned).into_iter().chain(store.args.iter().cloned());
    Ok(Server { command: settings.server_program.clone(), args: args.collect(), env })
}

/// What is seen of a program, as it is told and kept.
struct Recording<'a> {
    work: &'a Work<'a>,
    turn: TurnId,
    transcript: KeptOutput,
    reported: Option<Instant>,
    refs: Vec<Reference>,
    usage: Usage,
    meta: Map<String, Value>,
}

impl<'a> Recording<'a> {
    fn new(work: &'a Work<'a>, number: u32, turn: TurnId) -> Self {
        let meta = Map::from_iter([("slices".to_owned(), json!(number))]);
        let (transcript, usage) = (KeptOutput::default(), Usage::default());
        Self { work, turn, transcript, reported: None, refs: Vec::new(), usage, meta }
    }

    fn done(self, outcome: Outcome, session: Option<Session>) -> Kept {
        Kept { outcome, session, refs: self.refs, usage: self.usage, meta: self.meta }
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
            Seen::Usage { input_tokens, cached_tokens, output_tokens, cost_usd } => {
                self.usage = Usage {
                    input_tokens: *input_tokens,
                    cached_tokens: *cached_tokens,
                    output_tokens: *output_tokens,
                    cost_microusd: cost_usd.map(microusd),
                };
                return;
            }
            Seen::Message { .. } | Seen::Problem { .. } | Seen::Tool { state: ToolState::Started, .. } => return,
        };
        self.work.told.say(self.work.claimed.id(), &told);
        let is_waiting = matches!(seen, Seen::Retrying { .. });
        if is_waiting && self.reported.is_none_or(|last| last.elapsed() >= REPORT_EVERY) {
            self.reported = Some(Instant::now());
            // What is refused here is refused again, and heeded, when the slice is over.
            let _ = self.work.desk.report(self.work.claimed, Said::new(ReportKind::Progress, told));
        }
    }

    fn keep(&mut self, kind: ArtifactKind, name: &str, content: &[u8]) -> Result<(), Halted> {
        if content.is_empty() {
            return Ok(());
        }
        let (work, turn) = (self.work, self.turn);
        self.refs.push(work.patiently(|| work.desk.keep(work.claimed, turn, (kind, name), content, None))?);
        Ok(())
    }

    /// Keeps what changed. One of a worktree is kept also when it is empty, where an earlier one was not.
    fn keep_diff(&mut self, place: &Place, before: &Before) -> Result<(), Halted> {
        let (work, turn) = (self.work, self.turn);
        let job = work.claimed.id();
        let lost = match place.changes(before) {
            Ok(changes) => {
                if let Some(diff) = changes.diff {
                    let (file, origin) = ((ArtifactKind::Diff, "diff.patch"), diff.origin.as_ref());
                    let kept = work.patiently(|| work.desk.keep(work.claimed, turn, file, &diff.content, origin))?;
                    self.refs.push(kept);
                }
                if changes.left_out.is_empty() {
                    return Ok(());
                }
                format!(
                    "not all that it changed is in the patch: {} is a git repository of its own or cannot be read. To keep its \
                     files, send the job back (`baton job send-back {job}`) and have it remove the .git there.",
                    named(&changes.left_out)
                )
            }
            Err(error) => format!(
                "what it changed could not be kept: {}. Send the job back (`baton job send-back {job}`) to have it done again, in a \
                 worktree whose .git stays as it is.",
                short(&error.to_string(), ERROR_CHARS)
            ),
        };
        work.told.say(job, &lost);
        work.report(Said::new(ReportKind::Error, lost))
    }

    fn keep_all(
        &mut self,
        log: &KeptOutput,
        place: &Place,
        before: &Before,
        (outcome, form): (&Outcome, Form),
    ) -> Result<(), Halted> {
        self.keep(ArtifactKind::Log, "log.txt", log.whole().as_bytes())?;
        self.keep(ArtifactKind::Transcript, "transcript.jsonl", self.transcript.whole().clone().as_bytes())?;
        self.keep_diff(place, before)?;
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

/// The most that a message quotes of an error, and of a path: the message is bounded, and has to say what to do.
const ERROR_CHARS: usize = 150;
const PATH_CHARS: usize = 40;
const PATHS_NAMED: usize = 3;

/// The first of some paths.
fn named(paths: &[String]) -> String {
    let shown: Vec<String> = paths.iter().take(PATHS_NAMED).map(|path| short(path, PATH_CHARS)).collect();
    let more = paths.len().saturating_sub(PATHS_NAMED);
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn failed(what: &str, error: &io::Error) -> Failure {
    Failure::new(ErrorCode::Internal, format!("{what} for a slice could not be made: {error}."))
}
