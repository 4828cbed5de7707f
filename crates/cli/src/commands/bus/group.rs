//! Waiting for all that was asked in a group, and telling how it ended.

use std::{process::ExitCode, time::Duration};

use baton_app::{
    Failure,
    commands::bus::{ActionView, Actions, ActionsInput, Await, AwaitInput},
};
use baton_core::{
    bus::{BusId, Status},
    ids::RoomId,
    limits,
};
use serde::Serialize;

use crate::{context::Context, exit::Exit, patience::in_calls, render, ui::Ui};

/// How a group ended, or how far it is.
#[derive(Debug, Serialize)]
pub(super) struct Group {
    pub(super) room_id: RoomId,
    pub(super) group_id: BusId,
    /// Whether all of it has ended.
    pub(super) ended: bool,
    /// How many actions have not.
    pub(super) open: u64,
    /// All of them, oldest first.
    pub(super) actions: Vec<ActionView>,
}

impl Group {
    /// Waits until all of it has ended, or the time is up.
    pub(super) fn wait(
        context: &Context,
        room_id: RoomId,
        group_id: BusId,
        timeout: Option<Duration>,
    ) -> Result<Self, Failure> {
        let (mut calls_left, max_wait_ms) = in_calls(timeout);
        loop {
            let (room_id, group_id) = (room_id.clone(), group_id.clone());
            let asked =
                AwaitInput { room_id: room_id.clone(), group_id: group_id.clone(), max_wait_ms: Some(max_wait_ms) };
            let seen = context.run::<Await>(asked)?;
            calls_left = calls_left.map(|calls| calls.saturating_sub(1));
            if seen.ended || calls_left == Some(0) {
                let actions = all(context, &room_id, &group_id)?;
                return Ok(Self { room_id, group_id, ended: seen.ended, open: seen.open, actions });
            }
        }
    }

    /// Whether it is over, and whether all was done.
    pub(super) fn exit(&self) -> Exit {
        let failed = |action: &ActionView| matches!(action.status, Some(Status::Rejected | Status::Error));
        match self.ended {
            false => Exit::NotYet,
            true if self.actions.iter().any(failed) => Exit::NotCompleted,
            true => Exit::Done,
        }
    }

    /// How it ended, for a person.
    pub(super) fn text(&self, again: &str) -> String {
        let open = match self.ended {
            true => String::new(),
            false => format!("{} not ended yet.\nnext: baton bus wait {}{again}\n", count(self.open), self.group_id),
        };
        render::action_lines(&self.actions) + &open
    }

    pub(super) fn show(&self, ui: Ui, again: &str) -> ExitCode {
        ui.answer_with(self.exit(), self, || self.text(again))
    }
}

fn count(open: u64) -> String {
    if open == 1 { "1 action has".to_owned() } else { format!("{open} actions have") }
}

/// Every action of a group, page by page.
fn all(context: &Context, room_id: &RoomId, group_id: &BusId) -> Result<Vec<ActionView>, Failure> {
    let mut actions: Vec<ActionView> = Vec::new();
    loop {
        let page = context.run::<Actions>(ActionsInput {
            room_id: room_id.clone(),
            group_id: Some(group_id.clone()),
            dst: None,
            src: None,
            open: false,
            after: actions.last().map(|last| last.seq),
            limit: Some(limits::ACTIONS_MAX),
        })?;
        let more = page.has_more && !page.actions.is_empty();
        actions.extend(page.actions);
        if !more {
            return Ok(actions);
        }
    }
}
