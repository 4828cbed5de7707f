//! Facts about what references point to, from which the core decides whether they are proof of a job.

use baton_core::{
    event::Event,
    ids::{AgentId, RoomId, Seq},
    job::{
        self, Beginning, CommandRun, Commands, Evidence, Fact, Job, JobId, Proven, SHELL_TOOLS, Status, Verdict,
        agent_of,
    },
    library::{Artifact, ArtifactId, Card, Plan},
    reference::Reference,
    room,
    task::{self, Task},
    turn::{self, ToolState},
};
use baton_store::{engine::Tx, log, references, table, turns};

use crate::{App, Failure};

/// Most turns and events that are read for one decision. Commands that are older than these were not seen.
const TURNS: u32 = 1_000;
const EVENTS: u32 = 5_000;
/// Events of a job's thread that are read at a time.
const PAGE: u32 = 100;

impl App {
    /// Decides which of `refs` are proof of a job, for its runner. It also tells which of them lead somewhere.
    pub fn weigh(&self, room: &RoomId, id: JobId, refs: Vec<Reference>) -> Result<(Verdict, Vec<Reference>), Failure> {
        self.store.read(|tx| {
            let job = table::find::<Job>(tx, room, &id)?.ok_or_else(|| Failure::unknown_id(id))?;
            let evidence = gather(tx, room, &job, &refs)?;
            let leading = evidence.facts.iter().filter(|(_, fact)| *fact != Fact::Missing);
            let leading = leading.map(|(reference, _)| reference.clone()).collect();
            Ok((job.weigh(&evidence), leading))
        })
    }
}

/// How `refs` stand as proof of a job.
pub(crate) fn weigh(tx: &mut dyn Tx, room: &RoomId, job: &Job, refs: &[Reference]) -> Result<Vec<Proven>, Failure> {
    Ok(job.weigh(&gather(tx, room, job, refs)?).proof().to_vec())
}

/// How the refs of a job that is done stand, by the event that ended it.
pub(crate) fn recorded(tx: &mut dyn Tx, room: &RoomId, job: &Job) -> Result<Option<Vec<Proven>>, Failure> {
    if job.status != Status::Done {
        return Ok(None);
    }
    Ok(match log::find(tx, room, job.last.seq)?.map(|recorded| recorded.event) {
        Some(Event::Job(job::Event::Completed(ended))) => ended.proof,
        Some(_) | None => None,
    })
}

fn gather(tx: &mut dyn Tx, room: &RoomId, job: &Job, refs: &[Reference]) -> Result<Evidence, Failure> {
    let agent = agent_of(room, job.id);
    let began = log::first_claim(tx, room, job.id)?.map(|first| Beginning { seq: first.seq, at: first.at });
    let mut facts = Vec::with_capacity(refs.len());
    for (reference, leads) in refs.iter().zip(references::lead_somewhere(tx, room, refs)?) {
        let fact = if leads { find(tx, room, (job, &agent, began), reference)? } else { Fact::Missing };
        facts.push((reference.clone(), fact));
    }
    let has_commands = refs.iter().any(|reference| matches!(reference, Reference::Command(_)));
    let commands = match began {
        Some(began) if has_commands => commands(tx, room, (job.id, &agent), began.seq)?,
        Some(_) | None => Commands::Hidden,
    };
    let has_manager = job.last_manager > Seq(0);
    let manager = if has_manager { given_by_manager(tx, room, job.id)? } else { Vec::new() };
    Ok(Evidence { agent, began, facts, manager, commands })
}

