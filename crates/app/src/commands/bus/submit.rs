//! Submitting ordered work to targets.

use std::collections::{HashMap, HashSet};

use baton_core::{
    bus::{
        self, Action, ActionDraft, BusId, Context, ContextDraft, Conversation, Draft, Kind, Known, Parent, Plan,
        Submission, Submitted, What, WhatDraft, place_of,
    },
    event::{Event, Recorded},
    ids::{AgentId, RoomId, Seq, event_id},
    inbox,
    job::{agent_of, job_of},
};
use baton_store::{
    bus::{self as store, Which},
    inbox as items, log,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    take::delivery,
    task::{canonical, lead_of},
};
use crate::{
    App, Caller, Failure,
    app::Request,
    bus::why_lost,
    table::{Access, BUS, Effect, Place, UseCase},
    unit::Change,
};

/// `bus.submit`
pub struct Submit;

/// What is to be done by whom, in order.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    /// What the actions belong to; yours to choose
    pub group_id: BusId,
    pub actions: Vec<ActionInput>,
    /// The conversation; default: a new one
    pub context: Option<ContextInput>,
    /// The task; default: the conversation's
    pub task_id: Option<BusId>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// Which conversation.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextInput {
    /// A new one begins a conversation of yours
    pub context_id: Option<BusId>,
    /// Who leads it, to make sure
    pub owner_id: Option<String>,
    /// The message that this follows from
    pub parent_message_id: Option<String>,
}

impl ContextInput {
    pub(super) fn draft(&self) -> ContextDraft {
        ContextDraft {
            context_id: self.context_id.clone(),
            owner_id: self.owner_id.clone(),
            parent_message_id: self.parent_message_id.clone(),
        }
    }
}

/// One action for one target.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActionInput {
    /// message or control
    #[serde(rename = "type")]
    pub sort: String,
    /// Id or name of the target
    pub dst: String,
    /// Unique in the session
    pub action_id: BusId,
    /// Its place in the group
    pub action_index: u32,
    /// Of a message: user or reply
    pub kind: Option<String>,
    /// Of a message
    pub text: Option<String>,
    /// Of a reply: the action that it answers
    pub reply_to_action_id: Option<BusId>,
    /// Of a message: how to go about it
    pub plan: Option<Plan>,
    /// Of a control: new, compact, interrupt or review
    pub command: Option<String>,
    /// Of a review: instructions
    pub args: Option<String>,
}

impl ActionInput {
    fn draft(&self) -> ActionDraft {
        ActionDraft {
            dst: self.dst.clone(),
            action_id: self.action_id.clone(),
            action_index: self.action_index,
            what: WhatDraft {
                sort: self.sort.clone(),
                kind: self.kind.clone(),
                text: self.text.clone(),
                reply_to_action_id: self.reply_to_action_id.clone(),
                plan: self.plan.clone(),
                command: self.command.clone(),
                args: self.args.clone(),
            },
        }
    }
}

/// That they were submitted.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct SubmitResult {
    pub room_id: RoomId,
    pub group_id: BusId,
    pub context_id: BusId,
    pub owner_id: AgentId,
    pub task_id: BusId,
    /// In order.
    pub actions: Vec<SubmittedAction>,
}

/// An action that was submitted.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct SubmittedAction {
    pub action_id: BusId,
    pub action_index: u32,
    pub dst: AgentId,
    /// Its event, which is its place in the target's order.
    pub seq: Seq,
    pub message_id: String,
}

impl UseCase for Submit {
    const NAME: &'static str = "bus.submit";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("action.submit");
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::limited_for_jobs("controls jobs it created");
    const ABOUT: &'static str = "Submit ordered work: messages and control commands for agents of the session.";
    type Input = SubmitInput;
    type Output = SubmitResult;

    fn perform(app: &App, caller: &Caller, input: SubmitInput) -> Result<SubmitResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let draft = Draft {
            group_id: input.group_id.clone(),
            context: input.context.as_ref().map(ContextInput::draft),
            task_id: input.task_id.as_ref().map(canonical),
            actions: input.actions.iter().map(ActionInput::draft).collect(),
        };
        app.change(caller, &request, &input.room_id, |change| submit(change, caller, draft.clone()))
    }
}

/// Submits actions in a room that is being changed. What is asked of a target that is gone ends at once.
pub(super) fn submit(change: &mut Change<'_>, caller: &Caller, draft: Draft) -> Result<SubmitResult, Failure> {
    change.require_open()?;
    let known = known_of(change, &draft)?;
    let group_id = draft.group_id.clone();
    let events = Submission { draft }.decide(&change.room, change.actor, &known)?;
    for event in &events {
        require_control(change, caller, event)?;
    }
    let recorded = change.record(events)?;
    let submitted = recorded.iter().filter_map(|recorded| match &recorded.event {
        Event::Bus(bus::Event::Submitted(submitted)) => Some((recorded, submitted)),
        _ => None,
    });
    let submitted: Vec<_> = submitted.collect();
    let targets: HashSet<&AgentId> = submitted.iter().map(|(_, submitted)| &submitted.target).collect();
    let mut lost: HashMap<&AgentId, &str> = HashMap::new();
    for target in targets {
        lost.extend(why_lost(change.store.tx()?, &change.room, target, change.witness)?.map(|why| (target, why)));
    }
    for (_, submitted) in &submitted {
        let Some(why) = lost.get(&submitted.target) else { continue };
        if let Some(event) = store::action_by_id(change.store.tx()?, &change.room.id, &submitted.action_id)?
            .and_then(|action| action.fail(why))
        {
            change.as_bus(|change| change.record(event))?;
        }
    }
    let (_, first) = submitted.first().ok_or_else(|| crate::app::internal("a submission has an action"))?;
    Ok(SubmitResult {
        room_id: change.room.id.clone(),
        group_id,
        context_id: first.context.context_id.clone(),
        owner_id: first.context.owner_id.clone(),
        task_id: first.task_id.clone(),
        actions: submitted.iter().map(|(recorded, submitted)| told(recorded, submitted)).collect(),
    })
}

