//! What is told of a turn while it goes on: the tools it uses, that its stream is alive, and how far the job is.
//!
//! It is told on a thread of its own, so that a slow store does not hold up the program. Uses of tools are gathered for a
//! moment and told together; none is lost, also not at the end.
#![expect(clippy::disallowed_methods, reason = "what is told is gathered for a moment, and not told too often")]

use std::{
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    thread::Scope,
    time::{Duration, Instant},
};

use baton_app::Failure;
use baton_core::{
    job::Progress,
    time::Ttl,
    turn::{StreamStatus, ToolState, ToolUse, TurnId},
};

use crate::{
    desk::may_pass,
    executor::{self, Seen},
    work::Work,
};

/// How long uses of tools are gathered.
const GATHER: Duration = Duration::from_millis(300);
/// How often it is told at the most that the stream is alive.
const NOTE_EVERY: Duration = Duration::from_secs(1);
/// How long a stream is silent before it counts as waiting.
const SILENCE: Duration = Duration::from_secs(1);
/// How long to wait before something that failed is tried again.
const RETRY: Duration = Duration::from_secs(1);
/// Most uses that are told at once.
const USES_MAX: usize = 100;
/// How much may wait to be told.
const WAITING: usize = 1_000;

/// Something that was seen.
enum Word {
    Used {
        name: String,
        detail: String,
        state: ToolState,
        at: Instant,
    },
    Session(String),
    /// The last line of output, and tokens of this turn where the program tells.
    Progress {
        line: Option<String>,
        tokens: Option<u64>,
    },
    /// The program printed something, and is at this now.
    Alive(StreamStatus),
}

/// Hands on what is seen. Dropped, it ends the telling.
pub(crate) struct Teller(SyncSender<Word>);

impl Teller {
    /// Begins to tell of a turn, until it is dropped; the scope ends when all is told.
    pub(crate) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        work: &'scope Work<'scope>,
        turn: TurnId,
        (provider, slice): (&'static str, SliceStart),
    ) -> Self {
        let (send, words) = sync_channel(WAITING);
        let (uses, batch) = (Vec::new(), (0, Vec::new()));
        let first = Progress { slice: Some(slice.number), tokens: slice.tokens(0), ..Progress::default() };
        let progress = Some(first);
        let telling =
            Telling { work, turn, provider, slice, session: None, uses, batch, told: None, noted: None, progress };
        scope.spawn(move || telling.run(&words));
        Self(send)
    }

    /// Takes what was seen.
    pub(crate) fn see(&self, seen: &Seen) {
        let status = match seen {
            Seen::Tool { name, detail, state } => {
                let (name, detail, state) = (name.clone(), detail.clone(), stated(*state));
                let line = Some(format!("{name} {detail}"));
                self.say(Word::Progress { line, tokens: None });
                self.say(Word::Used { name, detail, state, at: Instant::now() });
                if state == ToolState::Started { StreamStatus::Reading } else { StreamStatus::Writing }
            }
            Seen::Session { id } => {
                self.say(Word::Session(id.clone()));
                StreamStatus::Writing
            }
            Seen::Retrying { message } => {
                self.say(Word::Progress { line: Some(message.clone()), tokens: None });
                StreamStatus::Reading
            }
            Seen::Message { text } | Seen::Problem { message: text } => {
                self.say(Word::Progress { line: Some(text.clone()), tokens: None });
                StreamStatus::Writing
            }
            Seen::Usage { input_tokens, output_tokens, .. } => {
                self.say(Word::Progress { line: None, tokens: Some(input_tokens.saturating_add(*output_tokens)) });
                StreamStatus::Writing
            }
        };
        self.say(Word::Alive(status));
    }

    /// Takes that the program printed something, whatever that means.
    pub(crate) fn alive(&self) {
        self.say(Word::Alive(StreamStatus::Writing));
    }

    fn say(&self, word: Word) {
        // The thread ends only when this is dropped.
        let _ = self.0.send(word);
    }
}

/// The slice that a turn is, and the tokens that the job had taken before it.
#[derive(Clone, Copy)]
pub(crate) struct SliceStart {
    pub(crate) number: u32,
    pub(crate) tokens_before: u64,
}

impl SliceStart {
    /// The tokens of the job, with those of this turn. None are told where none are known.
    fn tokens(self, of_turn: u64) -> Option<u64> {
        Some(self.tokens_before.saturating_add(of_turn)).filter(|tokens| *tokens > 0)
    }
}

/// A tool, what it was used with, how far that is, and when it was seen.
type Used = (String, String, ToolState, Instant);