/// What a reference that leads somewhere points to.
fn find(
    tx: &mut dyn Tx,
    room: &RoomId,
    (job, agent, began): (&Job, &AgentId, Option<Beginning>),
    reference: &Reference,
) -> Result<Fact, Failure> {
    let found = match reference {
        Reference::Card(id) => {
            table::find::<Card>(tx, room, id)?.map(|card| Fact::Written { by: card.created_by, seq: card.seq })
        }
        Reference::Plan(id) => {
            table::find::<Plan>(tx, room, id)?.map(|plan| Fact::Written { by: plan.created_by, seq: plan.seq })
        }
        Reference::Note(seq) => log::find(tx, room, *seq)?.and_then(|note| match note.event {
            Event::Room(room::Event::Noted(_)) => Some(Fact::Written { by: note.actor, seq: note.seq }),
            _ => None,
        }),
        // An empty file shows nothing.
        Reference::Artifact(_, number) => table::find::<Artifact>(tx, room, &ArtifactId(*number))?
            .filter(|file| file.bytes > 0)
            .map(|file| Fact::Kept { by: file.created_by, of: file.node, seq: file.seq }),
        Reference::Task(id) => match table::find::<Task>(tx, room, id)? {
            Some(task) => {
                let is_done = task.state == task::State::Done;
                let closed_here = is_done && is_closed_by(tx, room, (job, agent, began), task.id)?;
                Some(Fact::Task { by: task.created_by, at: task.created_at, closed_here })
            }
            None => None,
        },
        Reference::Job(id) | Reference::JobEvent(id, _) => table::find::<Job>(tx, room, id)?.map(|other| Fact::Job {
            by: other.lineage.parent.unwrap_or(other.created_by),
            status: other.status,
            seq: other.created_seq,
        }),
        _ => None,
    };
    Ok(found.unwrap_or(Fact::Other))
}

/// Whether those who work on a job closed a task since they began.
fn is_closed_by(
    tx: &mut dyn Tx,
    room: &RoomId,
    (job, agent, began): (&Job, &AgentId, Option<Beginning>),
    id: task::TaskId,
) -> Result<bool, Failure> {
    let Some(began) = began else { return Ok(false) };
    let claimant = job.claim.as_ref().map(|claim| &claim.claimant.agent);
    for maker in claimant.into_iter().chain([agent]) {
        let closed = log::of_actor(tx, room, (maker, "task.done"), began.seq, EVENTS)?;
        let is_it = |event: &Event| matches!(event, Event::Task(task::Event::Done(done)) if done.task == id);
        if closed.iter().any(|recorded| is_it(&recorded.event)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The commands that were seen in a job's turns, of all its claims.
fn commands(tx: &mut dyn Tx, room: &RoomId, (job, agent): (JobId, &AgentId), began: Seq) -> Result<Commands, Failure> {
    let played = turns::before(tx, room, turns::Which::Job(job), None, TURNS)?;
    let shows = |turn: &turn::Turn| turn.executor.is_some_and(job::Executor::shows_commands);
    if played.is_empty() || !played.iter().all(shows) {
        return Ok(Commands::Hidden);
    }
    let used = turns::events_back(tx, room, (agent, "turn.tools"), (began, Seq(u64::MAX)), EVENTS)?;
    let mut runs = Vec::new();
    for recorded in used.into_iter().rev() {
        let Event::Turn(turn::Event::ToolsUsed(used)) = recorded.event else { continue };
        let ended = used.uses.into_iter().filter(|used| SHELL_TOOLS.contains(&used.name.as_str()));
        runs.extend(ended.filter_map(|used| match used.state {
            ToolState::Started => None,
            ToolState::Done => Some(CommandRun { line: used.detail, succeeded: true }),
            ToolState::Failed => Some(CommandRun { line: used.detail, succeeded: false }),
        }));
    }
    Ok(Commands::Visible(runs))
}

/// What managers pointed to since proof was last found missing. What they said before that is guidance.
fn given_by_manager(tx: &mut dyn Tx, room: &RoomId, id: JobId) -> Result<Vec<Reference>, Failure> {
    let (mut given, mut before) = (Vec::new(), None);
    loop {
        let page = log::words_of_job_before(tx, room, id, before, PAGE)?;
        for recorded in &page {
            match &recorded.event {
                Event::Job(job::Event::ProofGate(_)) => return Ok(given),
                Event::Job(job::Event::Requeued(_)) => return Ok(Vec::new()),
                Event::Job(job::Event::Manager(said)) if said.proves => {
                    given.extend(said.refs.iter().filter(|reference| reference.can_prove(id)).cloned());
                }
                _ => {}
            }
        }
        match page.last() {
            Some(last) if page.len() == PAGE as usize => before = Some(last.seq),
            Some(_) | None => return Ok(Vec::new()),
        }
    }
}
