//! The rules of the bus: who may submit what to whom, and who says how it went.

use super::{
    Action, BusId, Context, ContextDraft, Conversation, Data, Draft, Ended, Event, Kind, Messaged, Refusal, Resulted,
    Status, Submitted, Task, TaskReported, TaskStatus, What, draft::text_within,
};
use crate::{
    ids::{AgentId, BROADCAST, RoomId, Seq, event_id},
    inbox::Recipient,
    limits,
    room::{Actor, Member, Room},
};

/// What a decision needs to know of what was said before.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The conversation that is named, if there is one of that name.
    pub conversation: Option<Conversation>,
    /// Those of the new actions' names that were used before.
    pub taken: Vec<BusId>,
    /// The actions that replies refer to.
    pub replied: Vec<Action>,
    /// The message that is named as the parent.
    pub parent: Option<Parent>,
    /// The message that is answered without being an action.
    pub answered: Option<Parent>,
}

/// A message that others follow from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// What it is in its conversation.
    pub kind: Kind,
    /// Which conversation that is.
    pub context_id: Option<BusId>,
    /// How many messages it follows from itself.
    pub depth: u32,
}

/// Actions that are to be submitted.
#[derive(Clone, Debug)]
pub struct Submission {
    /// What was said.
    pub draft: Draft,
}

impl Submission {
    /// Decides to submit all of them, in order, or none.
    pub fn decide(&self, room: &Room, by: &Actor, known: &Known) -> Result<Vec<Event>, Refusal> {
        let sender = sender(room, by)?;
        let asked = self.draft.check()?;
        let place = Place { room, by, known, draft: self.draft.context.as_ref() };
        let replies_only = asked.iter().all(|what| matches!(what, What::Message { kind: Kind::Reply, .. }));
        let thread = place.thread(self.draft.task_id.as_ref(), replies_only)?;
        let mut events = Vec::with_capacity(asked.len());
        for (number, (action, what)) in self.draft.actions.iter().zip(asked).enumerate() {
            let field = |name: &str| format!("actions[{number}].{name}");
            if known.taken.contains(&action.action_id) {
                let action_id = action.action_id.clone();
                return Err(Refusal::DuplicateAction { field: field("action_id"), action_id });
            }
            let target = target(room, by, &action.dst, &field("dst"))?;
            place.require_lead(&thread, &what, &target.agent_id, &field)?;
            events.push(Event::Submitted(Submitted {
                group_id: self.draft.group_id.clone(),
                action_id: action.action_id.clone(),
                action_index: action.action_index,
                target: target.agent_id.clone(),
                sender_name: sender.display_name.clone(),
                sender_kind: by.sender_kind(),
                what,
                context: thread.context.clone(),
                task_id: thread.task_id.clone(),
                depth: thread.depth,
                opens: thread.opens && number == 0,
            }));
        }
        Ok(events)
    }
}

/// A message that is no action.
#[derive(Clone, Debug)]
pub struct Word {
    /// For one agent, or for everybody.
    pub dst: Option<String>,
    /// What it is in its conversation.
    pub kind: Kind,
    /// What it says.
    pub text: String,
    /// Which conversation.
    pub context: Option<ContextDraft>,
    /// Which task.
    pub task_id: Option<BusId>,
    /// The message that it answers.
    pub reply_to: Option<String>,
}

impl Word {
    /// Decides to send it.
    pub fn decide(&self, room: &Room, by: &Actor, known: &Known) -> Result<Event, Refusal> {
        let sender = sender(room, by)?;
        text_within(&self.text, limits::MESSAGE_BYTES, "text")?;
        if !matches!(self.kind, Kind::User | Kind::Reply) {
            return Err(Refusal::invalid("kind", "must be user or reply"));
        }
        if let Some(answered) = self.reply_to.as_ref().filter(|_| known.answered.is_none()) {
            return Err(unknown_message("reply_to", answered));
        }
        let place = Place { room, by, known, draft: self.context.as_ref() };
        let thread = place.thread(self.task_id.as_ref(), self.kind == Kind::Reply)?;
        let to_all = matches!(self.dst.as_deref(), None | Some(BROADCAST));
        if to_all && self.kind == Kind::Reply {
            let why = "a reply goes to whom it answers, not to everybody".to_owned();
            return Err(Refusal::Loop { field: "dst".to_owned(), why });
        }
        let members: Vec<&Member> = match self.dst.as_deref() {
            Some(dst) if !to_all => vec![target(room, by, dst, "dst")?],
            Some(_) | None => room.members.iter().filter(|member| member.agent_id != by.agent_id).collect(),
        };
        if let [one] = members.as_slice() {
            let text = self.text.clone();
            let what = What::Message { kind: self.kind, text, reply_to_action_id: None, plan: None };
            place.require_lead(&thread, &what, &one.agent_id, &|name| name.to_owned())?;
        } else if let Some(conversation) = &known.conversation
            && conversation.owner != by.agent_id
        {
            return Err(not_owner(conversation, "only its owner speaks to everybody in it"));
        }
        let from_person = by.is_person();
        let recipient = |member: &&Member| Recipient {
            agent_id: member.agent_id.clone(),
            name: member.display_name.clone(),
            wakes: !to_all || from_person || room.owner() == Some(&member.agent_id),
        };
        Ok(Event::Messaged(Messaged {
            kind: self.kind,
            text: self.text.clone(),
            sender_name: sender.display_name.clone(),
            sender_kind: by.sender_kind(),
            recipients: members.iter().map(recipient).collect(),
            context: thread.context,
            task_id: thread.task_id,
            reply_to: self.reply_to.clone(),
            depth: thread.depth,
            opens: thread.opens,
        }))
    }
}

