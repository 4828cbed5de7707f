//! What the model does next.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{
    Gate, Step, Turn,
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
        let reply = match next.0 {
            Kind::Decide(decision) => return Ok(Now::Ask { decision, play, step }),
            Kind::Hold(gate) => return Ok(Now::Wait(gate)),
            Kind::Fail { status, .. } => {
                state.plays[play].failed[step] += 1;
                Reply::Fail { status, message: "the script says to fail".to_owned() }
            }
            Kind::Say(text) => Reply::Answer(Answer::Say(text)),
            Kind::Answer(value) => Reply::Answer(match talk.structured() {
                Some(tool) => Answer::Call { id, tool, arguments: value },
                None => Answer::Say(value.to_string()),
            }),
            Kind::Call { tool, arguments } => {
                let time = searches(talk, play, step);
                match talk.way_to(&tool, arguments, time) {
                    Way::Call { tool, arguments } => Reply::Answer(Answer::Call { id, tool, arguments }),
                    Way::Search { with, arguments } => {
                        let id = CallId::Search { play, step, time }.to_string();
                        let search = Answer::Call { id, tool: with, arguments };
                        // The step itself is still to come.
                        return Ok(Now::Reply(Played::on_the_way(Reply::Answer(search))));
                    }
                    Way::None => {
                        // Said once, however often the program tries.
                        state.plays[play].steps[step] = Step::fail(REFUSED);
                        return Err(no_tool(name, step, &tool, turn));
                    }
                }
            }
        };
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

/// How often a step's tool was searched for already.
fn searches(talk: &Talk, play: usize, step: usize) -> usize {
    let is_search = |item: &&Item| match item {
        Item::Called { id } => {
            matches!(CallId::parse(id), Some(CallId::Search { play: p, step: s, .. }) if (p, s) == (play, step))
        }
        Item::User(_) | Item::Said(_) | Item::Returned { .. } => false,
    };
    talk.items.iter().filter(is_search).count()
}

fn no_tool(name: &str, step: usize, tool: &Tool, turn: &Turn) -> String {
    format!("{name}: step {step}: no {tool:?} is on offer, only {:?}", turn.tools)
}
