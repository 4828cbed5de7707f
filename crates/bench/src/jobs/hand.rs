//! Somebody who delegates jobs and works on them, through the app, as an adapter does for a runner.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use baton_app::{Failure, table::Command};
use serde_json::{Value, json};

use crate::{
    player::Player,
    trouble::{Outcome, refused},
};

/// What a job asks, of the length that agents write.
pub(crate) const PROMPT: &str = "Every error that the parser reports must name the file, the line and the column. Look at \
    src/parser/expression.rs first; the position is in the token and is dropped when the error is made. Keep the public \
    types as they are, add a test for each kind of error, and say in the end which ones you could not reach.";

/// What a report says.
pub(crate) const REPORT: &str = "Twelve of twenty errors name their line now; the lexer's are next.";

/// What a job ends with.
pub(crate) const SUMMARY: &str =
    "All twenty errors name file, line and column. Tests: CMD: cargo test -p parser errors. Nothing was left out.";

/// What a job is that this bench creates.
pub(crate) fn job_to_do(room_id: &str) -> Value {
    json!({"room_id": room_id, "title": "Make the error messages name the line", "prompt": PROMPT, "executor": "codex"})
}

/// A runner that looks for work.
pub(crate) struct Hand {
    player: Player,
    runner_id: String,
    claim: &'static Command,
    complete: &'static Command,
    requeue: &'static Command,
}

/// A job that was claimed, and how long that took.
pub(crate) struct Claimed {
    pub(crate) job: Value,
    revision: Value,
    pub(crate) took: Duration,
}

impl Hand {
    /// Joins as `agent` and says what it can do, as a runner does before anything else.
    pub(crate) fn join(data: &Path, workspace: &Path, agent: &str) -> Outcome<Self> {
        let player = Player::join(data, workspace, agent)?;
        let input = json!({
            "room_id": player.room_id(),
            "runner_id": agent,
            "status": "idle",
            "lease_ttl_ms": 300_000,
            "capabilities": {
                "executors": [
                    {"executor": "codex", "profiles": ["fast", "deep"]},
                    {"executor": "claude_code", "profiles": ["fast", "deep"]},
                ],
                "max_parallel": 4,
                "supports_artifacts": true,
            },
        });
        player.does("jobs.runner.heartbeat", input).map_err(refused)?;
        let [claim, complete, requeue] = ["jobs.claim", "jobs.complete", "jobs.requeue"].map(Player::command);
        Ok(Self { player, runner_id: agent.to_owned(), claim: claim?, complete: complete?, requeue: requeue? })
    }

    /// Claims the next job, as runners ask for it.
    pub(crate) fn claim(&self) -> Result<Option<Claimed>, Failure> {
        let input = json!({"room_id": self.player.room_id(), "runner_id": self.runner_id, "allow_stale": true});
        let started = Instant::now();
        let mut answer = self.player.run(self.claim, input)?;
        let took = started.elapsed();
        let claimed = answer["claimed"] == true;
        let (job, revision) = (answer["job"]["job"].take(), answer["job"]["revision"].take());
        Ok(claimed.then_some(Claimed { job, revision, took }))
    }

    /// Ends a job that it has claimed.
    pub(crate) fn complete(&self, claimed: &Claimed) -> Result<Duration, Failure> {
        let input = json!({
            "room_id": self.player.room_id(),
            "job": claimed.job,
            "runner_id": self.runner_id,
            "claim_revision": claimed.revision,
            "status": "DONE",
            "summary": SUMMARY,
        });
        let started = Instant::now();
        self.player.run(self.complete, input)?;
        Ok(started.elapsed())
    }

    /// Has a job done again, so that there is something to claim.
    pub(crate) fn put_back(&self, job: &Value) -> Result<(), Failure> {
        let input = json!({"room_id": self.player.room_id(), "job": job, "reason": "Once more."});
        self.player.run(self.requeue, input).map(|_| ())
    }
}
