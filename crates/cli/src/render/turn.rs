//! Turns: in a line each, one of them whole, and how agents are connected.

use baton_app::{
    commands::{
        jobs::AtWork,
        open::{Input, OpenedTurn, Told},
        turn::{Taken, TurnView},
    },
    connection::AgentConnection,
};
use baton_core::{
    time::Timestamp,
    turn::{StreamStatus, ToolState, ToolUse, Usage},
};

use super::{
    job::refs,
    library::artifact_lines,
    words::{ago, block, columns, line},
};
use crate::{commands::surface::as_typed, ui::clean};

/// Turns, a line each.
pub(crate) fn turn_lines(turns: &[TurnView], now: Timestamp) -> String {
    let row = |turn: &TurnView| {
        let when = match turn.ended_at {
            Some(ended) => format!("ended {} after {}", ago(ended, now), ended.since(turn.began_at)),
            None => format!("began {}", ago(turn.began_at, now)),
        };
        let took = took(&turn.usage).map_or_else(String::new, |took| format!(", {took}"));
        let why = turn.why.as_ref().map_or_else(String::new, |why| format!(": {}", line(why)));
        [turn.turn.to_string(), line(&turn.agent), how(turn).to_owned(), format!("{when}{took}{why}")]
    };
    columns(&turns.iter().map(row).collect::<Vec<_>>())
}

fn how(turn: &TurnView) -> &'static str {
    turn.outcome.map_or("open", |outcome| outcome.as_str())
}

/// What something took. Nothing, if nobody said.
pub(super) fn took(usage: &Usage) -> Option<String> {
    if *usage == Usage::default() {
        return None;
    }
    let cached = match usage.cached_tokens {
        0 => String::new(),
        cached => format!(" ({cached} cached)"),
    };
    let cost = usage.cost_microusd.map_or_else(String::new, |cost| {
        let (whole, part) = (cost / 1_000_000, cost % 1_000_000);
        format!(", ${whole}.{:04}", part / 100)
    });
    Some(format!("{} tokens in{cached}, {} out{cost}", usage.input_tokens, usage.output_tokens))
}

/// How an agent is connected, in a line.
pub(crate) fn connection_line(connection: &AgentConnection, now: Timestamp) -> String {
    let stream = match connection.stream {
        StreamStatus::Closed => String::new(),
        stream => format!(", {stream}"),
    };
    let with = match (&connection.provider, &connection.session) {
        (Some(provider), Some(session)) => format!("; {} {}", line(provider), line(session)),
        (Some(one), None) | (None, Some(one)) => format!("; {}", line(one)),
        (None, None) => String::new(),
    };
    let active = connection.last_activity_at.map_or_else(String::new, |at| format!("; active {}", ago(at, now)));
    format!("{}{stream}: {}{with}{active}", connection.state.as_str(), line(&connection.why))
}

/// How the agent of a job is at it. Nothing, while nobody has been.
pub(crate) fn at_work(agent: &AtWork, now: Timestamp) -> String {
    let Some(turn) = &agent.turn else { return String::new() };
    let took = agent.usage.as_ref().and_then(took).map_or_else(String::new, |took| format!("; {took}"));
    let turns = format!("{}, the last {} {}{took}", agent.turns, turn.turn, how(turn));
    block("agent", &connection_line(&agent.connection, now)) + &block("turns", &turns)
}

/// Something that a turn took, whole.
pub(crate) fn taken_item(item: &Taken) -> String {
    let interrupt = if item.interrupts { " interrupts" } else { "" };
    let reference = item.reference.as_ref().map_or_else(String::new, |reference| format!("  {reference}"));
    let indented = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") };
    let text: String = clean(&item.text).lines().map(indented).collect();
    let from = line(&item.from_name);
    format!("\n{}  {}{interrupt}  from {from}{reference}\n{text}", item.message, item.category.as_str())
}

/// A turn, with all that is on record about it.
pub(super) fn turn_page(opened: &OpenedTurn, now: Timestamp) -> String {
    let turn = &opened.turn;
    let mut page = format!("{}  turn {} of {}\n", turn.turn, turn.number, line(&turn.agent));
    page.push_str(&block("status", &status(turn, now)));
    if let (Some(job), Some(runner)) = (turn.job, &turn.runner_id) {
        let with = turn.executor.map_or_else(String::new, |executor| format!(" with {executor}"));
        page.push_str(&block("for", &format!("{job}, run by {runner}{with}")));
    }
    if let Some(session) = &turn.session {
        page.push_str(&block("session", session));
    }
    if let Some(took) = took(&turn.usage) {
        page.push_str(&block("took", &took));
    }
    if !opened.refs.is_empty() {
        page.push_str(&block("refs", &refs(&opened.refs)));
    }
    let tools = format!("Tools, {} used", turn.tools);
    page + &part("Consumed", &inputs(opened))
        + &part("Told", &opened.prompts.iter().map(|told| prompt(told, now)).collect::<String>())
        + &part(&tools, &tool_lines(&opened.tools))
        + &part("Files", &artifact_lines(&opened.artifacts))
        + &opened.more.iter().map(|pointer| format!("{}\n", as_typed(pointer))).collect::<String>()
}

fn status(turn: &TurnView, now: Timestamp) -> String {
    let why = turn.why.as_ref().map_or_else(String::new, |why| format!(": {why}"));
    match turn.ended_at {
        None => format!("open, began {}", ago(turn.began_at, now)),
        Some(ended) => {
            let back = if turn.returned { "\nwhat it had consumed went back to the queue" } else { "" };
            format!("{}, ended {} after {}{why}{back}", how(turn), ago(ended, now), ended.since(turn.began_at))
        }
    }
}

fn inputs(opened: &OpenedTurn) -> String {
    let row = |input: &Input| {
        let named = input.reference.as_ref().map_or_else(|| input.message.to_string(), ToString::to_string);
        let sort = if input.interrupts { "interrupt" } else { input.category.as_str() };
        [line(&named), sort.to_owned(), line(&input.from_name), line(&input.text)]
    };
    columns(&opened.inputs.iter().map(row).collect::<Vec<_>>())
}

pub(super) fn prompt(told: &Told, now: Timestamp) -> String {
    let role = told.role.as_ref().map_or_else(String::new, |role| format!(" as {}", line(role)));
    let pack = told.context_ref.as_ref().map_or_else(String::new, |pack| format!(", with {pack}"));
    let (mode, sent, tokens) = (told.mode, told.sent_tokens, told.tokens);
    let kept = if told.refs.is_empty() { String::new() } else { format!("  {}", refs(&told.refs)) };
    format!("{mode}{role}, {sent} of {tokens} tokens{pack}, {}{kept}\n", ago(told.at, now))
}

fn tool_lines(tools: &[ToolUse]) -> String {
    let row = |used: &ToolUse| tool_row(&used.name, &used.detail, used.state, used.at);
    columns(&tools.iter().map(row).collect::<Vec<_>>())
}

/// When a tool was used, which, how that went and with what.
pub(super) fn tool_row(name: &str, detail: &str, state: ToolState, at: Timestamp) -> [String; 4] {
    let state = match state {
        ToolState::Started => "",
        ToolState::Done => "done",
        ToolState::Failed => "failed",
    };
    [at.to_string(), line(name), state.to_owned(), line(detail)]
}

/// Lines under a heading. Nothing, if there are none.
pub(super) fn part(heading: &str, lines: &str) -> String {
    if lines.is_empty() { String::new() } else { format!("\n{heading}\n{lines}") }
}