/// Refuses a job's agent that would control the agent of a job that it does not manage. Messages are everybody's to send.
fn require_control(change: &mut Change<'_>, caller: &Caller, event: &bus::Event) -> Result<(), Failure> {
    let bus::Event::Submitted(Submitted { target, what: What::Control { .. }, .. }) = event else { return Ok(()) };
    match job_of(target).filter(|job| agent_of(&change.room.id, *job) == *target) {
        Some(job) => change.managed_job(caller, job, "its manager controls it").map(|_| ()),
        None => Ok(()),
    }
}

/// Why nothing comes of what was asked of a target that is gone.
pub(crate) const GONE: &str = "its target's process is gone";

fn told(recorded: &Recorded, submitted: &Submitted) -> SubmittedAction {
    SubmittedAction {
        action_id: submitted.action_id.clone(),
        action_index: submitted.action_index,
        dst: submitted.target.clone(),
        seq: recorded.seq,
        message_id: event_id(&recorded.room_id, recorded.seq),
    }
}

fn known_of(change: &mut Change<'_>, draft: &Draft) -> Result<Known, Failure> {
    let mut taken = Vec::new();
    let mut replied: Vec<Action> = Vec::new();
    for action in &draft.actions {
        if store::action_by_id(change.store.tx()?, &change.room.id, &action.action_id)?.is_some() {
            taken.push(action.action_id.clone());
        }
        if let Some(answered) = &action.what.reply_to_action_id {
            replied.extend(store::action_by_id(change.store.tx()?, &change.room.id, answered)?);
        }
    }
    let named = known(change, draft.context.as_ref(), draft.task_id.as_ref())?;
    let names_none = draft.context.as_ref().is_none_or(|context| context.context_id.is_none());
    // What answers and names no conversation is in the one that its target got the message in.
    let conversation = match (named.conversation, replied.first().filter(|_| names_none)) {
        (None, Some(answered)) => {
            let said = message_at(change, answered.seq)?;
            said.and_then(|said| said.conversation)
        }
        (conversation, _) => conversation,
    };
    let group_owner = first_of_group(change, &draft.group_id)?.map(|first| first.sender);
    Ok(Known { taken, replied, conversation, group_owner, ..named })
}

/// The action that a group began with, if there is one of that name.
pub(super) fn first_of_group(change: &mut Change<'_>, group: &BusId) -> Result<Option<Action>, Failure> {
    let found = store::actions(change.store.tx()?, &change.room.id, Which::Group(group), Seq::default(), 1)?;
    Ok(found.into_iter().next())
}

/// The conversation, the parent and the task that are named, as far as they are known.
pub(super) fn known(
    change: &mut Change<'_>,
    context: Option<&ContextDraft>,
    task: Option<&BusId>,
) -> Result<Known, Failure> {
    let conversation = match context.and_then(|context| context.context_id.as_ref()) {
        Some(id) => change.store.find::<Conversation>(id)?.cloned(),
        None => None,
    };
    let parent = message(change, context.and_then(|context| context.parent_message_id.as_deref()))?;
    let task = match task {
        Some(task) => lead_of(change, task)?,
        None => None,
    };
    Ok(Known { conversation, parent, task, ..Known::default() })
}

/// The message of that id, if there is one in the session.
pub(super) fn message(change: &mut Change<'_>, id: Option<&str>) -> Result<Option<Parent>, Failure> {
    match id.and_then(|id| place_of(&change.room.id, id)) {
        Some(seq) => message_at(change, seq),
        None => Ok(None),
    }
}

/// The message at a place, as its target got it.
fn message_at(change: &mut Change<'_>, seq: Seq) -> Result<Option<Parent>, Failure> {
    let Some(recorded) = log::find(change.store.tx()?, &change.room.id, seq)? else { return Ok(None) };
    let (kind, depth, context) = match &recorded.event {
        Event::Bus(bus::Event::Submitted(submitted)) => {
            let kind = match submitted.what {
                What::Message { kind, .. } => kind,
                What::Control { .. } => Kind::Control,
            };
            (kind, submitted.depth, delivery(change, &recorded)?.map(|told| (told.context, told.task_id)))
        }
        Event::Bus(bus::Event::Messaged(messaged)) => {
            let told = (messaged.context.clone(), messaged.task_id.clone());
            (messaged.kind, messaged.depth, Some(told))
        }
        Event::Inbox(inbox::Event::Sent(_)) => (Kind::System, 0, None),
        _ => return Ok(None),
    };
    let conversation = context.map(|(Context { context_id, owner_id, .. }, task_id)| Conversation {
        context_id,
        owner: owner_id,
        task_id: Some(task_id),
        since: seq,
    });
    // Whose inbox has it by now: one that was adopted goes on as another's.
    let items = items::of_message(change.store.tx()?, &change.room.id, seq)?;
    let recipients = items.into_iter().map(|item| item.recipient).collect();
    Ok(Some(Parent { kind, conversation, depth, sender: recorded.actor, recipients }))
}
