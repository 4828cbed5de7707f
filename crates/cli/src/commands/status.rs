//! `baton status`

use std::process::ExitCode;

use baton_app::{
    Failure,
    attention::attention,
    commands::{
        jobs::{Format, Radar, RadarInput},
        room::{List, ListInput},
        scope::{Status, StatusInput},
    },
};
use baton_core::{
    ids::{AgentId, RoomId},
    limits,
    room::RoomState,
};
use serde_json::json;

use crate::{
    context::Context,
    render::{self, JobCounts},
    select::RoomArgs,
    ui::Ui,
};

/// Show this workspace at a glance: the stick, who is here, what waits for you
#[derive(Debug, clap::Args)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    room: RoomArgs,
}

impl StatusArgs {
    pub(super) fn run(&self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let you = context.caller.actor().agent_id;
        // Whoever works on a job is in the job's room, wherever it works.
        let elsewhere = self.room.is_bare() && context.surroundings.employment().assignment().is_some();
        if self.room.room.is_none() && !elsewhere {
            let path = self.room.path.as_deref().map(crate::select::utf8).transpose()?;
            let here = context.run::<List>(ListInput { context_path: path, all: false })?;
            if here.rooms.is_empty() {
                let next = "baton join";
                return Ok(ui.answer(&json!({ "room": null, "you": you, "next": next }), || {
                    format!("No room covers this path yet.\n\nYou are {you}.\nnext: {next}\n")
                }));
            }
        }
        let state = self.room.state(context)?;
        let member = state.members.iter().any(|member| member.agent_id == you);
        let next = next_step(&state.room.state, member, &you, &state);
        let attention = attention(&context.app, &context.caller, &state.room.room_id)?;
        let room_id = state.room.room_id.clone();
        let scopes = context.run::<Status>(StatusInput { room_id, path: None, all: false })?.scopes;
        let jobs = jobs(context, &state.room.room_id)?;
        let mut data = json!({ "you": you, "next": next, "attention": attention, "scopes": scopes, "state": state });
        if let Some(jobs) = &jobs {
            data["jobs"] = json!(jobs);
        }
        let now = context.app.now()?;
        Ok(ui.answer(&data, || {
            let (room, waiting) = (render::room_page(&state, now, &you), render::attention_page(&attention, now));
            let taken = render::taken_page(&scopes, now);
            let jobs = jobs.as_ref().map_or_else(String::new, render::jobs_line);
            format!("{room}{taken}{jobs}{waiting}\nnext: {next}\n")
        }))
    }
}

/// What the room's jobs want of somebody. Nothing, if none is under way.
fn jobs(context: &Context, room_id: &RoomId) -> Result<Option<JobCounts>, Failure> {
    let radar = context.run::<Radar>(RadarInput {
        room_id: room_id.clone(),
        status: None,
        task: None,
        anchor: None,
        limit: Some(limits::JOBS_MAX),
        fmt: Format::Json,
        max_chars: None,
        reply_job: None,
        reply_message: None,
        idempotency_key: None,
    })?;
    Ok(radar.fields.as_ref().and_then(JobCounts::of))
}

fn next_step(
    room_state: &RoomState,
    member: bool,
    you: &AgentId,
    state: &baton_app::commands::room::GetRoomStateResult,
) -> String {
    let room = &state.room;
    match room_state {
        RoomState::Closed => "baton join  (opens a fresh room)".to_owned(),
        _ if !member => "baton join".to_owned(),
        RoomState::Owned | RoomState::StaleOwner if room.owner.as_ref() == Some(you) => {
            "you hold the stick: baton release --status … --next …".to_owned()
        }
        _ if state.takeover.available => format!("baton take --turn {} --reason …", room.turn_id),
        RoomState::Reserved if room.reserved_for.as_ref() == Some(you) => "it is your turn: baton wait".to_owned(),
        RoomState::Idle | RoomState::Dormant => "the stick is free: baton wait".to_owned(),
        RoomState::Owned
        | RoomState::Reserved
        | RoomState::StaleOwner
        | RoomState::OwnerGone
        | RoomState::RecipientGone => "baton wait".to_owned(),
    }
}
