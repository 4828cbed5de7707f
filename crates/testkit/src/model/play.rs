//! What the model does next.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{
    Gate, Step, Turn,
    action::Next,
    state::{CallId, Seen, Shared},
    step::{Decision, Kind, Tool},
    talk::{Answer, Item, Talk},
    tools::{NO_TOOL, Way, instance_of},
};

/// The status of a script that failed: one on which the programs soon give up.
const REFUSED: u16 = 400;

/// How a request is answered.
#[derive(Debug)]
pub(super) enum Reply {
    Answer(Answer),
    Fail {
        status: u16,
        message: String,
    },
    /// Not at all: nobody is there any more.
    HangUp,
}

/// A reply, and the conversation that it ends.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) reply: Reply,
    pub(super) finishes: Option<usize>,
}

/// What a step asks of the server.
enum Now {
    Reply(Played),
    Ask { decision: Decision, play: usize, step: usize },
    Wait(Gate),
}

impl Played {
    /// A reply after which the script goes on, or does not but for other reasons.
    pub(super) fn on_the_way(reply: Reply) -> Self {
        Self { reply, finishes: None }
    }
}

/// Answers something that a program asks on the side (a title, a summary), which is no step of any script.
pub(super) fn aside(talk: &Talk) -> Reply {
    let text = talk.schema.as_ref().map_or_else(|| "ok".to_owned(), |schema| instance_of(schema).to_string());
    Reply::Answer(Answer::Say(text))
}

impl Shared {
    /// Answers a request with the next step of its script. `gone` tells whether the program still listens.
    pub(super) fn play(&self, name: &str, talk: &Talk, gone: impl Fn() -> bool) -> Played {
        let turn = Turn::of(talk);
        let mut noted = None;
        loop {
            match self.step(name, talk, &turn, &mut noted) {
                Ok(Now::Reply(played)) => return played,
                Ok(Now::Wait(gate)) => {
                    gate.wait();
                    if gone() {
                        return Played::on_the_way(Reply::HangUp);
                    }
                }
                Ok(Now::Ask { decision, play, step }) => match catch_unwind(AssertUnwindSafe(|| decision.0(&turn))) {
                    Ok(decided) => self.decided(play, step, decided),
                    Err(panic) => self.decided_badly(play, step, panic.as_ref()),
                },
                Err(why) => {
                    self.fail(why.clone());
                    let message = format!("the script failed: {why}");
                    return Played::on_the_way(Reply::Fail { status: REFUSED, message });
                }
            }
        }
    }

    /// Looks where the conversation stands and what comes next. A step is noted once for each request.
    fn step(&self, name: &str, talk: &Talk, turn: &Turn, noted: &mut Option<usize>) -> Result<Now, String> {
        let mut state = self.state();
        if state.closed {
            return Ok(Now::Reply(Played::on_the_way(Reply::HangUp)));
        }
        let play = state.play_of(name, talk)?;
        let step = state.plays[play].position(&talk.items);
        let Some(next) = state.plays[play].steps.get(step).cloned() else {
            return Err(format!("{name}: the program asked to go on after the script's last step"));
        };
        if *noted != Some(step) {
            *noted = Some(step);
            let reached = &mut state.plays[play].reached;
            *reached = (*reached).max(step + 1);
            state.seen.push(Seen { play, step, turn: turn.clone() });
            self.changed.notify_all();
        }
        if let Some(result) = turn.results.last().filter(|result| result.text.starts_with(NO_TOOL)) {
            return Err(format!("{name}: step {}: {}", result.step, result.text));
        }
        let id = CallId::Step { play, step }.to_string();
        let reply = match next.0.clone() {
            Kind::Decide(decision) => return Ok(Now::Ask { decision, play, step }),
            Kind::Hold(gate) => return Ok(Now::Wait(gate)),
            Kind::Fail { status, .. } => {
                state.plays[play].failed[step] += 1;
                Reply::Fail { status, message: "the script says to fail".to_owned() }
            }
            Kind::Say(text) => Reply::Answer(talk.ending(id, text)),
            Kind::Answer(value) => Reply::Answer(match talk.structured() {
                Some(tool) => Answer::Call { id, tool, arguments: value },
                None => Answer::Say(value.to_string()),
            }),
            Kind::Call { .. } | Kind::Act(_) => match next_call(&next, talk, play, step) {
                Some((CallId::Preparation { .. }, answer)) => {
                    state.plays[play].answered = true;
                    // The step itself is still to come.
                    return Ok(Now::Reply(Played::on_the_way(Reply::Answer(answer))));
                }
                Some((CallId::Step { .. }, answer)) => Reply::Answer(answer),
                None => {
                    // Said once, however often the program tries.
                    state.plays[play].steps[step] = Step::fail(REFUSED);
                    return Err(format!(
                        "{name}: step {step}: no tool for {next:?} is on offer, only {:?}",
                        turn.tools
                    ));
                }
            },
        };
        state.plays[play].answered |= matches!(reply, Reply::Answer(_));
        let is_last = step + 1 == state.plays[play].steps.len();
        Ok(Now::Reply(Played { reply, finishes: is_last.then_some(play) }))
    }

    fn decided(&self, play: usize, step: usize, decided: Step) {
        self.state().plays[play].steps[step] = decided;
    }

    /// A test's assertion did not hold. It has printed itself; the script fails with the same words.
    fn decided_badly(&self, play: usize, step: usize, panic: &(dyn std::any::Any + Send)) {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let why = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        let mut state = self.state();
        let name = state.scripts[state.plays[play].script].name.clone();
        state.plays[play].steps[step] = Step::fail(REFUSED);
        drop(state);
        self.fail(format!("{name}: step {step} could not be decided: {why}"));
    }
}

/// The next call that a step takes: its own, or one that prepares it. None if there is no tool for it.
fn next_call(step: &Step, talk: &Talk, play: usize, number: usize) -> Option<(CallId, Answer)> {
    let prepared = preparations(talk, play, number);
    let time = prepared.len();
    let (own, preparation) = (CallId::Step { play, step: number }, CallId::Preparation { play, step: number, time });
    let (tool, arguments, purpose) = match &step.0 {
        Kind::Call { tool, arguments } => (tool.clone(), arguments.clone(), own),
        Kind::Act(action) => match action.next(talk, &prepared) {
            Next::Preparation(call) => (Tool::Own(call.tool.to_owned()), call.arguments, preparation),
            Next::Call(call) => (Tool::Own(call.tool.to_owned()), call.arguments, own),
            Next::None => return None,
        },
        Kind::Say(_) | Kind::Answer(_) | Kind::Fail { .. } | Kind::Hold(_) | Kind::Decide(_) => return None,
    };
    let (id, tool, arguments) = match talk.way_to(&tool, arguments, time) {
        Way::Call { tool, arguments } => (purpose, tool, arguments),
        Way::Search { with, arguments } => (preparation, with, arguments),
        Way::None => return None,
    };
    Some((id, Answer::Call { id: id.to_string(), tool, arguments }))
}

/// The results of the calls that prepared a step.
fn preparations(talk: &Talk, play: usize, step: usize) -> Vec<String> {
    let result = |item: &Item| match item {
        Item::Returned { id, text, .. } => match CallId::parse(id)? {
            CallId::Preparation { play: p, step: s, .. } => ((p, s) == (play, step)).then(|| text.clone()),
            CallId::Step { .. } => None,
        },
        Item::User(_) | Item::Said(_) | Item::Called { .. } => None,
    };
    talk.items.iter().filter_map(result).collect()
}
