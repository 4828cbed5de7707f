//! Whether an agent is there: one word with its reason, for every surface.
//!
//! The word is a function of plain facts and of nothing else. Streams, lists, pages and events all ask it, so that no two
//! of them can disagree about one agent at one moment. [`super::Presence`], the scope contract's word, is derived from
//! the last call and the process too, and answers another question: whether an agent's reservations are still its own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Presence, StaleAfter};
use crate::{
    job::{Job, Status},
    process::{Liveness, Proof},
    time::Timestamp,
    turn::{Outcome, Turn, TurnId},
    words::words,
};

words! {
    /// Whether an agent is there.
    ConnectionState {
        /// Its stream is served, or it is in a turn.
        Connected "connected",
        /// It is there and waits.
        Idle "idle",
        /// Its stream ended, or nothing is heard from it; it may come back.
        Disconnected "disconnected",
        /// It is proven not to be there any more.
        Gone "gone",
    }
}

/// The word for an agent, and its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ConnectionStatus {
    /// The word.
    pub state: ConnectionState,
    /// The reason, in plain words.
    pub why: String,
}

/// The stream on which an agent's actions are pushed to its runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuntimeStream<'a> {
    /// The agent never had one.
    None,
    /// A server serves it.
    Served,
    /// It ended.
    Ended {
        /// The time of the end. It is not known when the server ended without a word.
        at: Option<Timestamp>,
        /// The reason of the end.
        why: &'a str,
    },
}

/// Somebody or something that does an agent's work.
#[derive(Clone, Copy, Debug)]
pub enum Worker<'a> {
    /// A process.
    Process {
        /// Its liveness.
        liveness: &'a Liveness,
        /// Whether the agent has the room's stick.
        holds_stick: bool,
        /// The run that the agent is in.
        run: Option<TurnId>,
    },
    /// Whichever runner has claimed the job. The process that last called for it proves nothing.
    Job {
        /// The job.
        job: &'a Job,
        /// Its newest run.
        newest: Option<&'a Turn>,
        /// Whether the output of that run was seen to end.
        output_ended: bool,
    },
}

/// Facts that an agent's connection is derived from.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionFacts<'a> {
    /// The time of the look.
    pub now: Timestamp,
    /// Whether the room is closed.
    pub room_closed: bool,
    /// The agent's last call.
    pub last_seen_at: Timestamp,
    /// The silence after which an agent does not count as there, unless its process is seen.
    pub stale_after: StaleAfter,
    /// The stream of its runtime.
    pub stream: RuntimeStream<'a>,
    /// The process, or the job, behind it.
    pub worker: Worker<'a>,
}

impl ConnectionStatus {
    fn new(state: ConnectionState, why: impl Into<String>) -> Self {
        Self { state, why: why.into() }
    }

    /// The status of an agent that is no member any more: it left, or was `retired` because its process is gone.
    pub fn left(retired: bool) -> Self {
        Self::new(ConnectionState::Gone, if retired { "its process has exited" } else { "it is no longer a member" })
    }

    /// The status in words, as of somebody: `it is gone: its process has exited`.
    pub fn told(&self) -> String {
        format!("it is {}: {}", self.state, self.why)
    }

    /// The status of an agent that is no member, and perhaps never was one.
    pub fn stranger() -> Self {
        Self::new(ConnectionState::Disconnected, "it is no member of the room")
    }
}

