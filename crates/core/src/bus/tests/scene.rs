//! A session with agents, its log, and what the log makes of it.
//!
//! After each step the log is read back from its stored form and folded: it must give the bus and the inboxes as they are.

use crate::{
    bus::{
        Action, ActionDraft, BusId, Connection, ContextDraft, Conversation, Data, Draft, Event, Kind, Known, Parent,
        Refusal, Report, Standing, Status, Submission, Task, TaskLead, TaskReport, TaskStatus, What, WhatDraft, Word,
        place_of,
    },
    event::Recorded,
    ids::{AgentId, RoomId, Seq, event_id},
    inbox::{self, Forwarded, Item},
    lease::Fence,
    part::Rows,
    policy::Policy,
    process::SessionKind,
    room::{self, Actor, Authority, Created, Joined, Room},
    time::Timestamp,
};

/// All that the log makes of the bus.
#[derive(Debug, PartialEq)]
pub(super) struct Bus {
    pub(super) actions: Rows<Action>,
    pub(super) conversations: Rows<Conversation>,
    pub(super) tasks: Rows<Task>,
    pub(super) connections: Rows<Connection>,
}

impl Bus {
    fn new() -> Self {
        Self {
            actions: Rows::of_new_room(),
            conversations: Rows::of_new_room(),
            tasks: Rows::of_new_room(),
            connections: Rows::of_new_room(),
        }
    }

    fn apply(&mut self, recorded: &Recorded) {
        self.actions.apply(recorded);
        self.conversations.apply(recorded);
        self.tasks.apply(recorded);
        self.connections.apply(recorded);
    }
}

/// A session, and all that happened there.
pub(super) struct Scene {
    pub(super) room: Room,
    pub(super) bus: Bus,
    pub(super) inbox: Rows<Item>,
    pub(super) log: Vec<Recorded>,
}

pub(super) fn agent(name: &str) -> AgentId {
    name.parse().unwrap()
}

pub(super) fn id(text: &str) -> BusId {
    text.parse().unwrap()
}

pub(super) fn actor(name: &str) -> Actor {
    Actor::found(agent(name), None, SessionKind::McpHarness)
}

/// A message for somebody.
pub(super) fn message(dst: &str, action: &str, kind: &str) -> ActionDraft {
    let what = WhatDraft {
        sort: "message".to_owned(),
        kind: Some(kind.to_owned()),
        text: Some(format!("{action} for {dst}")),
        ..WhatDraft::default()
    };
    ActionDraft { dst: dst.to_owned(), action_id: id(action), action_index: 0, what }
}

pub(super) fn user(dst: &str, action: &str) -> ActionDraft {
    message(dst, action, "user")
}

/// An answer to an action.
pub(super) fn reply(dst: &str, action: &str, to: &str) -> ActionDraft {
    let mut reply = message(dst, action, "reply");
    reply.what.reply_to_action_id = Some(id(to));
    reply
}

/// A command for somebody.
pub(super) fn control(dst: &str, action: &str, command: &str) -> ActionDraft {
    let what = WhatDraft { sort: "control".to_owned(), command: Some(command.to_owned()), ..WhatDraft::default() };
    ActionDraft { dst: dst.to_owned(), action_id: id(action), action_index: 0, what }
}

/// Actions of one group, in this order.
pub(super) fn group(actions: Vec<ActionDraft>) -> Draft {
    let actions = (0..).zip(actions).map(|(action_index, action)| ActionDraft { action_index, ..action }).collect();
    Draft { group_id: id("g"), context: None, task_id: None, actions }
}

/// The same in a conversation.
pub(super) fn in_context(context: &str, actions: Vec<ActionDraft>) -> Draft {
    let context = ContextDraft { context_id: Some(id(context)), ..ContextDraft::default() };
    Draft { context: Some(context), ..group(actions) }
}

/// The same, following from a message.
pub(super) fn after(parent: &str, draft: Draft) -> Draft {
    let context = draft.context.clone().unwrap_or_default();
    Draft { context: Some(ContextDraft { parent_message_id: Some(parent.to_owned()), ..context }), ..draft }
}

pub(super) fn status(status: Status) -> Report {
    Report { status, detail: None, data: None }
}

/// That a `new` began a conversation.
pub(super) fn begun(context: &str) -> Report {
    let data = Data { new_context_id: Some(id(context)), new_task_id: None };
    Report { status: Status::Completed, detail: None, data: Some(data) }
}

/// A message that is no action.
pub(super) fn word(dst: Option<&str>, kind: Kind) -> Word {
    let (dst, text) = (dst.map(str::to_owned), "hello".to_owned());
    Word { dst, kind: Some(kind), text, context: None, task_id: None, reply_to: None }
}

pub(super) fn task(task: &str, status: TaskStatus) -> TaskReport {
    TaskReport { task_id: id(task), status, summary: None, context_id: None }
}

