//! Waiting until others have answered or ended. What is waited for is the room's state, so a wait that ended too early is
//! simply begun again.

use std::time::Duration;

use baton_core::{
    agent::Former,
    code::ErrorCode,
    ids::{AgentId, RoomId, Seq},
    job::{Job, JobId, agent_of, job_of},
    limits,
    process::ProcessIdentity,
    reference::Reference,
    room::{Actor, Room},
    time::Timestamp,
};
use baton_store::{engine::Tx, envelopes, former, log, table, waits::Awaited};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    reason::{Sight, of_agent, of_job},
    record::OnRecord,
};
use crate::{
    App, Caller, Failure,
    bounds::first_line,
    commands::envelope::{known_as, sent},
    identity::require_own_id,
    table::{Effect, Place, Role, Tier, UseCase},
    watch::{Looked, Patience},
};

/// `wait.for`
pub struct WaitFor;

/// Whom to wait for.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitForInput {
    pub room_id: RoomId,
    /// Names, ids or jobs: until each has sent you an envelope since your last one to it
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// Until each has ended
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobId>,
    /// One of them is enough
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any: bool,
    /// Count envelopes after this message, not after your last one
    pub after: Option<Seq>,
    /// Up to 50000; default 0
    pub max_wait_ms: Option<u64>,
}

/// Who is done, and who is not and why.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct WaitForResult {
    pub room_id: RoomId,
    /// Whether what was waited for has happened.
    pub done: bool,
    /// Whether it will not happen any more.
    pub over: bool,
    pub ready: Vec<Ready>,
    pub pending: Vec<Pending>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Somebody who is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ready {
    pub who: String,
    /// What it said, in a line, or how the job ended.
    pub what: String,
    #[schemars(with = "Vec<String>")]
    pub refs: Vec<Reference>,
}

/// Somebody who is not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pending {
    pub who: String,
    pub why: String,
    pub since: Timestamp,
    /// Whether nothing comes of waiting any longer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over: bool,
}

impl UseCase for WaitFor {
    const NAME: &'static str = "wait.for";
    const PLACE: Place = Place::Tool("wait_for", Tier::Full);
    const EFFECT: Effect = Effect::Follow;
    const ABOUT: &'static str =
        "Wait for agents' answers and jobs' ends; says who is pending and why. Call again to go on waiting.";
    type Input = WaitForInput;
    type Output = WaitForResult;

    fn perform(app: &App, caller: &Caller, input: WaitForInput) -> Result<WaitForResult, Failure> {
        let patience = Patience::of(input.max_wait_ms)?;
        let count = input.agents.len() + input.jobs.len();
        if !(1..=limits::AWAITED).contains(&count) {
            let message = format!("Name 1 to {} agents and jobs to wait for, not {count}.", limits::AWAITED);
            return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "agents"));
        }
        let you = caller.actor();
        let mut on_record = None;
        let began = app.now()?;
        let look = |left: Duration| {
            let (found, awaited) = standing(app, &you, &input, began)?;
            if found.done || found.over || left.is_zero() {
                return Ok(Looked::Found(found));
            }
            let ends = awaited.processes.iter().filter_map(|process| app.probe.watch(process)).collect();
            // A viewer changes nothing, and is nobody whom others could keep waiting.
            if on_record.is_none() && caller.role() != Role::Viewer {
                on_record = Some(OnRecord::begin(app, &input.room_id, &you.agent_id, awaited.whom, left));
            }
            Ok(Looked::NotYet(ends))
        };
        let waited = app.wait_for_ends(caller, &input.room_id, patience, look);
        let is_away = waited.as_ref().is_err_and(|failure| failure.code == ErrorCode::StoreUnreachable);
        // A store that is away forgets it by itself, and is not waited for once more.
        if let Some(on_record) = on_record.flatten().filter(|_| !is_away) {
            on_record.end(app);
        }
        waited?.map_or_else(|| standing(app, &you, &input, began).map(|(found, _)| found), Ok)
    }
}

/// Who is still waited for, and by which processes it can be seen that nothing comes.
struct Pended {
    whom: Awaited,
    processes: Vec<ProcessIdentity>,
}