impl ConnectionFacts<'_> {
    /// The word for the agent, and its reason.
    pub fn status(&self) -> ConnectionStatus {
        match self.worker {
            Worker::Process { liveness, holds_stick, run } => self.of_process(liveness, holds_stick, run),
            Worker::Job { job, newest, output_ended } => self.of_job(job, newest, output_ended),
        }
    }

    fn of_process(&self, liveness: &Liveness, holds_stick: bool, run: Option<TurnId>) -> ConnectionStatus {
        use ConnectionState::{Connected, Disconnected, Gone, Idle};
        let turn = match run {
            Some(run) => Some(format!("{run} goes on")),
            None => holds_stick.then(|| "it holds the stick".to_owned()),
        };
        let is_active = self.stale_after.presence(self.last_seen_at, self.now, liveness) == Presence::Active;
        let bound = self.stale_after;
        let is_alive = *liveness == Liveness::Alive;
        let silent_since_end = self.silent_since_end(self.last_seen_at);
        let (state, why) = match (turn, silent_since_end) {
            // Proof beats everything else.
            _ if liveness.is_gone() => (Gone, departed(liveness).to_owned()),
            _ if self.room_closed => (Disconnected, CLOSED.to_owned()),
            _ if self.stream == RuntimeStream::Served => (Connected, SERVED.to_owned()),
            // A live process in its turn is at work, even if its stream ended.
            (Some(turn), _) if is_alive => (Connected, turn),
            (_, Some(why)) => (Disconnected, why),
            (Some(turn), None) if is_active => (Connected, turn),
            // The reason names the bound and not the silence itself, which would differ with every look.
            (_, None) if !is_active && !is_alive => {
                (Disconnected, format!("nothing is known of its process, and it has been silent for {bound} or more"))
            }
            (_, None) if !is_active => (Idle, format!("its process runs, and it has been silent for {bound} or more")),
            (_, None) => (Idle, "it is there and waits".to_owned()),
        };
        ConnectionStatus { state, why }
    }

    fn of_job(&self, job: &Job, newest: Option<&Turn>, output_ended: bool) -> ConnectionStatus {
        use ConnectionState::{Connected, Disconnected, Gone, Idle};
        let id = job.id;
        let open = newest.filter(|run| run.is_open());
        let broken = newest.filter(|run| matches!(run.outcome, Some(Outcome::Failed | Outcome::Lost)));
        // The runner speaks for the job's agent, by renewing its claim too.
        let silent_since_end = self.silent_since_end(self.last_seen_at.max(job.active_at));
        let (state, why) = match (job.status, silent_since_end) {
            (Status::Done | Status::Failed | Status::Canceled, _) => (Gone, format!("{id} is {}", job.status)),
            _ if self.room_closed => (Disconnected, CLOSED.to_owned()),
            (Status::Queued, _) => (Disconnected, broken.map_or_else(|| format!("no runner has {id}"), ended)),
            (Status::Running, _) if job.is_stale(self.now) => {
                (Disconnected, format!("its runner fell silent: the claim on {id} ran out"))
            }
            // Its runner serves the stream, and ends it when it gives the job back: no run goes on after that.
            (Status::Running, Some(why)) => (Disconnected, why),
            (Status::Running, None) => match (open, broken) {
                (Some(run), _) if !output_ended => (Connected, format!("{} goes on", run.id)),
                _ if self.stream == RuntimeStream::Served => (Connected, SERVED.to_owned()),
                (Some(run), _) => (Idle, format!("{} ends: its stream is closed", run.id)),
                (None, Some(run)) => (Disconnected, ended(run)),
                (None, None) => (Idle, "it waits for its next turn".to_owned()),
            },
        };
        ConnectionStatus { state, why }
    }

    /// The reason why the end of the stream counts: nothing was heard from the agent since.
    fn silent_since_end(&self, last_heard_at: Timestamp) -> Option<String> {
        match self.stream {
            RuntimeStream::Ended { at, why } if at.is_none_or(|at| last_heard_at <= at) => {
                Some(format!("its stream ended: {why}"))
            }
            RuntimeStream::Ended { .. } | RuntimeStream::Served | RuntimeStream::None => None,
        }
    }
}

const CLOSED: &str = "the room is closed";
const SERVED: &str = "its runtime is connected";

const fn departed(liveness: &Liveness) -> &'static str {
    match liveness.proof() {
        Some(Proof::Rebooted) => "its process is gone: its machine has booted since",
        Some(Proof::Exited | Proof::Zombie | Proof::PidReused) | None => "its process has exited",
    }
}

