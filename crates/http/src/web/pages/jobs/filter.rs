//! Which jobs a page shows. All of it is in the address, so that it can be kept, sent and gone back to.

use baton_app::commands::jobs::{Order, OverviewInput};
use baton_core::{
    ids::{AgentId, AnchorId, RoomId},
    job::{Choice, Marker, Status},
    task::TaskId,
};
use maud::{Markup, html};

use crate::web::{at::At, look::Look};

/// In place of a status: those that are over, too.
pub(super) const ALL: &str = "all";
/// What narrows the listing, apart from the chips above it.
const FIELDS: [&str; 5] = ["task", "anchor", "executor", "runner", "text"];
/// Where a listing begins, which says nothing about another one.
pub(super) const CURSOR: &str = "cursor";

/// What an address asks for.
pub(super) struct Filter {
    pub(super) input: OverviewInput,
    /// What it asks for that cannot be: the field, and what it says.
    wrong: Vec<(&'static str, String)>,
}

impl Filter {
    pub(super) fn of(at: &At, room: Option<&RoomId>) -> Self {
        let mut reading = Reading { at, wrong: Vec::new() };
        let status = at.query("status").filter(|status| *status != ALL);
        let order = match at.query("sort") {
            Some("newest") => Order::Newest,
            Some("oldest") => Order::Oldest,
            _ if at.query("status") == Some(ALL) => Order::Newest,
            _ => Order::Pressing,
        };
        let task: Option<TaskId> = reading.field("task", |text| text.parse().ok());
        let input = OverviewInput {
            room_id: room.cloned(),
            status: status.and_then(|_| reading.field("status", |text| Status::named(&text.to_uppercase()))),
            marker: reading.field("marker", Marker::named),
            task,
            anchor: reading.field("anchor", |text| text.parse::<AnchorId>().ok()).filter(|_| task.is_none()),
            executor: reading.field("executor", Choice::named),
            runner: reading.field("runner", |text| text.parse::<AgentId>().ok()),
            text: at.query("text").map(str::to_owned),
            order,
            cursor: at.parsed(CURSOR),
            limit: None,
            only_jobs: false,
        };
        Self { input, wrong: reading.wrong }
    }

    /// Whether jobs that are over are shown, too.
    pub(super) fn shows_all(&self) -> bool {
        self.input.status.is_none() && self.input.order != Order::Pressing
    }

    /// Whether anything narrows the listing.
    pub(super) fn narrows(&self) -> bool {
        let OverviewInput { status, marker, task, anchor, executor, runner, text, .. } = &self.input;
        let others = anchor.is_some() || runner.is_some() || text.is_some();
        status.is_some() || marker.is_some() || task.is_some() || executor.is_some() || others
    }

    /// The fields to fill in, and what was wrong with them.
    pub(super) fn form(&self, look: &Look<'_>) -> Markup {
        let value = |name: &str| look.at.query(name).unwrap_or_default().to_owned();
        let sorts = [("", "most pressing"), ("newest", "newest"), ("oldest", "oldest")];
        let is_open = FIELDS.iter().any(|name| look.at.query(name).is_some());
        let clear: Vec<(&str, &str)> =
            FIELDS.iter().copied().chain(["status", "marker", "sort", CURSOR]).map(|name| (name, "")).collect();
        html! {
            h2.hidden { "Filter" }
            @for (name, said) in &self.wrong {
                p.notice { span { (name) ": " bdi { (said) } " is none. It is left out." } }
            }
            details.filters open[is_open] {
                summary { "Filter" }
                form method="get" action=(look.at.path()) {
                    @for kept in ["status", "marker"] {
                        @if let Some(value) = look.at.query(kept) { input type="hidden" name=(kept) value=(value); }
                    }
                    label { span { "Text" } input name="text" value=(value("text")) placeholder="title, summary, last word"; }
                    label { span { "Task" } input name="task" value=(value("task")) placeholder="TASK-001"; }
                    label { span { "Anchor" } input name="anchor" value=(value("anchor")) placeholder="a:core"; }
                    label {
                        span { "Executor" }
                        select name="executor" {
                            option value="" { "any" }
                            @for choice in Choice::ALL {
                                option value=(choice) selected[self.input.executor == Some(*choice)] { (choice) }
                            }
                        }
                    }
                    label { span { "Runner" } input name="runner" value=(value("runner")); }
                    label {
                        span { "Order" }
                        select name="sort" {
                            @for (sort, words) in sorts {
                                option value=(sort) selected[value("sort") == sort] { (words) }
                            }
                        }
                    }
                    p.tools {
                        button type="submit" { "Show" }
                        @if self.narrows() || self.shows_all() { a href=(look.at.with(&clear)) { "Clear" } }
                    }
                }
            }
        }
    }
}

struct Reading<'a> {
    at: &'a At,
    wrong: Vec<(&'static str, String)>,
}

impl Reading<'_> {
    fn field<T>(&mut self, name: &'static str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = self.at.query(name)?;
        let read = read(text.trim());
        if read.is_none() {
            self.wrong.push((name, text.to_owned()));
        }
        read
    }
}
