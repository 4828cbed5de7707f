//! What the model of a conversation's owner said: sent on, or the end of the relay.

use baton_core::{
    bus::{
        ActionDraft, BusId, Control, Conversation, Draft, Kind, Refusal, Task, TaskReport, TaskStatus, What, WhatDraft,
        relay::{Output, Relayed},
    },
    ids::{RoomId, Seq},
    limits,
};
use baton_store::bus as store;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ContextInput, SubmitResult,
    submit::{first_of_group, submit},
    task::{canonical, lead_of, report},
};
use crate::{
    App, Caller, Failure,
    app::{Request, internal},
    table::{Access, BUS, Effect, Place, UseCase},
    unit::Change,
};

/// `bus.relay`
pub struct Relay;

/// What the model said.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RelayInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    /// All of the model's output: JSON with relay_actions or task_done; anything else is an answer for the local user
    pub output: String,
    /// The task that is relayed; it ends with task_done or a local answer
    pub task_id: BusId,
    pub context: Option<ContextInput>,
    /// Default: made from the task
    pub group_id: Option<BusId>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// What it came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Outcome {
    /// Actions were submitted; their results and replies are to come.
    Relayed,
    /// The model ended the relay.
    Done,
    /// It was an answer for the local user, which ends the relay.
    Local,
}

/// What became of it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RelayResult {
    pub room_id: RoomId,
    pub outcome: Outcome,
    pub task_id: BusId,
    /// What was submitted.
    pub submitted: Option<SubmitResult>,
    /// For the local user.
    pub text: Option<String>,
    /// Why an output that looks like a relay was none.
    pub problem: Option<String>,
}

impl UseCase for Relay {
    const NAME: &'static str = "bus.relay";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("relay.submit");
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::limited_for_jobs("controls jobs it created");
    const ABOUT: &'static str = "Hand in what the model of a conversation's owner said while relaying a task.";
    type Input = RelayInput;
    type Output = RelayResult;

    fn perform(app: &App, caller: &Caller, input: RelayInput) -> Result<RelayResult, Failure> {
        let input = RelayInput { task_id: canonical(&input.task_id), ..input };
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let output = Output::read(&input.output)?;
        app.change(caller, &request, &input.room_id, |change| {
            change.require_agent()?;
            let before = change.store.find::<Task>(&input.task_id)?.cloned();
            if let Some(lead) = lead_of(change, &input.task_id)? {
                lead.require(&input.task_id, &change.actor.agent_id)?;
            }
            if before.is_some_and(|task| task.status == TaskStatus::Done) {
                return Err(Refusal::TaskEnded { task_id: input.task_id.clone() }.into());
            }
            match &output {
                Output::Actions(actions) => relay(change, caller, &input, actions),
                Output::Done { summary } => end(change, caller, &input, Outcome::Done, summary.as_deref(), None),
                Output::Local { text, problem } => {
                    end(change, caller, &input, Outcome::Local, Some(text), problem.clone())
                }
            }
        })
    }
}

fn relay(
    change: &mut Change<'_>,
    caller: &Caller,
    input: &RelayInput,
    actions: &[Relayed],
) -> Result<RelayResult, Failure> {
    let seq = change.room.last_seq.next();
    let group = match &input.group_id {
        Some(group) => group.clone(),
        None => unnamed_group(change, seq)?,
    };
    let mut drafts = Vec::with_capacity(actions.len());
    for (place, action) in actions.iter().enumerate() {
        let action_id = unnamed_action(change, format!("{group}.{seq}.{place}"))?;
        let what = draft(&action.what);
        drafts.push(ActionDraft { dst: action.dst.clone(), action_id, action_index: place as u32, what });
    }
    let draft = Draft {
        group_id: group,
        context: input.context.as_ref().map(ContextInput::draft),
        task_id: Some(input.task_id.clone()),
        actions: drafts,
    };
    let submitted = submit(change, caller, draft)?;
    Ok(RelayResult {
        room_id: change.room.id.clone(),
        outcome: Outcome::Relayed,
        task_id: input.task_id.clone(),
        submitted: Some(submitted),
        text: None,
        problem: None,
    })
}

/// A name for a group that nobody named, and that nobody's group has.
fn unnamed_group(change: &mut Change<'_>, seq: Seq) -> Result<BusId, Failure> {
    let mut group: BusId = format!("relay_{seq}").parse().map_err(internal)?;
    while first_of_group(change, &group)?.is_some() {
        group = format!("{group}_").parse().map_err(internal)?;
    }
    Ok(group)
}

/// A name for an action that none has, whoever guessed the usual one.
fn unnamed_action(change: &mut Change<'_>, mut name: String) -> Result<BusId, Failure> {
    loop {
        let action_id = name.parse().map_err(|why: String| Refusal::Invalid { field: "group_id".to_owned(), why })?;
        if store::action_by_id(change.store.tx()?, &change.room.id, &action_id)?.is_none() {
            return Ok(action_id);
        }
        name.push('_');
    }
}

/// The end of a relay: its task is done. Only the conversation's owner ends it.
fn end(
    change: &mut Change<'_>,
    caller: &Caller,
    input: &RelayInput,
    outcome: Outcome,
    text: Option<&str>,
    problem: Option<String>,
) -> Result<RelayResult, Failure> {
    // A relay may end before anything was relayed; then there is no conversation yet.
    let conversation = match input.context.as_ref().and_then(|context| context.context_id.as_ref()) {
        Some(id) => change.store.find::<Conversation>(id)?.cloned(),
        None => None,
    };
    if let Some(conversation) = conversation.as_ref().filter(|found| found.owner != change.actor.agent_id) {
        let (context_id, owner) = (conversation.context_id.clone(), conversation.owner.clone());
        return Err(Refusal::NotOwner { context_id, owner, why: "only its owner ends a relay in it" }.into());
    }
    let summary = text.filter(|text| !text.trim().is_empty()).map(|text| cut(text, limits::MESSAGE_BYTES));
    let said = TaskReport {
        task_id: input.task_id.clone(),
        status: TaskStatus::Done,
        summary,
        context_id: conversation.map(|conversation| conversation.context_id),
    };
    report(change, caller, &said)?;
    Ok(RelayResult {
        room_id: change.room.id.clone(),
        outcome,
        task_id: input.task_id.clone(),
        submitted: None,
        text: text.map(str::to_owned),
        problem,
    })
}

/// As much of a text as fits, which then says that it was cut.
fn cut(text: &str, most: usize) -> String {
    const NOTE: &str = " [cut]";
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most - NOTE.len()).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    format!("{}{NOTE}", &text[..end])
}

fn draft(what: &What) -> WhatDraft {
    match what {
        What::Message { text, plan, .. } => WhatDraft {
            sort: "message".to_owned(),
            kind: Some(Kind::User.as_str().to_owned()),
            text: Some(text.clone()),
            plan: plan.clone(),
            ..WhatDraft::default()
        },
        What::Control { command, args } => WhatDraft {
            sort: "control".to_owned(),
            command: Some(Control::as_str(*command).to_owned()),
            args: args.clone(),
            ..WhatDraft::default()
        },
    }
}