/// How it stands now.
fn standing(
    app: &App,
    caller: &Actor,
    input: &WaitForInput,
    began: Timestamp,
) -> Result<(WaitForResult, Pended), Failure> {
    let you = &caller.agent_id;
    app.store.read(|tx| {
        let room = app.room(tx, &input.room_id)?;
        let eyes = app.eyes(tx, &room)?;
        let sight = Sight { room: &room, witness: &eyes, now: tx.now()?, began };
        require_own_id(&room, sight.now, caller, &eyes)?;
        let (mut ready, mut pending) = (Vec::new(), Vec::new());
        let whom = Awaited { any: input.any, ..Awaited::default() };
        let mut pended = Pended { whom, processes: Vec::new() };
        for named in &input.agents {
            let agent = agent(tx, &room, named)?;
            if agent == *you {
                return Err(invalid("agents", format!("{named} is you; wait for somebody else")));
            }
            match answered(tx, &room, you, &agent, input.after)? {
                Answered::Yes(done) => ready.push(done),
                Answered::No { asked } => {
                    let reason = of_agent(tx, &sight, &agent, asked)?;
                    let who = known_as(tx, &room, &agent)?;
                    pending.push(Pending { who, why: reason.why, since: reason.since, over: reason.over });
                    pended.processes.extend(room.member(&agent).and_then(|member| member.process.clone()));
                    pended.whom.agents.push(agent);
                }
            }
        }
        for id in &input.jobs {
            let job = table::find::<Job>(tx, &room.id, id)?.ok_or_else(|| Failure::unknown_id(id))?;
            if job.status.is_active() {
                let reason = of_job(tx, &sight, &job)?;
                let who = id.to_string();
                pending.push(Pending { who, why: reason.why, since: reason.since, over: reason.over });
                let process = job.claim.and_then(|claim| claim.claimant.backing.process);
                pended.processes.extend(process.map(|process| *process));
                pended.whom.jobs.push(*id);
            } else {
                ready.push(ended(&job));
            }
        }
        let done = if input.any { !ready.is_empty() } else { pending.is_empty() };
        let mut lost = pending.iter().map(|pending| pending.over);
        let over = !done && if input.any { lost.all(|over| over) } else { lost.any(|over| over) };
        let next = match (done, over) {
            (true, _) => None,
            (false, true) => Some("Nothing comes of waiting for those that are `over`; go on without them."),
            (false, false) => Some("Call `wait_for` again to go on waiting."),
        };
        let next = next.map(str::to_owned);
        Ok((WaitForResult { room_id: room.id.clone(), done, over, ready, pending, next }, pended))
    })
}

/// Whether somebody has answered.
enum Answered {
    Yes(Ready),
    /// It was last sent something then.
    No {
        asked: Option<Timestamp>,
    },
}

fn answered(
    tx: &mut dyn Tx,
    room: &Room,
    you: &AgentId,
    agent: &AgentId,
    after: Option<Seq>,
) -> Result<Answered, Failure> {
    let asked = envelopes::last_between(tx, &room.id, (you, agent))?;
    let after = after.or(asked.as_ref().map(|posted| posted.seq)).unwrap_or_default();
    let Some(answer) = envelopes::first_between(tx, &room.id, (agent, you), after)? else {
        return Ok(Answered::No { asked: asked.map(|posted| posted.sent_at) });
    };
    let recorded = log::find(tx, &room.id, answer.seq)?;
    let said = recorded.as_ref().and_then(sent).map(|sent| first_line(&sent.envelope.payload.message));
    let refs = vec![Reference::Payload(answer.id)];
    Ok(Answered::Yes(Ready { who: known_as(tx, room, agent)?, what: said.unwrap_or_default(), refs }))
}

fn ended(job: &Job) -> Ready {
    let summary = job.summary.as_deref().map(|summary| format!(": {}", first_line(summary))).unwrap_or_default();
    let refs = std::iter::once(Reference::Job(job.id)).chain(job.refs.iter().cloned()).collect();
    Ready { who: job.id.to_string(), what: format!("{}{summary}", job.status), refs }
}

/// Who is meant: a member, the agent of a job, or somebody who has left.
fn agent(tx: &mut dyn Tx, room: &Room, named: &str) -> Result<AgentId, Failure> {
    if let Some(member) = room.named(named) {
        return Ok(member.agent_id.clone());
    }
    if let Ok(id) = named.parse::<JobId>() {
        return match table::find::<Job>(tx, &room.id, &id)? {
            Some(job) => Ok(agent_of(&room.id, job.id)),
            None => Err(Failure::unknown_id(id)),
        };
    }
    // Whoever left, or was retired while it was waited for, is answered for as such.
    let is_it = |former: &Former| former.name == named || former.agent_id.as_str() == named;
    if let Some(left) = former::all(tx, &room.id)?.into_iter().rev().find(is_it) {
        return Ok(left.agent_id);
    }
    let known: Option<AgentId> = named.parse().ok();
    let known = match known {
        Some(agent) if job_of(&agent).is_some() => Some(agent),
        Some(agent) => envelopes::of_agent(tx, &room.id, (&agent, envelopes::Way::Received), None, 1)?
            .into_iter()
            .next()
            .map(|_| agent),
        None => None,
    };
    known.ok_or_else(|| Failure::unknown_agent(named).with("field", "agents"))
}

fn invalid(field: &str, why: String) -> Failure {
    Failure::new(ErrorCode::InvalidInput, format!("{field}: {why}.")).with("field", field)
}
