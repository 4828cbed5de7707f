//! Beginning a turn, which takes what waits in its agent's inbox, and ending it: what it consumed is accepted, or goes back.

use baton_core::{
    code::ErrorCode,
    ids::{AgentId, RoomId, Seq},
    inbox::{Category, Item},
    job::{Executor, Job, JobId, Shown, agent_of},
    lease::Fence,
    limits,
    turn::{self, Beginning, Ending, Outcome, Turn, TurnId, Under, Usage},
};
use baton_store::{inbox, turns};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Taken, TurnResult,
    speaker::{Meant, Speaker, result},
    taken,
};
use crate::{
    App, Caller, Failure,
    app::Request,
    bounds::Page,
    commands::jobs::shown,
    refs,
    table::{CONTEXT, Effect, Place, UseCase},
    unit::Change,
};

/// `context.turn.begin`
pub struct Begin;

/// Whose turn.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BeginInput {
    pub room_id: RoomId,
    /// The job it is for; without it, the turn is your own
    pub job: Option<JobId>,
    pub runner_id: Option<AgentId>,
    /// The job.revision of your claim
    pub claim_revision: Option<Fence>,
    /// With which program
    pub executor: Option<Executor>,
    /// Of messages of the bus only these, for whoever is asked there one thing at a time; default all that wait
    pub messages: Option<Vec<Seq>>,
    /// Most bytes of items, 1000 to 1000000; default 11000, for a job's runner 100000; the rest waits for the next turn
    pub max_bytes: Option<usize>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// A turn, and what it consumes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct BeginResult {
    pub room_id: RoomId,
    pub turn: TurnId,
    pub agent_id: AgentId,
    /// Which of that agent's turns, from one.
    pub number: u32,
    /// Interrupts first, then in the order of the log.
    pub items: Vec<Taken>,
    /// Whether more waits, for the next turn.
    pub has_more: bool,
    /// The turn before, if it was found to be lost: what it had is in this one again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<TurnId>,
    pub next: String,
}

impl UseCase for Begin {
    const NAME: &'static str = "context.turn.begin";
    const PLACE: Place = Place::Portal(&CONTEXT);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Begin a turn: take all that waits in your inbox, interrupts first.";
    type Input = BeginInput;
    type Output = BeginResult;

    fn perform(app: &App, caller: &Caller, input: BeginInput) -> Result<BeginResult, Failure> {
        let claim = claim(caller, &input)?;
        let most = most_bytes(&input, claim.as_ref().map(|(_, shown)| shown))?;
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| begin(change, claim.as_ref(), &input, most))
    }
}

/// The claim that is shown, if the turn is a job's.
fn claim(caller: &Caller, input: &BeginInput) -> Result<Option<(JobId, Shown)>, Failure> {
    let BeginInput { room_id, job, runner_id, claim_revision, .. } = input;
    if job.is_some() || caller.own_job_in(room_id).is_some() {
        return shown(caller, room_id, *job, runner_id.as_ref(), *claim_revision).map(Some);
    }
    let given = [("runner_id", runner_id.is_some()), ("claim_revision", claim_revision.is_some())];
    match given.iter().find(|(_, given)| *given) {
        Some((field, _)) => {
            let message = format!("{field}: goes with the job that the turn is for.");
            Err(Failure::new(ErrorCode::InvalidInput, message).with("field", *field))
        }
        None => Ok(None),
    }
}

fn most_bytes(input: &BeginInput, shown: Option<&Shown>) -> Result<usize, Failure> {
    let default = match shown {
        Some(shown) if !shown.is_own_agent() => limits::TURN_BYTES_OF_JOB,
        Some(_) | None => limits::TURN_BYTES,
    };
    let (most, range) = (input.max_bytes.unwrap_or(default), limits::TURN_BYTES_RANGE);
    if range.contains(&most) {
        return Ok(most);
    }
    let message = format!("max_bytes must be from {} to {}.", range.start(), range.end());
    Err(Failure::new(ErrorCode::InvalidLimit, message).with("field", "max_bytes"))
}

