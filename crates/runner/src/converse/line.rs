//! The desk's line to the bus: all that the job's own agent says there, and hears.

use std::sync::Arc;

use baton_app::{
    App, Caller, Failure,
    bus::{Ending, Record},
    commands::{
        agent,
        bus::{
            ActionInput, ActionView, Actions, ActionsInput, Add, AddInput, Await, AwaitInput, ContextInput, Delivery,
            History, HistoryInput, Relay, RelayInput, RelayResult, Result as Results, ResultInput, Send, SendInput,
            Submit, SubmitInput, Take, TakeInput,
        },
    },
    liveness,
    table::UseCase,
    watch::Watch,
};
use baton_core::{
    bus::{BusId, Kind, Report, receiver::Order},
    code::ErrorCode,
    ids::{AgentId, RoomId, Seq, event_id},
    limits,
    process::SessionKind,
    room::Actor,
};

use crate::desk::{Claimed, Desk};

/// How much of an answer is sent.
const ANSWER_BYTES: usize = limits::MESSAGE_BYTES;

/// A job's own way to the bus.
pub(super) struct Line {
    app: Arc<App>,
    caller: Caller,
    room: RoomId,
    /// Who the job is there.
    pub(super) agent: AgentId,
    /// What it is called there.
    pub(super) name: String,
    /// Its own task on the bus: the job. When that is done, so is the job.
    pub(super) task: BusId,
}

/// What is known of who could be asked.
pub(super) struct Colleague {
    pub(super) id: AgentId,
    pub(super) name: String,
    pub(super) role: Option<String>,
}

impl Line {
    /// Makes the job's agent one of the session, connected to this runner. A runner that had the job before and hangs on
    /// has lost its claim, and with that its connection.
    pub(super) fn open(desk: &Desk, claimed: &Claimed) -> Result<Self, Failure> {
        let assignment = desk.assignment(claimed);
        let agent = assignment.agent_id();
        let own = liveness::identify(std::process::id());
        let actor = Actor::found(agent.clone(), own, SessionKind::McpHarness);
        let caller = Caller::new(actor, desk.caller.cwd.clone()).assigned(Some(assignment.clone()));
        let task = claimed.id().to_string();
        let add = |name: Option<String>| {
            let input = AddInput { room_id: desk.room.clone(), id: None, name, role: None, idempotency_key: None };
            Add::run(&desk.app, &caller, input)
        };
        let added = match add(Some(task.to_lowercase())) {
            // Somebody else is called so.
            Err(failure) if failure.code == ErrorCode::DuplicateAgentId => add(None)?,
            added => added?,
        };
        desk.app.connect_job(&caller, &assignment)?;
        let task = task.parse().map_err(|why: String| Failure::new(ErrorCode::Internal, why))?;
        let name = added.agent.name;
        Ok(Self { app: Arc::clone(&desk.app), room: desk.room.clone(), caller, agent, name, task })
    }

    /// Notes that nobody is there for it any more. What it was asked waits.
    pub(super) fn close(&self, why: &str) -> Result<(), Failure> {
        self.app.disconnect(&self.caller, &self.room, why)
    }

    /// Listens to the session.
    pub(super) fn watch(&self) -> Result<Watch, Failure> {
        self.app.watch(&self.caller, &self.room)
    }

    /// Takes what was sent to it: also what an earlier runner was told and did not end, if that is asked for.
    pub(super) fn take(&self, mut resume_after: Option<Seq>) -> Result<Vec<Delivery>, Failure> {
        let mut all = Vec::new();
        loop {
            let input = TakeInput {
                room_id: self.room.clone(),
                resume_after,
                limit: Some(limits::ACTIONS_MAX),
                max_wait_ms: None,
            };
            let taken = Take::run(&self.app, &self.caller, input)?;
            let last = taken.deliveries.last().map(|delivery| delivery.seq);
            all.extend(taken.deliveries);
            match last {
                Some(last) if taken.has_more => resume_after = resume_after.map(|_| last),
                Some(_) | None => return Ok(all),
            }
        }
    }

    /// Says how far an action is. One that has ended otherwise needs no word.
    pub(super) fn say(&self, action_id: &BusId, report: &Report) -> Result<(), Failure> {
        let detail = report.detail.as_deref().map(|why| cut(why, limits::RESULT_DETAIL_BYTES));
        let input = ResultInput {
            room_id: self.room.clone(),
            action_id: action_id.clone(),
            group_id: None,
            action_index: None,
            status: report.status,
            detail: detail.filter(|why| !why.trim().is_empty()),
            data: report.data.clone(),
            idempotency_key: None,
        };
        match Results::run(&self.app, &self.caller, input) {
            Err(failure) if failure.code == ErrorCode::AlreadyEnded => Ok(()),
            said => said.map(|_| ()),
        }
    }

