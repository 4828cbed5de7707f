//! `baton artifact list`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::library::{ArtifactList, ArtifactListInput, ArtifactListResult, ArtifactView},
};
use baton_core::{job::JobId, library::ArtifactKind, reference::Reference, turn::TurnId};

use crate::{context::Context, parse, render, select::RoomArgs, ui::Ui};

/// List files that were kept, newest first
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ListArgs {
    /// Only those of this job
    #[arg(long, value_name = "JOB", value_parser = parse::job)]
    job: Option<JobId>,
    /// Only those of this agent: its name, its id, or JOB-001
    #[arg(long, value_name = "AGENT")]
    node: Option<String>,
    /// Only those of this turn
    #[arg(long, value_name = "TURN", value_parser = parse::turn)]
    turn: Option<TurnId>,
    /// Only those of this sort
    #[arg(long, short, value_name = "KIND", value_parser = parse::one_of(ArtifactKind::ALL, ArtifactKind::as_str))]
    kind: Option<ArtifactKind>,
    /// Only those before this number
    #[arg(long, value_name = "N")]
    before: Option<u32>,
    /// How many, 1 to 200 [default: 25]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    room: RoomArgs,
}

impl ListArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let listed = context.run::<ArtifactList>(ArtifactListInput {
            room_id: self.room.find(context)?,
            job: self.job,
            node: self.node.clone(),
            turn: self.turn,
            kind: self.kind,
            before: self.before,
            limit: self.limit,
        })?;
        Ok(ui.answer(&listed, || text(&listed, &self.filter())))
    }

    /// What was asked for, to be asked again.
    fn filter(&self) -> String {
        let job = self.job.map(|job| format!(" --job {job}"));
        let node = self.node.as_ref().map(|node| format!(" --node {node}"));
        let turn = self.turn.map(|turn| format!(" --turn {turn}"));
        let kind = self.kind.map(|kind| format!(" --kind {}", kind.as_str()));
        [job, node, turn, kind].into_iter().flatten().collect()
    }
}

/// Files, and how to see more of them and in them.
pub(in crate::commands) fn text(listed: &ArtifactListResult, filter: &str) -> String {
    let (Some(first), Some(last)) = (listed.artifacts.first(), listed.artifacts.last()) else {
        return match filter {
            "" => "No files are kept here.\nnext: baton artifact keep FILE --kind report\n".to_owned(),
            _ => "No file is like that.\nnext: baton artifact list\n".to_owned(),
        };
    };
    let more = match number(last).filter(|_| listed.has_more) {
        Some(number) => format!("more: baton artifact list{filter} --before {number}\n"),
        None => String::new(),
    };
    format!("{}{more}next: baton open {}\n", render::artifact_lines(&listed.artifacts), first.reference)
}

fn number(artifact: &ArtifactView) -> Option<u32> {
    match artifact.reference {
        Reference::Artifact(_, number) => Some(number),
        _ => None,
    }
}