impl Scene {
    /// ana, bo and cy, who are called Amber, Birch and Cedar.
    pub(super) fn new() -> Self {
        let created = Created {
            canonical_path: None,
            name: Some("talk".to_owned()),
            earlier_events: 0,
            policy: Policy::default(),
        };
        let first = Recorded {
            overridden: false,
            room_id: "room_1".parse().unwrap(),
            seq: Seq(1),
            at: Timestamp::from_millis(1),
            actor: agent("ana"),
            turn: Fence(0),
            event: room::Event::Created(created).into(),
        };
        let room = Room::open(&first).unwrap();
        let mut scene = Self { room, bus: Bus::new(), inbox: Rows::of_new_room(), log: vec![first] };
        for (who, name) in [("ana", "Amber"), ("bo", "Birch"), ("cy", "Cedar")] {
            scene.joins(who, name);
        }
        scene
    }

    pub(super) fn joins(&mut self, who: &str, name: &str) {
        let joined = Joined {
            added_by: None,
            parallel_to: None,
            agent_id: agent(who),
            display_name: name.to_owned(),
            role: None,
            session_kind: SessionKind::McpHarness,
            process: None,
            rejoin: false,
            agent_id_override: true,
            keeps_turn: false,
        };
        self.record(who, room::Event::Joined(joined));
    }

    /// Submits, and tells the places of the actions.
    pub(super) fn submit(&mut self, by: &str, draft: Draft) -> Result<Vec<Seq>, Refusal> {
        // Everybody has a group of their own, unless a story names one.
        let group_id = if draft.group_id == id("g") { id(&format!("g.{by}")) } else { draft.group_id };
        let draft = Draft { group_id, ..draft };
        let known = self.known_of(&draft);
        let events = Submission { draft }.decide(&self.room, &actor(by), &known)?;
        Ok(events.into_iter().map(|event| self.record(by, event)).collect())
    }

    /// Submits what must be taken.
    pub(super) fn submits(&mut self, by: &str, draft: Draft) -> Vec<Seq> {
        self.submit(by, draft).unwrap()
    }

    pub(super) fn report(&mut self, by: &str, action: &str, report: &Report) -> Result<Seq, Refusal> {
        let begun = report.data.as_ref().and_then(|data| data.new_context_id.as_ref());
        let begun = begun.and_then(|context| self.conversation(context.as_str()).cloned());
        let task = report.data.as_ref().and_then(|data| data.new_task_id.as_ref()).and_then(|task| self.lead(task));
        let event = self.action(action).report(&actor(by), report, begun.as_ref(), task.as_ref())?;
        Ok(self.record(by, event))
    }

    /// What ends in place of its target.
    pub(super) fn fails(&mut self, action: &str) -> Option<Seq> {
        let event = self.action(action).fail("it is gone")?;
        Some(self.record("bus", event))
    }

    pub(super) fn send(&mut self, by: &str, word: &Word) -> Result<Seq, Refusal> {
        let known = Known {
            answered: word.reply_to.as_deref().and_then(|said| self.message(said)),
            ..self.known(word.context.as_ref(), word.task_id.as_ref())
        };
        let event = word.decide(&self.room, &actor(by), &known)?;
        Ok(self.record(by, event))
    }

    pub(super) fn task(&mut self, by: &str, report: &TaskReport) -> Result<Seq, Refusal> {
        self.task_as(by, Authority::Member, report)
    }

    pub(super) fn task_as(&mut self, by: &str, authority: Authority, report: &TaskReport) -> Result<Seq, Refusal> {
        let conversation = report.context_id.as_ref().and_then(|named| self.conversation(named.as_str()).cloned());
        let before = self.bus.tasks.iter().find(|task| task.task_id == report.task_id);
        let standing =
            Standing { lead: self.lead(&report.task_id), status: before.map(|task| task.status), conversation };
        let event = report.decide(&self.room, &actor(by), authority, &standing)?;
        Ok(self.record(by, event))
    }

    /// Gives what waits in one inbox to another agent.
    pub(super) fn forward(&mut self, from: &str, to: &str, items: &[Seq]) {
        let forwarded = Forwarded { items: items.to_vec(), from: agent(from), to: agent(to) };
        self.record(to, inbox::Event::Forwarded(forwarded));
    }

    pub(super) fn action(&self, action: &str) -> &Action {
        self.bus.actions.iter().find(|known| known.action_id.as_str() == action).unwrap()
    }

    pub(super) fn conversation(&self, context: &str) -> Option<&Conversation> {
        self.bus.conversations.iter().find(|known| known.context_id.as_str() == context)
    }

    /// The id of the message at a place.
    pub(super) fn message_id(&self, place: Seq) -> String {
        event_id(&self.room_id(), place)
    }

    pub(super) fn room_id(&self) -> RoomId {
        self.room.id.clone()
    }