    /// Answers what somebody asked, once: an answer that an earlier runner sent stands.
    pub(super) fn answer(&self, order: &Order, text: &str) -> Result<(), Failure> {
        let text = cut(text, ANSWER_BYTES);
        let sent = match &order.action_id {
            Some(action_id) => self.reply(order, action_id, text),
            None => self.write_back(order, text),
        };
        match sent {
            Err(failure) if failure.code == ErrorCode::DuplicateAction => Ok(()),
            sent => sent,
        }
    }

    fn reply(&self, order: &Order, answered: &BusId, text: String) -> Result<(), Failure> {
        let group = format!("{}.reply.{}", self.task, order.seq);
        let group: BusId = group.parse().map_err(|why: String| Failure::new(ErrorCode::Internal, why))?;
        let action = ActionInput {
            sort: "message".to_owned(),
            dst: order.from.to_string(),
            action_id: group.clone(),
            action_index: 0,
            kind: Some(Kind::Reply.as_str().to_owned()),
            text: Some(text),
            reply_to_action_id: Some(answered.clone()),
            plan: None,
            command: None,
            args: None,
        };
        let input = SubmitInput {
            room_id: self.room.clone(),
            group_id: group,
            actions: vec![action],
            context: None,
            task_id: None,
            idempotency_key: None,
        };
        Submit::run(&self.app, &self.caller, input).map(|_| ())
    }

    fn write_back(&self, order: &Order, text: String) -> Result<(), Failure> {
        let context = ContextInput { context_id: Some(order.context_id.clone()), ..ContextInput::default() };
        let input = SendInput {
            room_id: self.room.clone(),
            dst: Some(order.from.to_string()),
            text,
            kind: Some(Kind::Reply),
            context: Some(context),
            task_id: None,
            reply_to: Some(event_id(&self.room, order.seq)),
            idempotency_key: None,
        };
        Send::run(&self.app, &self.caller, input).map(|_| ())
    }

    /// Hands in what the model of a relay said. The same key is handed in once, however often it is tried.
    pub(super) fn relay(&self, output: &str, context: Option<&BusId>, key: &str) -> Result<RelayResult, Failure> {
        let input = RelayInput {
            room_id: self.room.clone(),
            output: output.to_owned(),
            task_id: self.task.clone(),
            context: context
                .map(|context| ContextInput { context_id: Some(context.clone()), ..ContextInput::default() }),
            group_id: None,
            idempotency_key: Some(key.to_owned()),
        };
        Relay::run(&self.app, &self.caller, input)
    }

    /// Whether everything of a group has ended. What a target owes that is gone ends here.
    pub(super) fn has_ended(&self, group: &BusId) -> Result<bool, Failure> {
        let input = AwaitInput { room_id: self.room.clone(), group_id: group.clone(), max_wait_ms: None };
        Await::run(&self.app, &self.caller, input).map(|found| found.ended)
    }

    /// How far the actions of a group are.
    pub(super) fn results(&self, group: &BusId) -> Result<Vec<ActionView>, Failure> {
        let input = ActionsInput {
            room_id: self.room.clone(),
            group_id: Some(group.clone()),
            dst: None,
            src: None,
            open: false,
            after: None,
            limit: Some(limits::ACTIONS_MAX),
        };
        Actions::run(&self.app, &self.caller, input).map(|found| found.actions)
    }

    /// Why there is nothing more to do, if so.
    pub(super) fn ending(&self) -> Result<Option<Ending>, Failure> {
        self.app.ending(&self.room, &self.task)
    }

    /// Messages and results before a place, newest first, and where the next page begins if there is one.
    pub(super) fn before(&self, place: Seq) -> Result<(Vec<Record>, Option<Seq>), Failure> {
        let input = HistoryInput {
            room_id: self.room.clone(),
            after: None,
            before: Some(place),
            types: Some(vec!["message.created".to_owned(), "action.result".to_owned()]),
            limit: Some(limits::ACTIONS_MAX),
            max_wait_ms: None,
        };
        let found = History::run(&self.app, &self.caller, input)?;
        Ok((found.events, found.has_more.then_some(found.cursor)))
    }

    /// The place after the newest event.
    pub(super) fn end_of_log(&self) -> Result<Seq, Failure> {
        self.app.newest(&self.room).map(Seq::next)
    }

    /// Who else is in the session.
    pub(super) fn colleagues(&self) -> Result<Vec<Colleague>, Failure> {
        let input = agent::ListInput { room_id: self.room.clone(), all: false };
        let found = agent::List::run(&self.app, &self.caller, input)?.agents.into_iter();
        let others = found.filter(|other| other.agent_id != self.agent);
        Ok(others
            .map(|other| Colleague {
                id: other.agent_id,
                name: other.name,
                role: other.role.map(|role| role.to_string()),
            })
            .collect())
    }
}

/// As much of a text as fits, which then says that it was cut.
pub(super) fn cut(text: &str, most: usize) -> String {
    const NOTE: &str = " [cut]";
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most.saturating_sub(NOTE.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    format!("{}{NOTE}", &text[..end])
}
