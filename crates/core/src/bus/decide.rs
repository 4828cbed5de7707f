//! The rules of the bus: who may submit what to whom, and who says how it went.

use super::{
    Action, BusId, Context, ContextDraft, Conversation, Data, Draft, Ended, Event, Kind, Messaged, Refusal, Resulted,
    Status, Submitted, TaskLead, What, draft::text_within,
};
use crate::{
    ids::{AgentId, BROADCAST, RoomId, Seq, event_id},
    inbox::Recipient,
    job::JobId,
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
    /// The message that a word answers by its id.
    pub answered: Option<Parent>,
    /// Who began the group that is submitted to, if somebody did.
    pub group_owner: Option<AgentId>,
    /// Whose the named task is, if it is somebody's.
    pub task: Option<TaskLead>,
}

/// A message that others follow from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// What it is in its conversation.
    pub kind: Kind,
    /// The conversation that its target got it in, with the task that it is about.
    pub conversation: Option<Conversation>,
    /// How many messages it follows from itself.
    pub depth: u32,
    /// Who said it.
    pub sender: AgentId,
    /// Whom it was for.
    pub recipients: Vec<AgentId>,
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
        self.require_group(by, &asked, known)?;
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
            let depth = place.depth_of(&thread, &what, &field)?;
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
                depth,
                opens: thread.opens && number == 0,
                begins_task: thread.begins_task && number == 0,
            }));
        }
        Ok(events)
    }

    /// A group is of whoever began it. Others only answer in it what they were asked in it.
    fn require_group(&self, by: &Actor, asked: &[What], known: &Known) -> Result<(), Refusal> {
        let Some(owner) = known.group_owner.as_ref().filter(|owner| **owner != by.agent_id) else { return Ok(()) };
        let answers = |what: &What| match what {
            What::Message { kind: Kind::Reply, reply_to_action_id: Some(answered), .. } => {
                let asked = known.replied.iter().find(|action| action.action_id == *answered);
                asked.is_some_and(|asked| asked.group_id == self.draft.group_id && asked.target == by.agent_id)
            }
            What::Message { .. } | What::Control { .. } => false,
        };
        if asked.iter().all(answers) {
            return Ok(());
        }
        Err(Refusal::NotGroupOwner { group_id: self.draft.group_id.clone(), owner: owner.clone() })
    }
}

/// A message that is no action.
#[derive(Clone, Debug)]
pub struct Word {
    /// For one agent, or for everybody.
    pub dst: Option<String>,
    /// What it is in its conversation. Left out, it is a reply if it answers, by its id, a message of a conversation that
    /// somebody else leads, and the word of a user else.
    pub kind: Option<Kind>,
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
        let kind = self.kind(by, known);
        if !matches!(kind, Kind::User | Kind::Reply) {
            return Err(Refusal::invalid("kind", "must be user or reply"));
        }
        if let Some(answered) = self.reply_to.as_ref().filter(|_| known.answered.is_none()) {
            return Err(unknown_message("reply_to", answered));
        }
        let place = Place { room, by, known, draft: self.context.as_ref() };
        let thread = place.thread(self.task_id.as_ref(), kind == Kind::Reply)?;
        let to_all = matches!(self.dst.as_deref(), None | Some(BROADCAST));
        if to_all && kind == Kind::Reply {
            let why = "a reply goes to whom it answers, not to everybody".to_owned();
            return Err(Refusal::Loop { field: "dst".to_owned(), why });
        }
        let members: Vec<&Member> = match self.dst.as_deref() {
            Some(dst) if !to_all => vec![target(room, by, dst, "dst")?],
            Some(_) | None => room.members.iter().filter(|member| member.agent_id != by.agent_id).collect(),
        };
        if let [one] = members.as_slice() {
            let text = self.text.clone();
            let what = What::Message { kind, text, reply_to_action_id: None, plan: None };
            place.require_lead(&thread, &what, &one.agent_id, &|name| name.to_owned())?;
        } else if thread.context.owner_id != by.agent_id {
            return Err(thread.not_owner("only its owner speaks to everybody in it"));
        }
        let from_person = by.is_person();
        let recipient = |member: &&Member| Recipient {
            agent_id: member.agent_id.clone(),
            name: member.display_name.clone(),
            wakes: !to_all || from_person || room.owner() == Some(&member.agent_id),
        };
        Ok(Event::Messaged(Messaged {
            kind,
            text: self.text.clone(),
            sender_name: sender.display_name.clone(),
            sender_kind: by.sender_kind(),
            recipients: members.iter().map(recipient).collect(),
            context: thread.context,
            task_id: thread.task_id,
            reply_to: self.reply_to.clone(),
            depth: thread.depth,
            opens: thread.opens,
            begins_task: thread.begins_task,
        }))
    }

    fn kind(&self, by: &Actor, known: &Known) -> Kind {
        let answers = known.answered.as_ref().is_some_and(|answered| {
            let led = answered.conversation.as_ref().is_some_and(|conversation| conversation.owner != by.agent_id);
            led && answered.recipients.contains(&by.agent_id)
        });
        self.kind.unwrap_or(if answers { Kind::Reply } else { Kind::User })
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
    begins_task: bool,
}