    /// What a decision needs to know, from what is at hand.
    fn known_of(&self, draft: &Draft) -> Known {
        let find = |action: &BusId| self.bus.actions.iter().find(|known| known.action_id == *action).cloned();
        let taken = draft.actions.iter().map(|action| &action.action_id).filter(|action| find(action).is_some());
        let replied = draft.actions.iter().filter_map(|action| action.what.reply_to_action_id.as_ref());
        let replied: Vec<Action> = replied.filter_map(find).collect();
        let named = self.known(draft.context.as_ref(), draft.task_id.as_ref());
        let names_none = draft.context.as_ref().is_none_or(|context| context.context_id.is_none());
        let answered = replied.first().filter(|_| names_none);
        let conversation = match answered {
            Some(action) => self.message_at(action.seq).and_then(|said| said.conversation),
            None => named.conversation,
        };
        let of_group = self.bus.actions.iter().find(|action| action.group_id == draft.group_id);
        let group_owner = of_group.map(|first| first.sender.clone());
        Known { taken: taken.cloned().collect(), replied, conversation, group_owner, ..named }
    }

    fn known(&self, context: Option<&ContextDraft>, task: Option<&BusId>) -> Known {
        let named = context.and_then(|context| context.context_id.as_ref());
        let parent = context.and_then(|context| context.parent_message_id.as_deref());
        Known {
            conversation: named.and_then(|named| self.conversation(named.as_str()).cloned()),
            parent: parent.and_then(|said| self.message(said)),
            task: task.and_then(|task| self.lead(task)),
            ..Known::default()
        }
    }

    fn lead(&self, task: &BusId) -> Option<TaskLead> {
        let known = self.bus.tasks.iter().find(|known| known.task_id == *task);
        let first = || {
            let about = self.bus.conversations.iter().filter(|known| known.task_id.as_ref() == Some(task));
            about.min_by_key(|known| known.since)
        };
        let conversation = match known.map(|known| &known.context_id) {
            Some(Some(context)) => self.conversation(context.as_str()),
            Some(None) => None,
            None => first(),
        };
        if let Some(Conversation { context_id, owner, .. }) = conversation.cloned() {
            return Some(TaskLead::Conversation { context_id, owner });
        }
        let known = known?;
        let said = self.log.iter().find(|recorded| recorded.seq == known.seq)?;
        let owner = match &said.event {
            crate::event::Event::Bus(Event::TaskReported(reported)) => reported.owner.clone(),
            _ => None,
        };
        Some(TaskLead::Agent(owner.unwrap_or_else(|| known.reported_by.clone())))
    }

    fn message(&self, said: &str) -> Option<Parent> {
        self.message_at(place_of(&self.room_id(), said)?)
    }

    fn message_at(&self, place: Seq) -> Option<Parent> {
        let recorded = self.log.iter().find(|recorded| recorded.seq == place)?;
        let (kind, depth, context, task_id) = match &recorded.event {
            crate::event::Event::Bus(Event::Submitted(submitted)) => {
                let kind = match submitted.what {
                    What::Message { kind, .. } => kind,
                    What::Control { .. } => Kind::Control,
                };
                (kind, submitted.depth, &submitted.context, &submitted.task_id)
            }
            crate::event::Event::Bus(Event::Messaged(messaged)) => {
                (messaged.kind, messaged.depth, &messaged.context, &messaged.task_id)
            }
            _ => return None,
        };
        let conversation = Conversation {
            context_id: context.context_id.clone(),
            owner: context.owner_id.clone(),
            task_id: Some(task_id.clone()),
            since: place,
        };
        let items = self.inbox.iter().filter(|item| item.message == place);
        let recipients = items.map(|item| item.recipient.clone()).collect();
        let sender = recorded.actor.clone();
        Some(Parent { kind, conversation: Some(conversation), depth, sender, recipients })
    }

    pub(super) fn record(&mut self, by: &str, event: impl Into<crate::event::Event>) -> Seq {
        let at = Timestamp::from_millis(self.room.last_seq.next().0 as i64);
        let recorded = self.room.record(at, agent(by), event);
        self.room.apply(&recorded);
        self.bus.apply(&recorded);
        self.inbox.apply(&recorded);
        let seq = recorded.seq;
        self.log.push(recorded);
        let (bus, inbox) = self.folded();
        assert_eq!((&bus, &inbox), (&self.bus, &self.inbox), "at {seq}");
        seq
    }

    /// What the stored log alone gives.
    fn folded(&self) -> (Bus, Rows<Item>) {
        let (mut bus, mut inbox) = (Bus::new(), Rows::of_new_room());
        for recorded in &self.log {
            let (kind, payload) = (recorded.event.kind(), recorded.event.payload().unwrap());
            let event = crate::event::Event::read(kind, &payload).unwrap();
            assert_eq!(event, recorded.event, "as it is stored");
            let recorded = Recorded { event, ..recorded.clone() };
            bus.apply(&recorded);
            inbox.apply(&recorded);
        }
        (bus, inbox)
    }
}

/// A decision in a line: that it was taken, or the code and the sentence.
pub(super) fn told<T>(decided: &Result<T, Refusal>) -> String {
    match decided {
        Ok(_) => "taken".to_owned(),
        Err(refusal) => format!("{}: {refusal}", refusal.code()),
    }
}
