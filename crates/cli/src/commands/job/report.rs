//! `baton job report`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::jobs::{Happened, Report, ReportInput},
};
use baton_core::{
    job::ReportKind,
    time::{Timestamp, Ttl},
};
use serde_json::Value;

use super::{
    spec::notes,
    worker::{ClaimShown, Said, said},
};
use crate::{
    context::Context,
    parse,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
    wording::until,
};

/// Report on the job you work on; each report renews the claim
///
/// An agent that a runner started names no job: it works on the one in BATON_JOB. A question stays on the radar until
/// it is answered; a heartbeat is no event: its message, percent, slice and tokens stand in the job's row until the next.
#[derive(Debug, clap::Args)]
#[command(override_usage = "baton job report [OPTIONS] --kind <KIND> [JOB] [MESSAGE]")]
pub(in crate::commands) struct ReportArgs {
    /// Which job [default: that of BATON_JOB], and what there is to say
    #[arg(value_name = "[JOB] MESSAGE", num_args = 0..=2)]
    said: Vec<String>,
    /// What sort of report
    #[arg(long, short, value_name = "KIND", value_parser = parse::one_of(ReportKind::ALL, ReportKind::as_str))]
    kind: ReportKind,
    /// How much is done, 0 to 100
    #[arg(long, value_name = "N")]
    percent: Option<u8>,
    /// Which slice of the claim it is at
    #[arg(long, value_name = "N")]
    slice: Option<u32>,
    /// Tokens that it took so far, in and out
    #[arg(long, value_name = "N")]
    tokens: Option<u64>,
    /// What it points to: CARD-1, TASK-001, notes@9, 'CMD: …', 'LINK: …'
    #[arg(long = "ref", value_name = "REF")]
    refs: Vec<String>,
    /// A note beside the job; the value may be JSON
    #[arg(long = "meta", value_name = "KEY=VALUE", value_parser = parse::note)]
    meta: Vec<(String, Value)>,
    #[command(flatten)]
    claim: ClaimShown,
    /// For how long the claim is renewed, 1s to 5m [default: 3m]
    #[arg(long, value_name = "TIME", value_parser = parse::time)]
    ttl: Option<Ttl>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl ReportArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let Said { job, words } = said(self.said, self.kind == ReportKind::Heartbeat)?;
        let reported = context.run::<Report>(ReportInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            job,
            claim_revision: self.claim.revision(),
            runner_id: self.claim.runner,
            kind: self.kind,
            message: words,
            percent: self.percent,
            slice: self.slice,
            tokens: self.tokens,
            refs: self.refs,
            meta: notes(self.meta)?,
            lease_ttl_ms: self.ttl.map(|ttl| ttl.as_millis()),
            idempotency_key: self.key.key,
        })?;
        let now = context.app.now()?;
        Ok(ui.answer(&reported, || text(&reported, self.kind, now)))
    }
}

fn text(reported: &Happened, kind: ReportKind, now: Timestamp) -> String {
    let job = reported.job.job;
    let said = match &reported.reference {
        Some(reference) => format!("Reported as {reference}"),
        None => format!("{job} is alive"),
    };
    let expiry = reported.job.claim_expires_at_ms.map(Timestamp::from_millis);
    let claim = expiry.map_or_else(String::new, |at| format!("; your claim {}", until(at, now)));
    let next = match kind {
        ReportKind::Question => {
            format!("next: the answer comes to the job; see it with baton job tail {job} --follow\n")
        }
        _ => String::new(),
    };
    format!("{said}{claim}.\n{next}")
}