/// The end of a run that did not go well.
fn ended(run: &Turn) -> String {
    let why = run.why.as_deref().map(|why| format!(": {}", why.lines().next().unwrap_or_default()));
    let how = if run.outcome == Some(Outcome::Lost) { "was lost" } else { "failed" };
    format!("{} {how}{}", run.id, why.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        claimant::Backing,
        event::{Event, Recorded},
        ids::{AgentId, Seq},
        job::{Claiming, Force, JobId},
        lease::Fence,
        part::Rows,
        time::Ttl,
        turn::{Beginning, Under},
    };

    const CUT: RuntimeStream<'_> = RuntimeStream::Ended { at: Some(Timestamp::from_millis(60_000)), why: "it hung up" };
    const ALIVE: Liveness = Liveness::Alive;
    const UNKNOWN: Liveness = Liveness::Unknown;
    const GONE: Liveness = Liveness::Gone(Proof::Exited);

    fn seconds(count: u64) -> Timestamp {
        Timestamp::from_millis(0).plus(Ttl::from_secs(count))
    }

    /// Facts of an agent that was last seen after a minute, looked at a second later.
    fn facts(liveness: &Liveness) -> ConnectionFacts<'_> {
        ConnectionFacts {
            now: seconds(61),
            room_closed: false,
            last_seen_at: seconds(60),
            stale_after: StaleAfter::default(),
            stream: RuntimeStream::None,
            worker: Worker::Process { liveness, holds_stick: false, run: None },
        }
    }

    fn in_run(liveness: &Liveness) -> ConnectionFacts<'_> {
        let worker = Worker::Process { liveness, holds_stick: false, run: Some(TurnId(1)) };
        ConnectionFacts { worker, ..facts(liveness) }
    }

    fn holding(liveness: &Liveness) -> ConnectionFacts<'_> {
        let worker = Worker::Process { liveness, holds_stick: true, run: None };
        ConnectionFacts { worker, ..facts(liveness) }
    }

    fn told(facts: &ConnectionFacts<'_>) -> String {
        let status = facts.status();
        format!("{}: {}", status.state, status.why)
    }

    #[test]
    fn proof_that_the_process_is_gone_beats_every_other_fact() {
        for worker in [facts(&GONE).worker, in_run(&GONE).worker, holding(&GONE).worker] {
            for stream in [RuntimeStream::None, RuntimeStream::Served, CUT] {
                for room_closed in [false, true] {
                    let found = ConnectionFacts { worker, stream, room_closed, ..facts(&GONE) };
                    assert_eq!(told(&found), "gone: its process has exited");
                }
            }
        }
        let rebooted = Liveness::Gone(Proof::Rebooted);
        assert_eq!(told(&facts(&rebooted)), "gone: its process is gone: its machine has booted since");
    }

    #[test]
    fn an_agent_is_connected_by_its_stream_or_by_a_turn_in_a_process_that_lives_or_called_lately() {
        for process in [&ALIVE, &UNKNOWN] {
            let served = ConnectionFacts { stream: RuntimeStream::Served, now: seconds(9_999_999), ..facts(process) };
            assert_eq!(told(&served), "connected: its runtime is connected");
            assert_eq!(told(&in_run(process)), "connected: TURN-1 goes on");
            assert_eq!(told(&holding(process)), "connected: it holds the stick");
        }
        let later = |found: ConnectionFacts<'_>| told(&ConnectionFacts { now: seconds(60 + 15 * 60), ..found });
        assert_eq!(later(in_run(&ALIVE)), "connected: TURN-1 goes on");
        let silent = "disconnected: nothing is known of its process, and it has been silent for 15m or more";
        assert_eq!([later(in_run(&UNKNOWN)), later(holding(&UNKNOWN)), later(facts(&UNKNOWN))], [silent; 3]);
    }

    #[test]
    fn a_stream_that_ended_counts_until_something_is_heard_again() {
        for process in [&ALIVE, &UNKNOWN] {
            let cut = ConnectionFacts { stream: CUT, ..facts(process) };
            assert_eq!(told(&cut), "disconnected: its stream ended: it hung up");
            let back = ConnectionFacts { last_seen_at: seconds(61), ..cut };
            assert_eq!(told(&back), "idle: it is there and waits");
            let undated = RuntimeStream::Ended { at: None, why: "its server is gone" };
            let lost = ConnectionFacts { stream: undated, last_seen_at: seconds(61), ..cut };
            assert_eq!(told(&lost), "disconnected: its stream ended: its server is gone");
        }
        assert_eq!(told(&ConnectionFacts { stream: CUT, ..in_run(&ALIVE) }), "connected: TURN-1 goes on");
        let unseen = ConnectionFacts { stream: CUT, ..in_run(&UNKNOWN) };
        assert_eq!(told(&unseen), "disconnected: its stream ended: it hung up");
    }

    #[test]
    fn an_agent_that_waits_is_idle_for_as_long_as_its_process_lives() {
        let at = |found: ConnectionFacts<'_>, count| told(&ConnectionFacts { now: seconds(count), ..found });
        let waits = "idle: it is there and waits";
        assert_eq!([at(facts(&ALIVE), 959), at(facts(&UNKNOWN), 959)], [waits; 2]);
        assert_eq!(at(facts(&ALIVE), 960), "idle: its process runs, and it has been silent for 15m or more");
        assert_eq!(
            at(facts(&UNKNOWN), 960),
            "disconnected: nothing is known of its process, and it has been silent for 15m or more"
        );
        let sooner = ConnectionFacts { stale_after: StaleAfter::minutes(1).unwrap(), ..facts(&UNKNOWN) };
        assert_eq!([at(sooner, 119), at(sooner, 120)].map(|told| told.contains("1m or more")), [false, true]);
    }

    #[test]
    fn everybody_who_is_not_proven_gone_is_disconnected_in_a_closed_room() {
        for stream in [RuntimeStream::None, RuntimeStream::Served, CUT] {
            for worker in [facts(&ALIVE).worker, in_run(&UNKNOWN).worker, holding(&ALIVE).worker] {
                let found = ConnectionFacts { room_closed: true, stream, worker, ..facts(&ALIVE) };
                assert_eq!(told(&found), "disconnected: the room is closed");
            }
        }
    }

    fn agent(name: &str) -> AgentId {
        name.parse().unwrap()
    }

    fn recorded(by: &str, event: impl Into<Event>) -> Recorded {
        Recorded {
            room_id: "room_1".parse().unwrap(),
            seq: Seq(1),
            at: seconds(60),
            actor: agent(by),
            overridden: false,
            turn: Fence(0),
            event: event.into(),
        }
    }

    /// A job that was queued after a minute.
    fn queued() -> Rows<Job> {
        let stored = r#"{"job":"JOB-001","title":"Mend it","prompt":"It rains in.","kind":"task","priority":"MEDIUM",
            "executor":"codex","isolation":"workspace"}"#;
        let mut jobs = Rows::of_new_room();
        jobs.apply(&recorded("ana", Event::read("job.created", stored).unwrap()));
        jobs
    }

    /// A job claimed for ten minutes.
    fn claimed() -> Rows<Job> {
        let mut jobs = queued();
        let runner = agent("r1");
        let claiming = Claiming {
            runner,
            ttl: Ttl::from_minutes(10),
            executor: None,
            allow_stale: false,
            force: Force::No,
            backing: Backing::default(),
            capability_sha256: None,
        };
        let event = jobs
            .nth(0)
            .claim(seconds(60), &claiming, &|_: &crate::process::ProcessIdentity| Liveness::Unknown)
            .unwrap();
        jobs.apply(&recorded("r1", event));
        jobs
    }

    fn run() -> Turn {
        let under = Some(Under { job: JobId(1), revision: Fence(1), runner: agent("r1") });
        let beginning =
            Beginning { turn: TurnId(1), agent: agent("bo"), number: 1, items: Vec::new(), under, executor: None };
        let mut turns = Rows::<Turn>::of_new_room();
        turns.apply(&recorded("r1", beginning.decide(None).unwrap()));
        turns.nth(0).clone()
    }

    fn of_job<'a>(jobs: &'a Rows<Job>, newest: Option<&'a Turn>, output_ended: bool) -> ConnectionFacts<'a> {
        let worker = Worker::Job { job: jobs.nth(0), newest, output_ended };
        ConnectionFacts { worker, ..facts(&UNKNOWN) }
    }

    #[test]
    fn a_jobs_agent_is_as_connected_as_its_claim_and_its_run() {
        let (queued, claimed, run) = (queued(), claimed(), run());
        assert_eq!(told(&of_job(&queued, None, false)), "disconnected: no runner has JOB-001");
        assert_eq!(told(&of_job(&claimed, None, false)), "idle: it waits for its next turn");
        assert_eq!(told(&of_job(&claimed, Some(&run), false)), "connected: TURN-1 goes on");
        assert_eq!(told(&of_job(&claimed, Some(&run), true)), "idle: TURN-1 ends: its stream is closed");
        let served = ConnectionFacts { stream: RuntimeStream::Served, ..of_job(&claimed, None, false) };
        assert_eq!(told(&served), "connected: its runtime is connected");
        let failed = Turn { outcome: Some(Outcome::Failed), why: Some("No ladder.\nNone.".to_owned()), ..run.clone() };
        assert_eq!(told(&of_job(&claimed, Some(&failed), false)), "disconnected: TURN-1 failed: No ladder.");
        let late = ConnectionFacts { now: seconds(660), ..of_job(&claimed, Some(&run), false) };
        assert_eq!(told(&late), "disconnected: its runner fell silent: the claim on JOB-001 ran out");
        let closed = ConnectionFacts { room_closed: true, ..of_job(&claimed, Some(&run), false) };
        assert_eq!(told(&closed), "disconnected: the room is closed");
    }

    #[test]
    fn a_jobs_agent_is_gone_with_its_job_and_not_with_a_runner() {
        let mut jobs = claimed();
        let canceled = jobs.nth(0).cancel("It is dry.").unwrap().unwrap();
        jobs.apply(&recorded("ana", canceled));
        for (stream, room_closed) in [(RuntimeStream::Served, false), (CUT, true), (RuntimeStream::None, false)] {
            let found = ConnectionFacts { stream, room_closed, ..of_job(&jobs, None, false) };
            assert_eq!(told(&found), "gone: JOB-001 is CANCELED");
        }
    }

    #[test]
    fn the_stream_of_a_jobs_agent_that_ended_counts_until_its_runner_is_heard_again() {
        let (jobs, run) = (claimed(), run());
        for newest in [None, Some(&run)] {
            let cut = ConnectionFacts { stream: CUT, ..of_job(&jobs, newest, false) };
            assert_eq!(told(&cut), "disconnected: its stream ended: it hung up");
        }
        let mut renewed = claimed();
        renewed.change(&JobId(1), |job| job.active_at = seconds(61));
        let back = ConnectionFacts { stream: CUT, ..of_job(&renewed, None, false) };
        assert_eq!(told(&back), "idle: it waits for its next turn");
    }
}