/// Where in the room's conversations something is said.
struct Place<'a> {
    room: &'a Room,
    by: &'a Actor,
    known: &'a Known,
    draft: Option<&'a ContextDraft>,
}

/// The conversation that something belongs to.
struct Thread {
    context: Context,
    task_id: BusId,
    depth: u32,
    opens: bool,
}

impl Place<'_> {
    /// Which conversation is meant, and whether it begins here. A reply that names none belongs to that of what it
    /// answers.
    fn thread(&self, task: Option<&BusId>, replies_only: bool) -> Result<Thread, Refusal> {
        let named = self.draft.and_then(|draft| draft.context_id.clone());
        let answered = self.known.replied.first().filter(|_| replies_only && named.is_none());
        let seq = self.room.last_seq.next();
        if let Some(named) = named.as_ref().filter(|_| self.known.conversation.is_none()) {
            free_to_name(named, "context.context_id")?;
        }
        let (context_id, owner_id, opens) = match (&self.known.conversation, answered) {
            (Some(conversation), _) => (conversation.context_id.clone(), conversation.owner.clone(), false),
            (None, Some(action)) => (action.context_id.clone(), action.owner.clone(), false),
            (None, None) => (named.unwrap_or_else(|| numbered(UNNAMED, seq)), self.by.agent_id.clone(), true),
        };
        let said = self.draft.and_then(|draft| draft.owner_id.as_ref());
        if let Some(said) = said.filter(|said| **said != owner_id) {
            let why = format!("{owner_id} leads this conversation, not {said}");
            return Err(Refusal::invalid("context.owner_id", why));
        }
        let conversation_task = self.known.conversation.as_ref().and_then(|conversation| conversation.task_id.clone());
        let task_id = task.cloned().or(conversation_task).unwrap_or_else(|| numbered("task_", seq));
        let depth = self.depth(&context_id, opens)?;
        let parent_message_id = self.draft.and_then(|draft| draft.parent_message_id.clone());
        Ok(Thread { context: Context { context_id, owner_id, parent_message_id }, task_id, depth, opens })
    }

    /// How many messages this one follows from. A chain of them is a loop at some point, and a reply is not carried on
    /// into another conversation.
    fn depth(&self, context: &BusId, opens: bool) -> Result<u32, Refusal> {
        let field = "context.parent_message_id".to_owned();
        let Some(said) = self.draft.and_then(|draft| draft.parent_message_id.as_ref()) else { return Ok(0) };
        let Some(parent) = &self.known.parent else { return Err(unknown_message(&field, said)) };
        let elsewhere = opens || parent.context_id.as_ref() != Some(context);
        if parent.kind == Kind::Reply && elsewhere {
            let why = "a reply is not relayed into another conversation".to_owned();
            return Err(Refusal::Loop { field, why });
        }
        let depth = parent.depth + 1;
        if depth > limits::RELAY_DEPTH {
            let why = format!("it would be message {depth} in a row that follows from the one before");
            return Err(Refusal::Loop { field, why });
        }
        Ok(depth)
    }

    /// Lets a conversation's owner lead it, and others reply to what they were asked.
    fn require_lead(
        &self,
        thread: &Thread,
        what: &What,
        target: &AgentId,
        field: &dyn Fn(&str) -> String,
    ) -> Result<(), Refusal> {
        let owner = &thread.context.owner_id;
        let leads = *owner == self.by.agent_id;
        let not_owner = |why| {
            let (context_id, owner) = (thread.context.context_id.clone(), owner.clone());
            Err(Refusal::NotOwner { context_id, owner, why })
        };
        match what {
            What::Control { .. } if !leads => not_owner("only its owner controls its targets"),
            What::Message { kind: Kind::Reply, reply_to_action_id: Some(answered), .. } => {
                self.require_answer(thread, self.replied(answered, field)?, target, field)
            }
            What::Message { kind: Kind::Reply, .. } if leads => {
                let why = "an owner goes on with kind user; a reply of its own needs reply_to_action_id".to_owned();
                Err(Refusal::Loop { field: field("kind"), why })
            }
            What::Message { kind: Kind::Reply, .. } if target != owner => {
                let why = "a reply goes to whom it answers: the conversation's owner".to_owned();
                Err(Refusal::Loop { field: field("dst"), why })
            }
            What::Message { kind: Kind::User, .. } if !leads => not_owner("only its owner issues follow-ups"),
            // A follow-up may say what it follows.
            What::Message { reply_to_action_id: Some(answered), .. } => self.replied(answered, field).map(|_| ()),
            What::Control { .. } | What::Message { .. } => Ok(()),
        }
    }

    fn replied(&self, answered: &BusId, field: &dyn Fn(&str) -> String) -> Result<&Action, Refusal> {
        let unknown = || Refusal::UnknownAction { field: field("reply_to_action_id"), action_id: answered.clone() };
        self.known.replied.iter().find(|action| action.action_id == *answered).ok_or_else(unknown)
    }

    fn require_answer(
        &self,
        thread: &Thread,
        answered: &Action,
        target: &AgentId,
        field: &dyn Fn(&str) -> String,
    ) -> Result<(), Refusal> {
        if answered.target != self.by.agent_id {
            let (action_id, target) = (answered.action_id.clone(), answered.target.clone());
            return Err(Refusal::NotTarget { action_id, target });
        }
        let looped = |name: &str, why: &str| Err(Refusal::Loop { field: field(name), why: why.to_owned() });
        if answered.kind == Some(Kind::Reply) {
            return looped("reply_to_action_id", "a reply is not replied to");
        }
        if answered.sender != *target {
            return looped("dst", "a reply goes to whom it answers");
        }
        if answered.context_id != thread.context.context_id && answered.owner != thread.context.owner_id {
            return looped("reply_to_action_id", "a reply stays in the conversation of what it answers");
        }
        Ok(())
    }
}

