//! `baton room policy`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::room::{SetPolicy, SetPolicyInput, SetRoomPolicyResult},
};
use baton_core::{
    policy::{Edges, Guard, Policy, PolicyChange, Resume, Spawning, Wake},
    time::Ttl,
};

use crate::{
    context::Context,
    parse,
    select::{KeyArgs, RoomArgs, TurnArgs},
    ui::Ui,
};

/// Show a room's policy, or change what is given
///
/// Times are a number and a unit: 500ms, 30s, 45m, 4h. A running lease or claim keeps its expiry. Times are changed by the
/// holder of the stick or by a person at a terminal; --edges, --spawn, --guard,
/// --wake and --resume by a person only.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct PolicyArgs {
    #[command(flatten)]
    room: RoomArgs,
    /// How long an owner may stay silent
    #[arg(long, value_name = "TIME", value_parser = parse::time)]
    lease: Option<Ttl>,
    /// How often an owner should call in
    #[arg(long, value_name = "TIME", value_parser = parse::time)]
    heartbeat: Option<Ttl>,
    /// How long a recipient has the first right to claim
    #[arg(long, value_name = "TIME", value_parser = parse::time)]
    claim: Option<Ttl>,
    /// How long a member counts as present after its last call
    #[arg(long, value_name = "TIME", value_parser = parse::time)]
    presence: Option<Ttl>,
    /// How long a wait lasts when the call does not say
    #[arg(long, value_name = "TIME", value_parser = parse::time)]
    wait: Option<Ttl>,
    /// How often a waiter looks even if nothing woke it
    #[arg(long, value_name = "TIME", value_parser = parse::time)]
    poll: Option<Ttl>,
    /// Between whom envelopes may go: mesh is everybody, explicit those with an edge
    #[arg(long, value_name = "WORD", value_parser = edges)]
    edges: Option<Edges>,
    /// What becomes of a request for another agent: ask, auto or off
    #[arg(long, value_name = "WORD", value_parser = spawning)]
    spawn: Option<Spawning>,
    /// How hooks meet an edit without the stick: off, warn, on or strict
    #[arg(long, value_name = "WORD", value_parser = guard)]
    guard: Option<Guard>,
    /// For what idle agents are woken: off, messages or all
    #[arg(long, value_name = "WORD", value_parser = wake)]
    wake: Option<Wake>,
    /// Whether runners resume sessions whose process ended: off or on
    #[arg(long, value_name = "WORD", value_parser = resume)]
    resume: Option<Resume>,
    #[command(flatten)]
    key: KeyArgs,
}

impl PolicyArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let change = PolicyChange {
            owner_lease_ttl_ms: self.lease,
            heartbeat_interval_ms: self.heartbeat,
            claim_ttl_ms: self.claim,
            presence_ttl_ms: self.presence,
            wait_for_turn_max_wait_ms: self.wait,
            wait_for_turn_poll_ms: self.poll,
            edges: self.edges,
            spawn: self.spawn,
            guard: self.guard,
            wake: self.wake,
            resume: self.resume,
        };
        let set = if change == PolicyChange::default() {
            let state = self.room.state(context)?;
            SetRoomPolicyResult { room_id: state.room.room_id, policy: state.policy, turn_id: None }
        } else {
            let (earlier, turn) = (self.key.earlier(context)?, TurnArgs::default());
            let state = self.room.state_again(context, earlier.as_ref())?;
            // The caller's own, if it holds the stick; an operator need not.
            let lease_id = turn.lease_of(&state, earlier.as_ref());
            context.run::<SetPolicy>(SetPolicyInput {
                expected_turn_id: lease_id.as_ref().map(|_| turn.turn_of(&state, earlier.as_ref())),
                lease_id,
                room_id: state.room.room_id,
                policy: change,
                idempotency_key: self.key.key,
            })?
        };
        Ok(ui.answer(&set, || text(&set.policy)))
    }
}

fn text(policy: &Policy) -> String {
    format!(
        "lease      {}\nheartbeat  {}\nclaim      {}\npresence   {}\nwait       {}\npoll       {}\nedges      {}\n\
         spawn      {}\nguard      {}\nwake       {}\nresume     {}\n",
        policy.owner_lease_ttl_ms,
        policy.heartbeat_interval_ms,
        policy.claim_ttl_ms,
        policy.presence_ttl_ms,
        policy.wait_for_turn_max_wait_ms,
        policy.wait_for_turn_poll_ms,
        policy.edges,
        policy.spawn,
        policy.guard,
        policy.wake,
        policy.resume,
    )
}

fn edges(word: &str) -> Result<Edges, String> {
    Edges::named(word).ok_or_else(|| "it is mesh or explicit".to_owned())
}

fn spawning(word: &str) -> Result<Spawning, String> {
    Spawning::named(word).ok_or_else(|| "it is ask, auto or off".to_owned())
}

fn guard(word: &str) -> Result<Guard, String> {
    Guard::named(word).ok_or_else(|| "it is off, warn, on or strict".to_owned())
}

fn wake(word: &str) -> Result<Wake, String> {
    Wake::named(word).ok_or_else(|| "it is off, messages or all".to_owned())
}

fn resume(word: &str) -> Result<Resume, String> {
    Resume::named(word).ok_or_else(|| "it is off or on".to_owned())
}