impl Thread {
    fn not_owner(&self, why: &'static str) -> Refusal {
        let Context { context_id, owner_id, .. } = self.context.clone();
        Refusal::NotOwner { context_id, owner: owner_id, why }
    }
}

impl Place<'_> {
    /// Which conversation is meant, and whether it begins here. What names none belongs to that of what it answers, if it
    /// is a reply or its sender leads there.
    fn thread(&self, task: Option<&BusId>, replies_only: bool) -> Result<Thread, Refusal> {
        let named = self.draft.and_then(|draft| draft.context_id.clone());
        let seq = self.room.last_seq.next();
        if let Some(named) = named.as_ref().filter(|_| self.known.conversation.is_none()) {
            free_to_name(named, UNNAMED, "conversations", "context.context_id")?;
        }
        let answered = self.known.answered.as_ref().and_then(|answered| answered.conversation.as_ref());
        let answered = answered.filter(|_| named.is_none());
        let belongs = answered.filter(|answered| replies_only || answered.owner == self.by.agent_id);
        let conversation = self.known.conversation.as_ref().or(belongs);
        let (context_id, owner_id, opens) = match conversation {
            Some(conversation) => (conversation.context_id.clone(), conversation.owner.clone(), false),
            None => (named.unwrap_or_else(|| numbered(UNNAMED, seq)), self.by.agent_id.clone(), true),
        };
        let said = self.draft.and_then(|draft| draft.owner_id.as_ref());
        let is_owner = |said: &&String| {
            let member = self.room.named(said);
            member.map_or(said.as_str() == owner_id.as_str(), |member| member.agent_id == owner_id)
        };
        if let Some(said) = said.filter(|said| !is_owner(said)) {
            let said: String = said.chars().take(limits::SHOWN_INPUT_CHARS).collect();
            let why = format!("{owner_id} leads this conversation, not {said}");
            return Err(Refusal::invalid("context.owner_id", why));
        }
        // Somebody's task of no conversation is carried into none but their own, where it is from then on.
        if let (Some(task), Some(lead @ TaskLead::Agent(_))) = (task, &self.known.task) {
            lead.require(task, &owner_id)?;
        }
        let begins_task = task.is_some() && matches!(self.known.task, None | Some(TaskLead::Agent(_)));
        if let Some(task) = task.filter(|_| self.known.task.is_none()) {
            free_task_name(task, "task_id")?;
        }
        let conversation_task = conversation.and_then(|conversation| conversation.task_id.clone());
        let task_id = task.cloned().or(conversation_task).unwrap_or_else(|| numbered(UNNAMED_TASK, seq));
        let parent_message_id = self.draft.and_then(|draft| draft.parent_message_id.clone());
        let context = Context { context_id, owner_id, parent_message_id };
        let mut thread = Thread { context, task_id, depth: 0, opens, begins_task };
        thread.depth = self.depth(&thread)?;
        Ok(thread)
    }

    /// How many messages this one follows from, by its parent and by the message that it answers.
    fn depth(&self, thread: &Thread) -> Result<u32, Refusal> {
        let field = "context.parent_message_id";
        let by_parent = match (self.draft.and_then(|draft| draft.parent_message_id.as_ref()), &self.known.parent) {
            (Some(_), Some(parent)) => follow(parent.kind, parent.context_id(), parent.depth, thread, field)?,
            (Some(said), None) => return Err(unknown_message(field, said)),
            (None, _) => 0,
        };
        let by_answered = match &self.known.answered {
            Some(answered) => follow(answered.kind, answered.context_id(), answered.depth, thread, "reply_to")?,
            None => 0,
        };
        Ok(by_parent.max(by_answered))
    }

    /// The same for an action, which may say which action it answers.
    fn depth_of(&self, thread: &Thread, what: &What, field: &dyn Fn(&str) -> String) -> Result<u32, Refusal> {
        let What::Message { reply_to_action_id: Some(answered), .. } = what else { return Ok(thread.depth) };
        let action = self.replied(answered, field)?;
        let (kind, context) = (action.kind.unwrap_or(Kind::Control), Some(&action.context_id));
        let depth = follow(kind, context, action.depth, thread, &field("reply_to_action_id"))?;
        Ok(depth.max(thread.depth))
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
        let looped = |name: &str, why: &str| Err(Refusal::Loop { field: field(name), why: why.to_owned() });
        match what {
            What::Control { .. } if !leads => Err(thread.not_owner("only its owner controls its targets")),
            What::Message { kind: Kind::Reply, reply_to_action_id: Some(answered), .. } => {
                self.require_answer(thread, &self.asked(self.replied(answered, field)?), target, field)
            }
            What::Message { kind: Kind::Reply, .. } => {
                match self.known.answered.as_ref().and_then(|it| self.told(it)) {
                    Some(answered) => self.require_answer(thread, &answered, target, field),
                    None if leads => {
                        looped("kind", "an owner goes on with kind user; a reply of its own says what it answers")
                    }
                    None if target != owner => {
                        looped("dst", "a reply goes to whom it answers: the conversation's owner")
                    }
                    None => Ok(()),
                }
            }
            What::Message { .. } if !leads => Err(thread.not_owner("only its owner issues follow-ups")),
            // A follow-up may say what it follows.
            What::Message { reply_to_action_id: Some(answered), .. } => self.replied(answered, field).map(|_| ()),
            What::Control { .. } | What::Message { .. } => Ok(()),
        }
    }

    fn replied(&self, answered: &BusId, field: &dyn Fn(&str) -> String) -> Result<&Action, Refusal> {
        let unknown = || Refusal::UnknownAction { field: field("reply_to_action_id"), action_id: answered.clone() };
        self.known.replied.iter().find(|action| action.action_id == *answered).ok_or_else(unknown)
    }

    /// An action, as what a reply answers.
    fn asked<'a>(&self, action: &'a Action) -> Answered<'a> {
        let (action_id, target) = (action.action_id.clone(), action.target.clone());
        let foreign = (action.target != self.by.agent_id).then_some(Refusal::NotTarget { action_id, target });
        let kind = action.kind.unwrap_or(Kind::Control);
        let (context_id, owner) = (&action.context_id, &action.owner);
        Answered { field: "reply_to_action_id", foreign, kind, sender: &action.sender, context_id, owner }
    }

    /// A message, as what a reply answers. One that is of no conversation is not answered in one.
    fn told<'a>(&self, message: &'a Parent) -> Option<Answered<'a>> {
        let Conversation { context_id, owner, .. } = message.conversation.as_ref()?;
        let foreign = (!message.recipients.contains(&self.by.agent_id))
            .then(|| Refusal::NotRecipient { field: "reply_to".to_owned(), sender: message.sender.clone() });
        Some(Answered { field: "reply_to", foreign, kind: message.kind, sender: &message.sender, context_id, owner })
    }

    fn require_answer(
        &self,
        thread: &Thread,
        answered: &Answered<'_>,
        target: &AgentId,
        field: &dyn Fn(&str) -> String,
    ) -> Result<(), Refusal> {
        if let Some(foreign) = &answered.foreign {
            return Err(foreign.clone());
        }
        let looped = |name: &str, why: &str| Err(Refusal::Loop { field: field(name), why: why.to_owned() });
        if answered.kind == Kind::Reply {
            return looped(answered.field, "a reply is not replied to");
        }
        if answered.sender != target {
            return looped("dst", "a reply goes to whom it answers");
        }
        if *answered.context_id != thread.context.context_id && *answered.owner != thread.context.owner_id {
            return looped(answered.field, "a reply stays in the conversation of what it answers");
        }
        Ok(())
    }
}

