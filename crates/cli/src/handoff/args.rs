//! The flags, and how the sources add up: a file, standard input or the editor first, then flags on top.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use baton_app::{Failure, commands::room::GetRoomStateResult, paths, replay::Earlier};
use baton_core::{
    code::ErrorCode,
    handoff::{Artifact, ArtifactRole, Handoff},
    limits,
};

use super::page;
use crate::{
    context::Context,
    editor::{self, Draft},
    standing, ui,
};

/// What the next holder needs to know.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct HandoffArgs {
    /// What you did, what you learned, what is unfinished
    #[arg(long, short, value_name = "TEXT")]
    status: Option<String>,
    /// What the next holder should do
    #[arg(long = "next", short, value_name = "TEXT")]
    next_action: Option<String>,
    /// Where to look: PATH, PATH:FIRST-LAST or either with =ROLE, which is one of examine, review, edit, context, output
    #[arg(long = "artifact", short, value_name = "PATH")]
    artifacts: Vec<String>,
    /// Something undecided
    #[arg(long = "question", short, value_name = "TEXT")]
    questions: Vec<String>,
    /// Something off-limits for the next holder
    #[arg(long, value_name = "TEXT")]
    do_not: Vec<String>,
    /// A context pack to go with it: auto builds one, or contextpack://pack/…
    #[arg(long, value_name = "REF")]
    context: Option<String>,
    /// Read the handoff from a file, JSON or the editor's format; `-` is standard input
    #[arg(long, short, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Write the handoff in $EDITOR
    #[arg(long, short, conflicts_with = "file")]
    edit: bool,
    /// Draft the artifacts from what changed in git since your turn began
    #[arg(long)]
    from_git: bool,
}

impl HandoffArgs {
    /// Puts the handoff together. In a call that is repeated, what git or the editor gave the first time is taken
    /// as it was.
    pub(crate) fn gather(
        &self,
        context: &Context,
        state: &GetRoomStateResult,
        earlier: Option<&Earlier>,
    ) -> Result<Handoff, Failure> {
        let first = earlier.and_then(|earlier| earlier.handoff.as_ref());
        let mut handoff = match &self.file {
            Some(file) => page::read(&self.text_of(file)?)?,
            None => empty(),
        };
        if let Some(status) = &self.status {
            handoff.status.clone_from(status);
        }
        if let Some(next_action) = &self.next_action {
            handoff.next_action.clone_from(next_action);
        }
        let root = state.room.canonical_path.as_deref().map(Path::new);
        for artifact in &self.artifacts {
            let artifact = parse_artifact(artifact)?;
            // A shell's path starts where the shell stands.
            let path = standing::pointed_to(context, root, &artifact.path)?;
            handoff.artifacts.push(Artifact { path, ..artifact });
        }
        handoff.open_questions.extend(self.questions.iter().cloned());
        handoff.do_not.extend(self.do_not.iter().cloned());
        if let Some(context) = &self.context {
            handoff.context_ref = Some(context.clone());
        }
        if self.from_git {
            let drafted = match first {
                Some(first) => first.artifacts.iter().skip(handoff.artifacts.len()).cloned().collect(),
                None => self.changed_in_git(context, state)?,
            };
            handoff.artifacts.extend(drafted);
            handoff.artifacts.truncate(limits::HANDOFF_ARTIFACTS);
        }
        let says_nothing = handoff.status.is_empty() && handoff.next_action.is_empty();
        if self.edit || (says_nothing && self.file.is_none() && ui::is_interactive()) {
            let context_ref = handoff.context_ref.take();
            let edited = match first {
                Some(first) => first.clone(),
                None => {
                    let draft = Draft {
                        what: "handoff",
                        text: &page::write(&handoff),
                        otherwise: "Set $EDITOR, or give the handoff with --status and --next, or --file.",
                    };
                    page::read(&editor::edit(context.app.environment(), &draft)?)?
                }
            };
            // The page does not show it, and what became of it the first time is not what was asked then.
            handoff = Handoff { context_ref, ..edited };
        }
        Ok(handoff)
    }

    fn text_of(&self, file: &PathBuf) -> Result<String, Failure> {
        // Far more than a handoff may have, and far less than a device could give.
        let bound = limits::HANDOFF_BYTES as u64 * 4;
        let mut text = String::new();
        let read = if file.as_os_str() == "-" {
            io::stdin().lock().take(bound).read_to_string(&mut text)
        } else {
            fs::File::open(file).and_then(|file| file.take(bound).read_to_string(&mut text))
        };
        read.map(|_| text).map_err(|error| {
            Failure::new(ErrorCode::InvalidInput, format!("{}: {error}.", file.display())).with("field", "file")
        })
    }

    fn changed_in_git(&self, context: &Context, state: &GetRoomStateResult) -> Result<Vec<Artifact>, Failure> {
        let Some(since) = state.owned_since else { return Ok(Vec::new()) };
        // The checkout one works in, which for a linked worktree is not the room's own path.
        let here = &context.caller.cwd;
        paths::draft_artifacts(paths::checkout_root(here).unwrap_or(here), since)
    }
}

fn empty() -> Handoff {
    Handoff {
        status: String::new(),
        next_action: String::new(),
        artifacts: Vec::new(),
        open_questions: Vec::new(),
        do_not: Vec::new(),
        context_ref: None,
    }
}

/// Reads `PATH[:FIRST-LAST][=ROLE]`.
pub(super) fn parse_artifact(text: &str) -> Result<Artifact, Failure> {
    let (place, role) = match text.rsplit_once('=') {
        Some((place, role)) => (place, parse_role(role)?),
        None => (text, ArtifactRole::Review),
    };
    let (path, lines) = match place.rsplit_once(':') {
        Some((path, range)) => match parse_lines(range) {
            Some(lines) => (path, Some(lines)),
            None => (place, None),
        },
        None => (place, None),
    };
    Ok(Artifact { path: path.to_owned(), lines, role, note: None })
}

fn parse_lines(range: &str) -> Option<[u32; 2]> {
    match range.split_once('-') {
        Some((first, last)) => Some([first.parse().ok()?, last.parse().ok()?]),
        None => range.parse().ok().map(|line| [line, line]),
    }
}

fn parse_role(role: &str) -> Result<ArtifactRole, Failure> {
    serde_json::from_value(role.into()).map_err(|_| {
        let message = format!("{role:?} is not a role: use examine, review, edit, context or output.");
        Failure::new(ErrorCode::InvalidHandoff, message).with("field", "artifacts.role")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_artifact_is_a_path_with_lines_and_a_role_if_given() {
        let shown = ["plan.md", "src/a.rs:10-20", "src/a.rs:7=edit", "odd:name=context"]
            .map(|text| serde_json::to_string(&parse_artifact(text).unwrap()).unwrap());
        insta::assert_snapshot!(shown.join("\n"), @r#"
        {"path":"plan.md","role":"review"}
        {"path":"src/a.rs","lines":[10,20],"role":"review"}
        {"path":"src/a.rs","lines":[7,7],"role":"edit"}
        {"path":"odd:name","role":"context"}
        "#);
        assert!(parse_artifact("a.rs=burn").is_err());
    }
}