/// A target's word on an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How far it is.
    pub status: Status,
    /// More about that.
    pub detail: Option<String>,
    /// What came of it.
    pub data: Option<Data>,
}

impl Action {
    /// Decides what its target says of it. `begun` is the conversation that a `new` is said to have begun, if there is
    /// one of that name: a conversation does not change hands by being begun again.
    pub fn report(&self, by: &Actor, report: &Report, begun: Option<&Conversation>) -> Result<Event, Refusal> {
        if self.target != by.agent_id {
            return Err(Refusal::NotTarget { action_id: self.action_id.clone(), target: self.target.clone() });
        }
        if let Ended::With(status) = self.ended() {
            return Err(Refusal::Ended { action_id: self.action_id.clone(), status });
        }
        if let Some(detail) = &report.detail {
            text_within(detail, limits::RESULT_DETAIL_BYTES, "detail")?;
        }
        let data = report.data.clone().filter(|data| *data != Data::default());
        if data.is_some() && (self.control != Some(super::Control::New) || report.status != Status::Completed) {
            return Err(Refusal::invalid("data", "goes with a `new` that is completed"));
        }
        let begins = match (data.as_ref().and_then(|data| data.new_context_id.as_ref()), begun) {
            (Some(context_id), Some(begun)) if begun.owner != self.owner => {
                let why = format!("{context_id} is a conversation that {} leads", begun.owner);
                return Err(Refusal::invalid("data.new_context_id", why));
            }
            (Some(context_id), None) => {
                free_to_name(context_id, "data.new_context_id")?;
                let (context_id, owner_id) = (context_id.clone(), self.owner.clone());
                Some(Context { context_id, owner_id, parent_message_id: None })
            }
            (Some(_), Some(_)) | (None, _) => None,
        };
        Ok(self.result(report.status, report.detail.clone(), data, begins))
    }

    /// Ends it in place of a target that will not.
    pub fn fail(&self, why: &str) -> Option<Event> {
        self.is_open().then(|| self.result(Status::Error, Some(why.to_owned()), None, None))
    }

    /// Ends it with the turn of its target that took it and went well. What the target said itself of it stands: that it is
    /// blocked, or still in its queue.
    pub fn complete(&self) -> Option<Event> {
        let silent = matches!(self.status, None | Some(Status::Accepted)) && self.control.is_none();
        silent.then(|| self.result(Status::Completed, None, None, None))
    }