/// What a reply answers.
struct Answered<'a> {
    /// The field that names it.
    field: &'static str,
    /// Why it is not the replier's to answer, if so.
    foreign: Option<Refusal>,
    kind: Kind,
    sender: &'a AgentId,
    context_id: &'a BusId,
    owner: &'a AgentId,
}

impl Parent {
    fn context_id(&self) -> Option<&BusId> {
        self.conversation.as_ref().map(|conversation| &conversation.context_id)
    }
}

/// The depth of what follows from a message, whatever the field that says so. A chain of them is a loop at some point, and
/// a reply is not carried on into another conversation.
fn follow(kind: Kind, context: Option<&BusId>, depth: u32, thread: &Thread, field: &str) -> Result<u32, Refusal> {
    let looped = |why: String| Err(Refusal::Loop { field: field.to_owned(), why });
    let elsewhere = thread.opens || context != Some(&thread.context.context_id);
    if kind == Kind::Reply && elsewhere {
        return looped("a reply is not relayed into another conversation".to_owned());
    }
    let depth = depth.saturating_add(1);
    if depth > limits::RELAY_DEPTH {
        return looped(format!("it would be message {depth} in a row that follows from the one before"));
    }
    Ok(depth)
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
    /// one of that name: a conversation does not change hands by being begun again. `task` is whose the task is that it
    /// is said to have begun: one that is nobody's is of the conversation.
    pub fn report(
        &self,
        by: &Actor,
        report: &Report,
        begun: Option<&Conversation>,
        task: Option<&TaskLead>,
    ) -> Result<Event, Refusal> {
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
                free_to_name(context_id, UNNAMED, "conversations", "data.new_context_id")?;
                let (context_id, owner_id) = (context_id.clone(), self.owner.clone());
                Some(Context { context_id, owner_id, parent_message_id: None })
            }
            (Some(_), Some(_)) | (None, _) => None,
        };
        let named = data.as_ref().and_then(|data| data.new_task_id.as_ref());
        let task_in = match (named, task) {
            (Some(named), Some(lead)) => {
                lead.require(named, &self.owner)?;
                None
            }
            (Some(named), None) => {
                free_task_name(named, "data.new_task_id")?;
                let context = data.as_ref().and_then(|data| data.new_context_id.as_ref());
                Some(context.unwrap_or(&self.context_id).clone())
            }
            (None, _) => None,
        };
        Ok(Event::Resulted(Resulted { begins, task_in, ..self.result(report.status, report.detail.clone(), data) }))
    }

    /// Ends it in place of a target that will not.
    pub fn fail(&self, why: &str) -> Option<Event> {
        self.is_open().then(|| Event::Resulted(self.result(Status::Error, Some(why.to_owned()), None)))
    }

    /// Ends it with the turn of its target that took it and went well. What the target said itself of it stands: that it is
    /// blocked, or still in its queue.
    pub fn complete(&self) -> Option<Event> {
        let silent = matches!(self.status, None | Some(Status::Accepted)) && self.control.is_none();
        silent.then(|| Event::Resulted(self.result(Status::Completed, None, None)))
    }

    fn result(&self, status: Status, detail: Option<String>, data: Option<Data>) -> Resulted {
        Resulted {
            action: self.seq,
            group_id: self.group_id.clone(),
            action_id: self.action_id.clone(),
            action_index: self.action_index,
            target: self.target.clone(),
            sender: self.sender.clone(),
            status,
            detail,
            data,
            begins: None,
            task_in: None,
        }
    }
}