fn begin(
    change: &mut Change<'_>,
    claim: Option<&(JobId, Shown)>,
    input: &BeginInput,
    most: usize,
) -> Result<BeginResult, Failure> {
    change.require_open()?;
    let room_id = change.room.id.clone();
    let (agent, under, executor) = match claim {
        Some((job, shown)) => {
            let claimed = change.store.find::<Job>(job)?.cloned().ok_or_else(|| Failure::unknown_id(job))?;
            claimed.require_claim(shown)?;
            let under = Under { job: *job, revision: shown.revision, runner: shown.runner.clone() };
            let executor = claimed.claim.and_then(|claim| claim.executor);
            (agent_of(&room_id, *job), Some(under), input.executor.or(executor))
        }
        None => {
            change.require_known()?;
            (change.actor.agent_id.clone(), None, input.executor)
        }
    };
    let lost = change.lose_if_lost(&agent)?;
    let open = turns::open_of(change.store.tx()?, &change.room.id, &agent)?;
    let last = turns::before(change.store.tx()?, &room_id, turns::Which::Of(&agent), None, 1)?;
    let number = last.first().map_or(0, |turn| turn.number) + 1;
    let turn = turns::next(change.store.tx()?, &room_id)?;
    let found = match &input.messages {
        None => inbox::untaken(change.store.tx()?, &room_id, &agent, limits::TURN_ITEMS as u32 + 1)?,
        Some(messages) => chosen(change, &agent, messages)?,
    };
    let (waiting, mut page) = (found.len(), Page::of(most));
    let mut items = taken(change, &found[..waiting.min(limits::TURN_ITEMS)])?;
    let fitting = items.iter().take_while(|item| page.takes(item)).count();
    items.truncate(fitting);
    // What does not fit is not taken yet.
    let fits = |message| items.iter().any(|item: &Taken| item.message == message);
    let found: Vec<Item> = found.into_iter().filter(|item| fits(item.message)).collect();
    change.store.note(found.clone());
    let mut takes = turn::takes(&found);
    // One that was named may have been accepted over the bus, and is what the turn is about all the same.
    let is_named = |seq: &Seq| input.messages.as_ref().is_some_and(|messages| messages.contains(seq));
    let named = found.iter().map(|item| item.message).filter(is_named).filter(|seq| !takes.contains(seq));
    takes.extend(named.collect::<Vec<_>>());
    let beginning = Beginning { turn, agent: agent.clone(), number, items: takes, under, executor };
    change.record(beginning.decide(open.as_ref())?)?;
    let has_more = items.len() < waiting;
    let next = format!("Do what these ask; then say how it went: `context turn.end` {turn} with an outcome.");
    Ok(BeginResult { room_id, turn, agent_id: agent, number, items, has_more, lost, next })
}

/// What waits for an agent, but of messages of the bus only those that are named, also when it said there that it is at them.
fn chosen(change: &mut Change<'_>, agent: &AgentId, messages: &[Seq]) -> Result<Vec<Item>, Failure> {
    if messages.len() > limits::TURN_ITEMS {
        let message = format!("messages: at most {} are taken at once.", limits::TURN_ITEMS);
        return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "messages"));
    }
    let room = change.room.id.clone();
    let waiting = limits::RECEIVER_WAITING + limits::TURN_ITEMS + 1;
    let mut found = inbox::untaken(change.store.tx()?, &room, agent, waiting as u32)?;
    found.retain(|item| item.category != Category::Message);
    for message in messages {
        let own = inbox::of_message(change.store.tx()?, &room, *message)?.into_iter();
        for item in own.filter(|item| item.recipient == *agent && item.category == Category::Message) {
            // What a turn went well with is not consumed again.
            let had = match item.turn {
                Some(turn) => change.store.find::<Turn>(&turn)?,
                None => None,
            };
            if had.is_none_or(|turn| turn.outcome.is_some_and(|outcome| outcome != Outcome::Completed)) {
                found.push(item);
            }
        }
    }
    Ok(found)
}

/// `context.turn.end`
pub struct End;

/// How it ended.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndInput {
    pub room_id: RoomId,
    pub turn: TurnId,
    pub runner_id: Option<AgentId>,
    /// Of a job's turn: the job.revision of your claim
    pub claim_revision: Option<Fence>,
    /// completed, failed or interrupted
    pub outcome: Outcome,
    /// Why, where it did not go well
    pub why: Option<String>,
    /// The provider's name for the conversation
    pub session: Option<String>,
    /// Of an interrupted turn: its conversation goes on, so what it consumed need not be told again
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resumable: bool,
    #[serde(default)]
    pub usage: Usage,
    /// What it left behind: artifact://diff/1
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

impl UseCase for End {
    const NAME: &'static str = "context.turn.end";
    const PLACE: Place = Place::Portal(&CONTEXT);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "End a turn. What a failed one consumed goes back to the queue.";
    type Input = EndInput;
    type Output = TurnResult;

    fn perform(app: &App, caller: &Caller, input: EndInput) -> Result<TurnResult, Failure> {
        let ending = Ending {
            outcome: input.outcome,
            why: input.why.clone(),
            session: input.session.clone(),
            resumable: input.resumable,
            usage: input.usage,
            refs: refs::parse(&input.refs)?,
        };
        let meant = Meant { turn: input.turn, runner: input.runner_id.as_ref(), revision: input.claim_revision };
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            let speaker = Speaker::find(change, caller, &meant)?;
            let items = change.items_of_turn(&speaker.turn)?;
            let event = speaker.turn.end(speaker.voice(), &ending, items)?;
            refs::require(change.store.tx()?, &change.room.id, &ending.refs)?;
            change.record(event)?;
            if ending.outcome == Outcome::Completed {
                change.complete_actions_of(&speaker.turn.agent_id)?;
            }
            result(change, input.turn)
        })
    }
}