    fn result(&self, status: Status, detail: Option<String>, data: Option<Data>, begins: Option<Context>) -> Event {
        Event::Resulted(Resulted {
            action: self.seq,
            group_id: self.group_id.clone(),
            action_id: self.action_id.clone(),
            action_index: self.action_index,
            target: self.target.clone(),
            sender: self.sender.clone(),
            status,
            detail,
            data,
            begins,
        })
    }
}

/// How far a task of a conversation is, as somebody says.
#[derive(Clone, Debug)]
pub struct TaskReport {
    /// Which.
    pub task_id: BusId,
    /// How far.
    pub status: TaskStatus,
    /// What came of it.
    pub summary: Option<String>,
    /// Which conversation.
    pub context_id: Option<BusId>,
}

impl TaskReport {
    /// Decides to record it. `before` is what was said of it last; what is done stays done.
    pub fn decide(&self, room: &Room, by: &Actor, known: &Known, before: Option<&Task>) -> Result<Event, Refusal> {
        sender(room, by)?;
        if before.is_some_and(|task| task.status == TaskStatus::Done) {
            return Err(Refusal::TaskEnded { task_id: self.task_id.clone() });
        }
        if let Some(summary) = &self.summary {
            text_within(summary, limits::MESSAGE_BYTES, "summary")?;
        }
        let context = match (&self.context_id, &known.conversation) {
            (Some(_), Some(conversation)) => Some(Context {
                context_id: conversation.context_id.clone(),
                owner_id: conversation.owner.clone(),
                parent_message_id: None,
            }),
            (Some(named), None) => {
                let why = format!("there is no conversation {named} in this session");
                return Err(Refusal::invalid("context_id", why));
            }
            (None, _) => None,
        };
        Ok(Event::TaskReported(TaskReported {
            task_id: self.task_id.clone(),
            status: self.status,
            summary: self.summary.clone(),
            context,
        }))
    }
}

fn not_owner(conversation: &Conversation, why: &'static str) -> Refusal {
    Refusal::NotOwner { context_id: conversation.context_id.clone(), owner: conversation.owner.clone(), why }
}

fn sender<'a>(room: &'a Room, by: &Actor) -> Result<&'a Member, Refusal> {
    room.member(&by.agent_id).ok_or_else(|| Refusal::UnknownSender { agent_id: by.agent_id.clone() })
}

/// The member that an id or a name means. Nobody is their own target.
fn target<'a>(room: &'a Room, by: &Actor, dst: &str, field: &str) -> Result<&'a Member, Refusal> {
    let refuse = |why| {
        let others = room.members.iter().filter(|member| member.agent_id != by.agent_id);
        let agents = others.map(|member| member.display_name.clone()).collect();
        let dst = dst.chars().take(limits::SHOWN_INPUT_CHARS).collect();
        Err(Refusal::UnknownTarget { field: field.to_owned(), dst, why, agents })
    };
    let by_id = room.members.iter().find(|member| member.agent_id.as_str() == dst);
    match by_id.or_else(|| room.members.iter().find(|member| member.display_name == dst)) {
        Some(member) if member.agent_id == by.agent_id => refuse("that is you; an agent does not act on itself"),
        Some(member) => Ok(member),
        None => refuse("no agent of this session has that id or name"),
    }
}

/// What conversations are called that nobody named, before their number.
const UNNAMED: &str = "ctx_";

/// Refuses a name for a new conversation that could be given to another one later.
fn free_to_name(context: &BusId, field: &str) -> Result<(), Refusal> {
    match context.as_str().strip_prefix(UNNAMED) {
        Some(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            let why = format!("{context} is how conversations are called that nobody named; choose another name");
            Err(Refusal::invalid(field, why))
        }
        Some(_) | None => Ok(()),
    }
}

fn unknown_message(field: &str, said: &str) -> Refusal {
    let shown: String = said.chars().take(limits::SHOWN_INPUT_CHARS).collect();
    Refusal::invalid(field, format!("there is no message {shown:?} in this session"))
}

/// A name from a place in the log, which nothing else has.
fn numbered(what: &str, seq: Seq) -> BusId {
    format!("{what}{seq}").parse().unwrap_or_else(|_| unreachable!("a word and a number are a name"))
}

/// The place of the event that a message's id names, if it is one of this room's.
pub fn place_of(room: &RoomId, message_id: &str) -> Option<Seq> {
    let seq = Seq(message_id.rsplit_once('_')?.1.parse().ok()?);
    (event_id(room, seq) == message_id).then_some(seq)
}
