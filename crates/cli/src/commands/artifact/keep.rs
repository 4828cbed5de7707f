//! `baton artifact keep`

use std::{path::PathBuf, process::ExitCode};

use baton_app::{
    Failure,
    commands::library::{ArtifactKeep, ArtifactKeepInput},
};
use baton_core::{code::ErrorCode, job::JobId, library::ArtifactKind, limits, turn::TurnId};

use crate::{
    context::Context,
    parse,
    select::{KeyArgs, RoomArgs},
    text::Text,
    ui::Ui,
};

/// What is in a file that is to be kept.
const CONTENT: Text = Text::of("text", limits::ARTIFACT_BYTES as usize, ErrorCode::InvalidInput);

/// Keep a file so that it can be pointed to: a diff, a log, a transcript, a prompt, a report
///
/// Up to 16 MiB of text. What looks like a secret is taken out. What a job's own agent keeps belongs to its job.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct KeepArgs {
    /// The file; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What sort of file [default: report]
    #[arg(long, short, value_name = "KIND", value_parser = parse::one_of(ArtifactKind::ALL, ArtifactKind::as_str))]
    kind: Option<ArtifactKind>,
    /// What to call it [default: the file's name]
    #[arg(long, short, value_name = "NAME")]
    name: Option<String>,
    /// The job it is about [default: that of BATON_JOB]
    #[arg(long, value_name = "JOB", value_parser = parse::job)]
    job: Option<JobId>,
    /// Your turn that it is of [default: the one you are in]
    #[arg(long, value_name = "TURN", value_parser = parse::turn)]
    turn: Option<TurnId>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl KeepArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let kept = context.run::<ArtifactKeep>(ArtifactKeepInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            kind: self.kind.unwrap_or(ArtifactKind::Report),
            name: self.called()?,
            text: CONTENT.whole_file(&self.file)?,
            job: self.job,
            turn: self.turn,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&kept, || {
            let redacted = if kept.redacted { "What looked like a secret was taken out.\n" } else { "" };
            let reference = &kept.artifact.reference;
            format!("Kept as {reference} ({} bytes)\n{redacted}next: baton open {reference}\n", kept.artifact.bytes)
        }))
    }

    /// What it is to be called.
    fn called(&self) -> Result<String, Failure> {
        let own = self.file.file_name().and_then(|name| name.to_str()).filter(|name| *name != "-");
        let name = self.name.as_deref().or(own);
        name.map(str::to_owned).ok_or_else(|| {
            let message = "What comes from standard input has no name.";
            Failure::new(ErrorCode::InvalidInput, message).with("field", "name").advising("Give it one with --name.")
        })
    }
}