pub(super) fn sender<'a>(room: &'a Room, by: &Actor) -> Result<&'a Member, Refusal> {
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
    match room.named(dst) {
        Some(member) if member.agent_id == by.agent_id => refuse("that is you; an agent does not act on itself"),
        Some(member) => Ok(member),
        None => refuse("no agent of this session has that id or name"),
    }
}

/// Names of conversations that nobody named, before their number.
const UNNAMED: &str = "ctx_";

/// Names of tasks that nobody named, before their number.
const UNNAMED_TASK: &str = "task_";

/// Refuses a name for a new task that another one, or a job, could be given later: whoever began it would end that too.
pub(super) fn free_task_name(name: &BusId, field: &str) -> Result<(), Refusal> {
    let number = name.as_str().to_ascii_uppercase();
    if number.strip_prefix(JobId::PREFIX).is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
        let why = format!("there is no job {name}, and nothing else is called so");
        return Err(Refusal::invalid(field, why));
    }
    free_to_name(name, UNNAMED_TASK, "tasks", field)
}

/// Refuses a name for something new that could be given to another one later.
fn free_to_name(name: &BusId, unnamed: &str, what: &str, field: &str) -> Result<(), Refusal> {
    match name.as_str().strip_prefix(unnamed) {
        Some(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            let why = format!("{name} is how {what} are called that nobody named; choose another name");
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
