//! `baton scope check`

use std::{collections::BTreeMap, path::Path, process::ExitCode};

use baton_app::{
    Failure,
    commands::scope::{Check, CheckInput, CollisionView},
    paths,
};
use baton_core::{code::ErrorCode, ids::RoomId, limits, time::Timestamp};
use serde::Serialize;

use super::page;
use crate::{
    context::Context,
    standing,
    ui::{Ui, clean},
    wording::{until, who},
};

/// Check whether you may touch some paths: exits 3 and says whose they are if not
///
/// For scripts and hooks; `baton install git-hook` has git ask before each commit. The room is that of the current
/// directory, or the one that --room names. Where there is no room, --staged has nothing to protect and exits 0.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true)))]
pub(in crate::commands) struct CheckArgs {
    /// Paths to check, relative to the current directory
    #[arg(long = "path", value_name = "P", num_args = 1.., group = "what")]
    paths: Vec<String>,
    /// Check what the next git commit here would change
    #[arg(long, group = "what")]
    staged: bool,
    /// Let the scopes of stale and evicted owners pass, with a warning
    #[arg(long)]
    active_only: bool,
    /// The room's id [default: the room of the current directory]
    #[arg(long, value_name = "ID")]
    room: Option<RoomId>,
}

/// The answer, which may be that there was no room to ask.
#[derive(Serialize)]
struct Checked {
    room_id: Option<RoomId>,
    checked: usize,
    /// The first of the paths that were named, from the room's root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paths: Vec<String>,
    passed: Vec<CollisionView>,
}

/// Paths to ask a room about.
struct Question {
    room_id: RoomId,
    paths: Vec<String>,
    /// Whether a commit has them, or somebody named them.
    committed: bool,
}

impl CheckArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let staged = self.staged(context)?;
        let here = self.find(context)?;
        let count = self.paths.len() + staged.len();
        let mut checked = Checked { room_id: here.clone(), checked: count, paths: Vec::new(), passed: Vec::new() };
        let mut questions: Vec<Question> = Vec::new();
        if let Some(room_id) = &here {
            let named = standing::from_root(context, room_id, self.paths.clone())?;
            questions.push(Question { room_id: room_id.clone(), paths: named, committed: false });
            questions.push(Question { room_id: room_id.clone(), paths: staged.clone(), committed: true });
        }
        if self.room.is_none() {
            let nested = nested(context, here.as_ref(), &staged)?.into_iter();
            questions.extend(nested.map(|(room_id, paths)| Question { room_id, paths, committed: true }));
        }
        if questions.is_empty() {
            return Ok(ui.answer(&checked, || "No room covers this directory: nothing is reserved.\n".to_owned()));
        }
        for Question { room_id, paths, committed } in questions {
            for paths in paths.chunks(limits::CHECKED_PATHS) {
                let (room_id, paths) = (room_id.clone(), paths.to_vec());
                match context.run::<Check>(CheckInput { room_id, paths, active_only: self.active_only, committed }) {
                    Ok(some) if committed => checked.passed.extend(some.passed),
                    Ok(some) => {
                        checked.passed.extend(some.passed);
                        checked.paths.extend(some.paths);
                    }
                    Err(failure) => return page::refuse(ui, failure, context.app.now()?),
                }
            }
        }
        let now = context.app.now()?;
        checked.passed.iter().for_each(|passed| ui.warn(&let_past(passed, now)));
        Ok(ui.answer(&checked, || text(&checked)))
    }

    /// What the next commit changes, if that is to be checked.
    fn staged(&self, context: &Context) -> Result<Vec<String>, Failure> {
        if !self.staged {
            return Ok(Vec::new());
        }
        let environment = context.app.environment();
        let staged = paths::staged_paths(environment.cwd(), environment.var_os("GIT_INDEX_FILE"))?;
        // Scopes are text. A name that is not is checked by the directories that it lies in.
        Ok(staged.iter().map(|path| path.to_string_lossy().into_owned()).collect())
    }

    /// The room to ask. Where there is none a commit touches nobody's scope; whoever names paths is told.
    fn find(&self, context: &Context) -> Result<Option<RoomId>, Failure> {
        if let Some(room) = &self.room {
            return Ok(Some(room.clone()));
        }
        match context.app.room_at(&context.caller, Path::new(".")) {
            Err(failure) if failure.code == ErrorCode::UnknownRoom && self.staged => Ok(None),
            Err(failure) if failure.code == ErrorCode::UnknownRoom => {
                Err(failure.advising("Run this inside the workspace that has a room, or name the room with --room."))
            }
            found => found.map(Some),
        }
    }
}

/// The rooms besides `here` that staged files lie in, and which of them: a commit may touch rooms within the workspace.
fn nested(
    context: &Context,
    here: Option<&RoomId>,
    staged: &[String],
) -> Result<BTreeMap<RoomId, Vec<String>>, Failure> {
    let mut known: BTreeMap<&Path, Option<RoomId>> = BTreeMap::new();
    let mut found: BTreeMap<RoomId, Vec<String>> = BTreeMap::new();
    for file in staged {
        // The file, and directories around it, may be what the commit takes away.
        let Some(directory) = Path::new(file).ancestors().skip(1).find(|directory| directory.is_dir()) else {
            continue;
        };
        let room = match known.get(directory) {
            Some(room) => room.clone(),
            None => {
                let room = match context.app.room_at(&context.caller, directory) {
                    Err(failure) if failure.code == ErrorCode::UnknownRoom => None,
                    found => Some(found?),
                };
                known.entry(directory).or_insert(room).clone()
            }
        };
        if let Some(room) = room.filter(|room| Some(room) != here) {
            found.entry(room).or_default().push(file.clone());
        }
    }
    Ok(found)
}

fn let_past(passed: &CollisionView, now: Timestamp) -> String {
    format!(
        "{} is in {}, which {} has reserved ({}). It is let past: its owner is {}.",
        clean(&passed.path),
        clean(&passed.scope),
        who(&passed.owner_agent, &passed.owner),
        until(passed.expires_at, now),
        passed.owner_liveness.as_str(),
    )
}

fn text(checked: &Checked) -> String {
    let who = if checked.passed.is_empty() { "nobody else" } else { "no active agent" };
    let which = match checked.checked {
        0 => return "Nothing is staged: there is nothing to check.\n".to_owned(),
        count if count == checked.paths.len() => clean(&checked.paths.join(", ")),
        1 => "it".to_owned(),
        _ => "them".to_owned(),
    };
    let paths = if checked.checked == 1 { "path" } else { "paths" };
    format!("{} {paths} checked: {who} has reserved {which}.\n", checked.checked)
}
