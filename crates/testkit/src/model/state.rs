//! What the server knows: the scripts it was given, the conversations that play them, what it saw and what went wrong.

use std::{
    fmt,
    net::TcpStream,
    sync::{Condvar, Mutex, MutexGuard},
};

use super::{
    Step, Turn,
    step::Kind,
    talk::{Item, Talk},
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
}

/// A script as the test gave it.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) name: String,
    pub(super) steps: Vec<Step>,
    pub(super) audience: Audience,
}

/// Which conversations a script is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Audience {
    /// The next one.
    Next,
    /// None any more: it has had its conversation.
    Gone,
    /// Every one for which there is no other.
    All,
}

/// A conversation that plays a script.
#[derive(Debug)]
pub(super) struct Play {
    pub(super) script: usize,
    session: String,
    /// The steps, of which those that a test decided are replaced by what it decided.
    pub(super) steps: Vec<Step>,
    /// How many steps were asked for.
    pub(super) reached: usize,
    /// How many requests each step has failed.
    pub(super) failed: Vec<usize>,
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
    Step { play: usize, step: usize },
    Search { play: usize, step: usize, time: usize },
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
        let ours = |play: &Play, scripts: &[Given]| scripts[play.script].name == name;
        let known = |play: &Play| !talk.session.is_empty() && play.session == talk.session;
        if let Some(play) = self.plays.iter().position(|play| known(play) && ours(play, &self.scripts)) {
            return Ok(play);
        }
        // A session that goes on under another id still has its calls in its history.
        let from_history = talk.items.iter().find_map(|item| match item {
            Item::Called { id } => CallId::parse(id).map(CallId::play),
            Item::User(_) | Item::Said(_) | Item::Returned { .. } => None,
        });
        if let Some(play) = from_history.filter(|play| self.plays.get(*play).is_some_and(|p| ours(p, &self.scripts))) {
            return Ok(play);
        }
        let next = self.scripts.iter().position(|script| script.name == name && script.audience != Audience::Gone);
        let none = || format!("{name}: there is no script for the conversation {}", talk.session);
        let script = next.ok_or_else(none)?;
        let given = &mut self.scripts[script];
        if given.audience == Audience::Next {
            given.audience = Audience::Gone;
        }
        let steps = given.steps.clone();
        let failed = vec![0; steps.len()];
        self.plays.push(Play { script, session: talk.session.clone(), steps, reached: 0, failed, finished: false });
        Ok(self.plays.len() - 1)
    }
}

impl Play {
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
            Kind::Call { .. } | Kind::Say(_) | Kind::Answer(_) | Kind::Decide(_) => false,
        }
    }
}

impl CallId {
    /// Reads one that this server made.
    pub(super) fn parse(id: &str) -> Option<Self> {
        let numbers: Result<Vec<usize>, _> = id.strip_prefix("scripted_")?.split('_').map(str::parse).collect();
        match numbers.ok()?.as_slice() {
            [play, step] => Some(Self::Step { play: *play, step: *step }),
            [play, step, time] => Some(Self::Search { play: *play, step: *step, time: *time }),
            _ => None,
        }
    }

    fn play(self) -> usize {
        match self {
            Self::Step { play, .. } | Self::Search { play, .. } => play,
        }
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step { play, step } => write!(f, "scripted_{play}_{step}"),
            Self::Search { play, step, time } => write!(f, "scripted_{play}_{step}_{time}"),
        }
    }
}
