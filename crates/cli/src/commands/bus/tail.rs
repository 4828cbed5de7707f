//! `baton bus tail`

use std::{cell::RefCell, process::ExitCode};

use baton_app::{
    Caller, Failure,
    bus::Record,
    commands::{
        agent::{List, ListInput},
        bus::{History, HistoryInput, HistoryResult},
    },
    table::UseCase,
};
use baton_core::{
    ids::{AgentId, RoomId, Seq},
    limits,
};

use super::session::{SessionArgs, is_over};
use crate::{
    audience::Audience,
    context::Context,
    exit::Exit,
    render::{self, Names},
    ui::Ui,
};

/// How many events are shown unless asked otherwise.
const LINES: u32 = 20;

/// The last word of a session.
const CLOSED: &str = "session.closed";

/// Read what happened in a session, a line for each event; with --follow as it happens, until the session is over
///
/// With --json each line is an event as the socket and the HTTP server tell it, with no envelope around it: {"v","type","id","ts",
/// "src","dst","session","seq","payload"}.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  baton bus tail                                         the newest 20 events
  baton bus tail --after 0 --json                        all of it, for a program
  baton bus tail --follow --types action.result          results as they come in")]
pub(in crate::commands) struct TailArgs {
    /// All events after this one [default: the newest]
    #[arg(long, value_name = "SEQ", conflicts_with = "lines")]
    after: Option<u64>,
    /// How many of the newest [default: 20]
    #[arg(long, short = 'n', value_name = "N")]
    lines: Option<u32>,
    /// Only these types: message.created, action.result, …
    #[arg(long, value_name = "TYPE,…", value_delimiter = ',')]
    types: Vec<String>,
    /// Go on until the session is over; costs nothing while nothing happens
    #[arg(long, short)]
    follow: bool,
    #[command(flatten)]
    session: SessionArgs,
}

/// A session as it is read on.
struct Reader<'a> {
    context: &'a Context,
    caller: Caller,
    audience: Audience,
    room_id: RoomId,
    types: Option<Vec<String>>,
    /// Names of agents, as far as they were needed.
    names: RefCell<Names>,
}

impl TailArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.session.find(context)?;
        let audience = Audience::new()?;
        let caller = context.caller.clone().on(context.caller.connection.clone(), audience.cancel().clone());
        let types = (!self.types.is_empty()).then_some(self.types);
        let names = RefCell::default();
        let reader = Reader { context, caller, audience, room_id, types, names };
        let newest = context.app.newest(&reader.room_id)?;
        let (shown, after) = match self.after {
            Some(after) => (Vec::new(), Seq(after)),
            None => (reader.newest(newest, self.lines.unwrap_or(LINES))?, newest),
        };
        if !shown.iter().all(|record| reader.show(ui, record)) {
            return Ok(Exit::Done.into());
        }
        reader.read_on(ui, after, self.follow)
    }
}

impl Reader<'_> {
    /// The newest events up to a place, oldest first.
    fn newest(&self, newest: Seq, lines: u32) -> Result<Vec<Record>, Failure> {
        let mut before = newest.next();
        let mut found: Vec<Record> = Vec::new();
        loop {
            let missing = lines.saturating_sub(u32::try_from(found.len()).unwrap_or(u32::MAX));
            if missing == 0 {
                break;
            }
            let limit = Some(missing.min(limits::EVENTS_MAX));
            let page = self.page(HistoryInput { before: Some(before), limit, ..self.asking() })?;
            found.extend(page.events);
            before = page.cursor;
            if !page.has_more {
                break;
            }
        }
        found.reverse();
        Ok(found)
    }

    /// Shows all events after a place, and perhaps those that are yet to come. All are read, wanted or not: the last word
    /// of a session ends it.
    fn read_on(&self, ui: Ui, mut after: Seq, follow: bool) -> Result<ExitCode, Failure> {
        let mut over = !follow || is_over(self.context, &self.room_id)?;
        loop {
            let max_wait_ms = (!over).then(|| limits::WAIT_MAX.as_millis());
            let (after_this, limit) = (Some(after), Some(limits::EVENTS_MAX));
            let asked = HistoryInput { after: after_this, limit, max_wait_ms, types: None, ..self.asking() };
            let Some(page) = self.audience.unless_left(self.page(asked))? else { break };
            over = over || page.events.iter().any(|record| record.kind == CLOSED);
            let mut wanted = page.events.iter().filter(|record| self.wants(record));
            if !wanted.all(|record| self.show(ui, record)) || self.audience.has_left() || (over && !page.has_more) {
                break;
            }
            after = page.cursor;
        }
        Ok(Exit::Done.into())
    }

    /// Shows one event. Whoever reads may have gone.
    fn show(&self, ui: Ui, record: &Record) -> bool {
        let line = || {
            self.learn([Some(&record.src), record.dst.as_ref()].into_iter().flatten());
            render::record_line(record, &self.names.borrow())
        };
        ui.line(record, line).is_ok()
    }

    /// Looks up the names of agents that were not met before. One that has none is not looked up again.
    fn learn<'a>(&self, agents: impl Iterator<Item = &'a AgentId>) {
        let mut names = self.names.borrow_mut();
        let unknown: Vec<&AgentId> = agents.filter(|agent| !names.contains_key(*agent)).collect();
        if unknown.is_empty() {
            return;
        }
        let asked = ListInput { room_id: self.room_id.clone(), all: true };
        let listed = List::run(&self.context.app, &self.caller, asked).map(|listed| listed.agents).unwrap_or_default();
        // Members come before those who left, and the later before the earlier.
        names.extend(listed.into_iter().rev().map(|agent| (agent.id, agent.name)));
        for agent in unknown {
            names.entry(agent.clone()).or_insert_with(|| agent.to_string());
        }
    }

    fn wants(&self, record: &Record) -> bool {
        self.types.as_ref().is_none_or(|types| types.contains(&record.kind))
    }

    fn page(&self, asked: HistoryInput) -> Result<HistoryResult, Failure> {
        History::run(&self.context.app, &self.caller, asked)
    }

    fn asking(&self) -> HistoryInput {
        HistoryInput {
            room_id: self.room_id.clone(),
            after: None,
            before: None,
            types: self.types.clone(),
            limit: None,
            max_wait_ms: None,
        }
    }
}
