//! `baton job claim`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::jobs::{Claim, ClaimInput, ClaimResult, JobView},
    identity::Assignment,
};
use baton_core::{
    ids::AgentId,
    job::JobId,
    time::{Timestamp, Ttl},
};

use crate::{
    context::Context,
    exit::Exit,
    parse, render,
    select::{KeyArgs, RoomArgs},
    ui::{Ui, clean},
};

/// Claim a job, or the next one that you can do, and see what it asks
///
/// Exits with 10 if there is nothing to claim. A claim runs out unless you report before; the revision that it has
/// shows with each report that the job is still yours.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ClaimArgs {
    /// JOB-001, or just 1 [default: the most urgent, then the oldest]
    #[arg(value_name = "JOB", value_parser = parse::job)]
    job: Option<JobId>,
    /// In whose name [default: you]
    #[arg(long, value_name = "ID")]
    runner: Option<AgentId>,
    /// For how long, 1s to 5m [default: 3m]
    #[arg(long, value_name = "TIME", value_parser = parse::time)]
    ttl: Option<Ttl>,
    /// Also one that is RUNNING under a claim that ran out
    #[arg(long)]
    allow_stale: bool,
    /// Take that job from its runner although its claim is in force
    #[arg(long, requires = "job")]
    force: bool,
    /// Refuse rather than answer with a longer prompt
    #[arg(long, value_name = "CHARS")]
    max_chars: Option<usize>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl ClaimArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let claimed = context.run::<Claim>(ClaimInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            job: self.job,
            runner_id: self.runner,
            lease_ttl_ms: self.ttl.map(|ttl| ttl.as_millis()),
            allow_stale: self.allow_stale,
            force: self.force,
            max_chars: self.max_chars,
            idempotency_key: self.key.key,
        })?;
        let exit = if claimed.claimed { Exit::Done } else { Exit::NotYet };
        let (now, you) = (context.app.now()?, context.caller.actor().agent_id);
        Ok(ui.answer_with(exit, &claimed, || text(&claimed, now, &you)))
    }
}

fn text(claimed: &ClaimResult, now: Timestamp, you: &AgentId) -> String {
    match &claimed.job {
        None => "There is nothing to claim.\nnext: baton radar\n".to_owned(),
        Some(job) if !claimed.claimed => render::job_summary(job, now),
        Some(job) => {
            let prompt = clean(claimed.prompt.as_deref().unwrap_or_default());
            format!("{}\n{prompt}\n\n{}", render::job_summary(job, now), next_steps(claimed, job, you))
        }
    }
}

/// How to go on: with the revision in each command, or with BATON_JOB for all of them.
fn next_steps(claimed: &ClaimResult, job: &JobView, you: &AgentId) -> String {
    let Some(runner) = &job.runner_id else { return String::new() };
    let (id, revision) = (job.job, job.revision);
    let name = if runner == you { String::new() } else { format!(" --runner {runner}") };
    let agent = match &claimed.capability {
        Some(capability) => {
            let (room, runner, capability) = (claimed.room_id.clone(), runner.clone(), capability.clone());
            let assignment = Assignment { room, job: id, revision, runner, capability };
            format!("An agent that works on it need name nothing, with BATON_JOB={}\n", assignment.reveal())
        }
        None => "The capability of its agent was shown when it was claimed, and is not shown again.\n".to_owned(),
    };
    format!(
        "next: baton job report {id} --revision {revision}{name} --kind progress …\n\
         then: baton job complete {id} --revision {revision}{name} --ref … SUMMARY\n\
         {agent}"
    )
}
