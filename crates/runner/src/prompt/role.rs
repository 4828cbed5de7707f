//! What an agent is here for, in a text that a workspace or a user may replace.

use std::{
    collections::BTreeSet,
    fmt,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use baton_core::ids::Role;
use serde_json::{Map, Value};

use super::{Fault, Names};

/// The role of whoever has no other.
const USUAL: &str = "implementer";
/// The most that a file of a role may have.
const FILE_BYTES: u64 = 16 * 1024;
/// Where a workspace has its roles.
const BELOW: &str = ".baton/roles";
/// How files of roles end.
const SUFFIX: &str = "md";
/// How many roles are named to whoever asks for one that is not there.
const NAMED_MAX: usize = 40;

/// The roles that are always there.
pub const BUILT_IN: [(&str, &str); 6] = [
    (USUAL, include_str!("roles/implementer.md")),
    ("orchestrator", include_str!("roles/orchestrator.md")),
    ("planner", include_str!("roles/planner.md")),
    ("researcher", include_str!("roles/researcher.md")),
    ("reviewer", include_str!("roles/reviewer.md")),
    ("tester", include_str!("roles/tester.md")),
];

/// The role that a job is for: the one it names, or the one of its kind.
pub fn role_of(kind: &str, meta: &Map<String, Value>) -> Result<Role, RoleError> {
    let named = meta.get("role").and_then(Value::as_str).unwrap_or(match kind {
        "review" => "reviewer",
        "test" => "tester",
        "plan" => "planner",
        "research" | "investigate" => "researcher",
        "relay" => "orchestrator",
        _ => USUAL,
    });
    named.parse().map_err(|error| RoleError::NoName(format!("{error}")))
}

/// Where roles are looked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Roles<'a> {
    /// The root of the workspace. What is below it wins.
    pub workspace: Option<&'a Path>,
    /// The user's own directory of roles.
    pub user: Option<&'a Path>,
}

/// Who wrote a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is one of Baton's own.
    BuiltIn,
    /// It is in this file of the user's.
    User(PathBuf),
    /// It is in this file of the workspace's.
    Workspace(PathBuf),
}

/// A role as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleText {
    /// Which.
    pub role: Role,
    /// Who wrote it.
    pub origin: Origin,
    /// What it says.
    pub text: String,
}

/// Why a role cannot be told. A job is not begun with another one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RoleError {
    /// What the job names is no role.
    #[error("`meta.role` does not name a role: {0}")]
    NoName(String),
    /// There is no such role.
    #[error("there is no role {role}; there are {}", named(known))]
    Unknown {
        /// Which.
        role: Role,
        /// Those there are.
        known: Vec<String>,
    },
    /// Its file cannot be used.
    #[error("the role's file {} cannot be used: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: Wrong,
    },
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong(String);

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Fault> for Wrong {
    fn from(fault: Fault) -> Self {
        Self(fault.to_string())
    }
}

impl From<io::Error> for Wrong {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

impl Roles<'_> {
    /// The text of a role, with names filled in.
    pub fn find(&self, role: &Role, names: &Names<'_>) -> Result<RoleText, RoleError> {
        let file = format!("{role}.{SUFFIX}");
        if let Some(root) = self.workspace {
            let path = root.join(BELOW).join(&file);
            if let Some(text) = filled(&path, Some(root), names)? {
                return Ok(RoleText { role: role.clone(), origin: Origin::Workspace(path), text });
            }
        }
        if let Some(path) = self.user.map(|directory| directory.join(&file))
            && let Some(text) = filled(&path, None, names)?
        {
            return Ok(RoleText { role: role.clone(), origin: Origin::User(path), text });
        }
        let (_, text) = BUILT_IN
            .iter()
            .find(|(name, _)| *name == role.as_str())
            .ok_or_else(|| RoleError::Unknown { role: role.clone(), known: self.known() })?;
        let wrong = |fault: Fault| RoleError::File { path: PathBuf::from(&file), why: fault.into() };
        Ok(RoleText { role: role.clone(), origin: Origin::BuiltIn, text: names.fill(text).map_err(wrong)? })
    }

    /// The roles there are, in order.
    pub fn known(&self) -> Vec<String> {
        let workspace = self.workspace.map(|root| root.join(BELOW));
        let directories = workspace.as_deref().into_iter().chain(self.user);
        let files = directories.filter_map(|directory| fs::read_dir(directory).ok()).flatten().flatten();
        let own = files.filter_map(|entry| {
            let path = entry.path();
            let stem = path.file_stem()?.to_str()?;
            let is_role = path.extension().is_some_and(|suffix| suffix == SUFFIX) && stem.parse::<Role>().is_ok();
            is_role.then(|| stem.to_owned())
        });
        own.chain(BUILT_IN.iter().map(|(name, _)| (*name).to_owned())).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

fn named(known: &[String]) -> String {
    let more = known.len().saturating_sub(NAMED_MAX);
    let shown = known[..known.len() - more].join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

/// What a file says, with names filled in. Nothing, if there is none.
fn filled(path: &Path, root: Option<&Path>, names: &Names<'_>) -> Result<Option<String>, RoleError> {
    let wrong = |why: Wrong| RoleError::File { path: path.to_owned(), why };
    match read(path, root).map_err(wrong)? {
        Some(text) => names.fill(&text).map(Some).map_err(|fault| wrong(fault.into())),
        None => Ok(None),
    }
}

/// Reads a file, which must not lie outside of `root`: a workspace comes from others, and so do its links.
fn read(path: &Path, root: Option<&Path>) -> Result<Option<String>, Wrong> {
    let about = match fs::metadata(path) {
        // A link that leads nowhere is there, and wrong.
        Err(_) if fs::symlink_metadata(path).is_err_and(|error| is_missing(&error)) => return Ok(None),
        about => about?,
    };
    if !about.is_file() {
        return Err(Wrong("it is no file".to_owned()));
    }
    if let Some(root) = root
        && !path.canonicalize()?.starts_with(root.canonicalize()?)
    {
        return Err(Wrong("it leads out of the workspace".to_owned()));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(Wrong(format!("it has more than {FILE_BYTES} bytes")));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| Wrong("it is not UTF-8".to_owned()))
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