struct Telling<'a> {
    work: &'a Work<'a>,
    turn: TurnId,
    provider: &'static str,
    slice: SliceStart,
    session: Option<String>,
    uses: Vec<Used>,
    /// What is being told, and which telling it is: said again after a lost answer, it is the same.
    batch: (u32, Vec<ToolUse>),
    /// When uses were last told.
    told: Option<Instant>,
    /// What was last noted of the stream, and when.
    noted: Option<(StreamStatus, Instant)>,
    /// How far the job is, as far as that was not told yet.
    progress: Option<Progress>,
}

impl Telling<'_> {
    fn run(mut self, words: &Receiver<Word>) {
        let mut status = StreamStatus::Writing;
        let mut active = Instant::now();
        loop {
            let word = match self.due(status, active) {
                Some(due) => words.recv_timeout(due.saturating_duration_since(Instant::now())),
                None => words.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match word {
                Ok(Word::Used { name, detail, state, at }) => self.uses.push((name, detail, state, at)),
                Ok(Word::Session(id)) => self.session = Some(id),
                Ok(Word::Progress { line, tokens }) => {
                    let tokens = tokens.and_then(|tokens| self.slice.tokens(tokens));
                    let newer = Progress { line, tokens, ..Progress::default() };
                    self.progress.get_or_insert_default().update(newer);
                }
                Ok(Word::Alive(now)) => (status, active) = (now, Instant::now()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if active.elapsed() >= SILENCE {
                status = StreamStatus::Reading;
            }
            self.tell(status, active);
        }
        self.finish();
    }

    /// When something is to be told, if nothing more is seen until then.
    fn due(&self, status: StreamStatus, active: Instant) -> Option<Instant> {
        let uses = self.uses.first().map(|used| used.3.max(self.told.unwrap_or(used.3)) + GATHER);
        let note = match self.noted {
            None => Some(active),
            Some((noted, at)) if noted != status || at < active => Some(at + NOTE_EVERY),
            // A stream that says nothing more waits for something.
            Some((StreamStatus::Writing, _)) => Some(active + SILENCE),
            Some(_) => None,
        };
        uses.into_iter().chain(note).min()
    }

    fn tell(&mut self, status: StreamStatus, active: Instant) {
        let now = Instant::now();
        let is_new = self.noted.is_none_or(|(noted, at)| noted != status || at < active);
        if is_new && self.noted.is_none_or(|(_, at)| now >= at + NOTE_EVERY) {
            self.noted = Some((status, now));
            // What cannot be noted now is out of date when it can.
            let _ = self.note(status);
            self.tell_progress();
        }
        let is_due = self.uses.first().is_some_and(|used| now >= used.3.max(self.told.unwrap_or(used.3)) + GATHER);
        if is_due || self.uses.len() >= USES_MAX {
            self.told = Some(now);
            // What is refused here is refused again, and heeded, when the turn is over.
            let _ = self.flush();
        }
    }

    /// Tells of all uses that were gathered. What could not be told is kept.
    fn flush(&mut self) -> Result<(), Failure> {
        loop {
            if self.batch.1.is_empty() {
                if self.uses.is_empty() {
                    return Ok(());
                }
                let now = self.work.desk.app.now()?;
                let used = |(name, detail, state, at): Used| ToolUse {
                    name,
                    detail,
                    state,
                    at: now.minus(Ttl::from_millis(at.elapsed().as_millis() as u64)),
                };
                let count = self.uses.len().min(USES_MAX);
                self.batch = (self.batch.0 + 1, self.uses.drain(..count).map(used).collect());
            }
            let (number, uses) = &self.batch;
            self.work.desk.use_tools(self.work.claimed, self.turn, *number, uses.clone())?;
            self.batch.1.clear();
        }
    }

    /// Tells what is left. A store that cannot be reached is waited for, as long as the job is ours.
    fn finish(&mut self) {
        let work = self.work;
        while let Err(failure) = self.flush() {
            if !may_pass(&failure) || work.lifeline.pause(RETRY).is_some() {
                break;
            }
        }
        if work.lifeline.cut().is_none() {
            let _ = self.note(StreamStatus::Closed);
            self.tell_progress();
        }
    }

    /// Tells how far the job is. It is told again with the next change, so a refusal costs nothing.
    fn tell_progress(&mut self) {
        if let Some(progress) = self.progress.take() {
            let _ = self.work.desk.tell_progress(self.work.claimed, progress);
        }
    }

    fn note(&self, status: StreamStatus) -> Result<(), Failure> {
        self.work.desk.note_stream(self.work.claimed, status, self.provider, self.session.as_deref())
    }
}

const fn stated(state: executor::ToolState) -> ToolState {
    match state {
        executor::ToolState::Started => ToolState::Started,
        executor::ToolState::Done => ToolState::Done,
        executor::ToolState::Failed => ToolState::Failed,
    }
}
