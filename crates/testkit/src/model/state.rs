//! What the server knows: the scripts it was given, the conversations that play them, what it saw and what went wrong.

use std::{
    fmt,
    net::TcpStream,
    sync::{Condvar, Mutex, MutexGuard},
};

use super::{
    Step, Turn,
    step::Kind,
    talk::{Conversation, Item, Talk},
};

#[derive(Debug, Default)]
pub(super) struct Shared {
    state: Mutex<State>,
    pub(super) changed: Condvar,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) closed: bool,
    pub(super) scripts: Vec<Given>,
    pub(super) plays: Vec<Play>,
    pub(super) seen: Vec<Seen>,
    pub(super) failures: Vec<String>,
    pub(super) connections: Vec<TcpStream>,
    /// How many requests there were, of any kind.
    pub(super) requests: usize,
    /// Whose address each request to go on came to, side requests included.
    pub(super) asked: Vec<String>,
}

/// A script as the test gave it.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) name: String,
    pub(super) steps: Vec<Step>,
    pub(super) audience: Audience,
}

/// Which conversations a script is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Audience {
    /// The next one.
    Next,
    /// None any more: it has had its conversation.
    Gone,
    /// Every one for which there is no other.
    All,
    /// The one whose user said this: a sub-agent's.
    Prompted(String),
}

/// A conversation that plays a script.
#[derive(Debug)]
pub(super) struct Play {
    pub(super) script: usize,
    conversation: Conversation,
    /// The steps, of which those that a test decided are replaced by what it decided.
    pub(super) steps: Vec<Step>,
    /// How many steps were asked for.
    pub(super) reached: usize,
    /// How many requests each step has failed.
    pub(super) failed: Vec<usize>,
    /// Whether the model answered, and did not only fail.
    pub(super) answered: bool,
    pub(super) finished: bool,
}

/// A request that asked for a step.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) play: usize,
    pub(super) step: usize,
    pub(super) turn: Turn,
}

/// What the server calls a call, so that the conversation tells how far it got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallId {
    Step {
        play: usize,
        step: usize,
    },
    /// A call that a step needs before its own: a search for the tool, a reading of the file.
    Preparation {
        play: usize,
        step: usize,
        time: usize,
    },
}

impl Shared {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Remembers that a script cannot be played as it is written. A program that tries again fails it no further.
    pub(super) fn fail(&self, why: String) {
        let mut state = self.state();
        if !state.failures.contains(&why) {
            state.failures.push(why);
        }
        self.changed.notify_all();
    }
}

impl State {
    /// The conversation that a request belongs to, which may begin with it.
    pub(super) fn play_of(&mut self, name: &str, talk: &Talk) -> Result<usize, String> {
        let prompted = self.script_for_prompt(name, talk);
        let ours = |play: &Play| match prompted {
            // A sub-agent may carry the session, and even the history, of the agent that started it.
            Some(script) => play.script == script,
            None => self.scripts[play.script].is_for(name),
        };
        let by_mark = self.plays.iter().rposition(|play| ours(play) && play.is_of(talk));
        let from_history = talk.items.iter().find_map(|item| match item {
            Item::Called { id } => CallId::parse(id).map(CallId::play),
            Item::User(_) | Item::Said(_) | Item::Returned { .. } => None,
        });
        let by_history = from_history.filter(|play| self.plays.get(*play).is_some_and(ours));
        let known = match talk.conversation {
            // A session that goes on under another id still has its calls in its history.
            Conversation::Named(_) => by_mark.or(by_history),
            Conversation::Begun(_) => by_history.or(by_mark),
        };
        if let Some(play) = known {
            return Ok(play);
        }
        let waits = |script: &Given| script.is_for(name) && script.audience != Audience::Gone;
        let next = prompted.or_else(|| self.scripts.iter().position(waits));
        let none = || format!("{name}: there is no script for the conversation {:?}", talk.conversation);
        let script = next.ok_or_else(none)?;
        let given = &mut self.scripts[script];
        if given.audience == Audience::Next {
            given.audience = Audience::Gone;
        }
        let steps = given.steps.clone();
        let failed = vec![0; steps.len()];
        let conversation = talk.conversation.clone();
        self.plays.push(Play { script, conversation, steps, reached: 0, failed, answered: false, finished: false });
        Ok(self.plays.len() - 1)
    }

    /// The script that is for a conversation with this prompt.
    fn script_for_prompt(&self, name: &str, talk: &Talk) -> Option<usize> {
        let said =
            |prompt: &str| talk.items.iter().any(|item| matches!(item, Item::User(text) if text.contains(prompt)));
        self.scripts.iter().position(|script| match &script.audience {
            Audience::Prompted(prompt) => script.name == name && said(prompt),
            Audience::Next | Audience::Gone | Audience::All => false,
        })
    }
}

impl Given {
    /// Whether it is for conversations of `name` that are not known by their prompt.
    fn is_for(&self, name: &str) -> bool {
        self.name == name && !matches!(self.audience, Audience::Prompted(_))
    }
}

impl Play {
    fn is_of(&self, talk: &Talk) -> bool {
        if self.conversation != talk.conversation {
            return false;
        }
        match &self.conversation {
            Conversation::Named(name) => !name.is_empty(),
            // The same first text twice is a new conversation, unless it repeats a request that got no answer.
            Conversation::Begun(_) => !self.answered || talk.items.iter().any(|item| matches!(item, Item::Said(_))),
        }
    }

    /// The step that comes next, by what the conversation shows to have been played.
    pub(super) fn position(&self, items: &[Item]) -> usize {
        let mut position = 0;
        for item in items {
            match item {
                Item::Called { id } => {
                    if let Some(CallId::Step { step, .. }) = CallId::parse(id) {
                        position = position.max(step + 1);
                    }
                }
                Item::Said(text) => {
                    let said = |step: &usize| self.steps[*step].text().is_some_and(|own| own.trim() == text.trim());
                    position = (position..self.reached).find(said).map_or(position, |step| step + 1);
                }
                Item::User(_) | Item::Returned { .. } => {}
            }
        }
        // What leaves no trace in a conversation is passed by here.
        while self.steps.get(position).is_some_and(|step| self.is_over(position, step)) {
            position += 1;
        }
        position
    }

    fn is_over(&self, position: usize, step: &Step) -> bool {
        match &step.0 {
            Kind::Fail { times, .. } => times.is_some_and(|times| self.failed[position] >= times),
            Kind::Hold(gate) => gate.is_open(),
            Kind::Call { .. } | Kind::Act(_) | Kind::Say(_) | Kind::Answer(_) | Kind::Decide(_) => false,
        }
    }
}

impl CallId {
    /// Reads one that this server made.
    pub(super) fn parse(id: &str) -> Option<Self> {
        let numbers: Result<Vec<usize>, _> = id.strip_prefix("scripted_")?.split('_').map(str::parse).collect();
        match numbers.ok()?.as_slice() {
            [play, step] => Some(Self::Step { play: *play, step: *step }),
            [play, step, time] => Some(Self::Preparation { play: *play, step: *step, time: *time }),
            _ => None,
        }
    }

    fn play(self) -> usize {
        match self {
            Self::Step { play, .. } | Self::Preparation { play, .. } => play,
        }
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step { play, step } => write!(f, "scripted_{play}_{step}"),
            Self::Preparation { play, step, time } => write!(f, "scripted_{play}_{step}_{time}"),
        }
    }
}
