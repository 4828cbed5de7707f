//! The hook's file: our lines in it, or out of it again.

use std::{
    fmt, fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::block::{self, SHEBANG};
use crate::install::{
    InstallError, Registration,
    plan::{Edit, while_changed},
};

/// Everybody may run a hook that everybody may read.
const NEW_HOOK_MODE: u32 = 0o755;

/// What became of a hook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The file.
    pub hook: PathBuf,
    /// What became of it.
    pub change: Change,
    /// Whether git passed it over before, for not being executable, and runs it now.
    pub made_executable: bool,
}

/// What became of our lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The file is new.
    Created,
    /// They are new in a script that was there.
    Added,
    /// They said something else.
    Updated,
    /// They were there and right.
    Already,
    /// They are gone, and the rest of the script stays.
    Removed,
    /// They are gone, and the file with them: it had nothing else.
    RemovedFile,
    /// There were none to remove.
    NotInstalled,
}

impl Outcome {
    /// Whether the file is, or would be, different from before.
    pub fn changed(&self) -> bool {
        !matches!(self.change, Change::Already | Change::NotInstalled) || self.made_executable
    }
}

/// What would be done to the file, and the outcome if it is.
#[derive(Debug)]
pub struct Plan {
    pub(super) outcome: Outcome,
    /// Our lines; the whole file where it is new.
    lines: String,
    edit: Option<Edit>,
}

/// Puts our lines into the hook.
pub fn install(file: &Path, registration: &Registration) -> Result<Outcome, InstallError> {
    while_changed(|| plan_install(file, registration)?.apply())
}

/// What [`install`] would do. Writes nothing.
pub fn plan_install(file: &Path, registration: &Registration) -> Result<Plan, InstallError> {
    let lines = block::block(registration);
    let foreign = |why: String| InstallError::ForeignHook { path: file.to_owned(), why, lines: lines.clone() };
    if let Ok(target) = fs::read_link(file) {
        return Err(InstallError::LinkedHook { path: file.to_owned(), target, lines: Some(lines) });
    }
    let before = match fs::read(file) {
        Ok(bytes) => Some(String::from_utf8(bytes).map_err(|_| foreign("is not UTF-8 text".to_owned()))?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(foreign(format!("cannot be read: {error}"))),
    };
    let script = before.as_deref().filter(|text| !text.trim().is_empty());
    if script.is_some_and(|text| !block::is_shell_script(text)) {
        return Err(foreign("is not a shell script".to_owned()));
    }
    let unended = |line| InstallError::UnendedBlock { path: file.to_owned(), line };
    let after = block::with_block(script.unwrap_or(SHEBANG), &lines).map_err(unended)?;
    let change = match script {
        None => Change::Created,
        Some(text) if text == after => Change::Already,
        Some(text) if block::split(text).is_ok_and(|parts| parts.is_some()) => Change::Updated,
        Some(_) => Change::Added,
    };
    let made_executable = before.is_some() && !is_executable(file);
    let outcome = Outcome { hook: file.to_owned(), change, made_executable };
    let edit = Edit { path: file.to_owned(), before, after: Some(after.clone()), new_mode: NEW_HOOK_MODE };
    let lines = if change == Change::Created { after } else { lines };
    Ok(Plan { outcome, lines, edit: (change != Change::Already).then_some(edit) })
}

/// Takes our lines out of the hook, and the hook away if it had nothing else.
pub fn uninstall(file: &Path) -> Result<Outcome, InstallError> {
    while_changed(|| plan_uninstall(file)?.apply())
}

/// What [`uninstall`] would do. Writes nothing.
pub fn plan_uninstall(file: &Path) -> Result<Plan, InstallError> {
    let outcome = |change| Outcome { hook: file.to_owned(), change, made_executable: false };
    let nothing = Plan { outcome: outcome(Change::NotInstalled), lines: String::new(), edit: None };
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(nothing),
        Err(source) => return Err(InstallError::Io { doing: "read", path: file.to_owned(), source }),
    };
    // What is not text was refused, so our lines are not in it.
    let Ok(before) = String::from_utf8(bytes) else { return Ok(nothing) };
    let unended = |line| InstallError::UnendedBlock { path: file.to_owned(), line };
    let Some(parts) = block::split(&before).map_err(unended)? else { return Ok(nothing) };
    if let Ok(target) = fs::read_link(file) {
        return Err(InstallError::LinkedHook { path: file.to_owned(), target, lines: None });
    }
    let rest = format!("{}{}", parts.before, parts.after);
    let lines = parts.block.to_owned();
    let (change, after) =
        if block::is_idle(&rest) { (Change::RemovedFile, None) } else { (Change::Removed, Some(rest)) };
    let edit = Edit { path: file.to_owned(), before: Some(before), after, new_mode: NEW_HOOK_MODE };
    Ok(Plan { outcome: outcome(change), lines, edit: Some(edit) })
}

impl Plan {
    fn apply(self) -> Result<Outcome, InstallError> {
        let file = &self.outcome.hook;
        let failed = |doing| move |source| InstallError::Io { doing, path: file.clone(), source };
        if let Some(edit) = &self.edit {
            if let (Change::Created, Some(directory)) = (self.outcome.change, file.parent()) {
                // As git itself makes it: others may commit here too.
                fs::create_dir_all(directory).map_err(failed("make the directory of"))?;
            }
            // Git made the directory above.
            let kept: Vec<PathBuf> = edit.path.ancestors().nth(2).map(Path::to_owned).into_iter().collect();
            edit.apply(&kept)?;
        }
        if self.outcome.made_executable {
            make_executable(file).map_err(failed("make executable"))?;
        }
        Ok(self.outcome)
    }
}

fn is_executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
}

/// For whoever may read it.
fn make_executable(file: &Path) -> io::Result<()> {
    let mode = fs::metadata(file)?.permissions().mode();
    fs::set_permissions(file, fs::Permissions::from_mode(mode | (mode & 0o444) >> 2))
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.hook.display();
        match self.change {
            Change::Created => write!(f, "guards commits with {path} (new file)"),
            Change::Added => write!(f, "guards commits with lines in {path}"),
            Change::Updated => write!(f, "updated in {path}"),
            Change::Already => write!(f, "already in {path}"),
            Change::Removed => write!(f, "removed from {path}"),
            Change::RemovedFile => write!(f, "removed, {path}"),
            Change::NotInstalled => write!(f, "not in {path}"),
        }?;
        f.write_str(if self.made_executable { "\nwhich was not executable, and is now" } else { "" })
    }
}

impl fmt::Display for Plan {
    /// Writes what `--print` shows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.outcome.hook.display();
        match self.outcome.change {
            Change::Created => write!(f, "would create {path} with"),
            Change::Added => write!(f, "would add to {path}, after its first line"),
            Change::Updated => write!(f, "would update in {path} to"),
            Change::Already => write!(f, "{path} already has"),
            Change::Removed => write!(f, "would remove from {path}"),
            Change::RemovedFile => write!(f, "would remove {path}, which has only"),
            Change::NotInstalled => write!(f, "nothing to remove from {path}"),
        }?;
        if !self.lines.is_empty() {
            write!(f, "\n\n{}", self.lines)?;
        }
        f.write_str(if self.outcome.made_executable { "\nwould make it executable, which it is not" } else { "" })
    }
}
