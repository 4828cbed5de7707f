//! Landlock: the kernel refuses writes of a process and of all that it starts, for good.

use std::{
    ffi::OsString,
    fs,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Command,
};

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
    RulesetError, RulesetStatus,
};
use rustix::fs::{FileType, Mode, OFlags, fstat, open};

use super::{ConfineError, mounts, plan};

/// The first version that refuses to truncate a file (3) and to link or rename between directories (2). Later ones bring
/// rights that are no writes, such as controlling a terminal.
const ABI_NEEDED: ABI = ABI::V3;

/// Rules for a command, ready to be enforced.
#[derive(Debug)]
pub struct Confinement {
    rules: RulesetCreated,
    unopened: Vec<PathBuf>,
}

/// Whether a command can be confined, or else why not.
pub fn availability() -> Result<(), ConfineError> {
    if ruleset(ABI_NEEDED).is_ok() {
        return Ok(());
    }
    Err(ConfineError::Unavailable(if ruleset(ABI::V1).is_ok() {
        "the kernel's Landlock is too old; Linux 6.2 or later is needed"
    } else {
        "the kernel has no Landlock, it is switched off (lsm= at boot), or a sandbox around this process forbids it"
    }))
}

impl Confinement {
    /// Makes the rules that keep writes out of `denied`, except for what `allowed` names inside. All paths are absolute;
    /// symbolic links in `denied` are followed, and an allowed path that has one is not opened up.
    pub fn prepare(denied: &[PathBuf], allowed: &[PathBuf]) -> Result<Self, ConfineError> {
        availability()?;
        let mounts = fs::read("/proc/self/mountinfo").map_err(|error| {
            ConfineError::Setup(format!(
                "/proc/self/mountinfo, which lists what is mounted, could not be read: {error}"
            ))
        })?;
        let mounts = mounts::parse(&mounts);
        let mut kept: Vec<PathBuf> = denied.iter().map(|path| real(path)).collect();
        kept.extend(kept.clone().iter().flat_map(|path| mounts::aliases(&mounts, path)));
        let is_real = |path: &&PathBuf| fs::canonicalize(path).is_ok_and(|real| real == **path);
        let (opened, mut unopened): (Vec<&PathBuf>, Vec<&PathBuf>) = allowed.iter().partition(is_real);
        // Nothing is amiss where another allowed path, or no denied one, is around it.
        unopened.retain(|path| {
            let depth = |around: &&PathBuf| path.starts_with(around).then(|| around.components().count());
            let denied = kept.iter().filter_map(|around| depth(&around)).max();
            denied > opened.iter().copied().filter_map(|around| depth(&around)).max()
        });
        let opened: Vec<PathBuf> = opened.into_iter().cloned().collect();
        let mut rules = ruleset(ABI_NEEDED).map_err(setup)?;
        for path in plan::writable_paths(&kept, &opened, &mut entries) {
            rules = allow(rules, &path).map_err(setup)?;
        }
        Ok(Self { rules, unopened: unopened.into_iter().cloned().collect() })
    }

    /// The allowed paths that could not be opened up: they do not exist, or a link leads there.
    pub fn unopened(&self) -> &[PathBuf] {
        &self.unopened
    }

    /// Becomes the command, under the same process id. Returns only when that failed. Descriptors other than the three
    /// standard ones are closed: one that is open for writing would keep its right.
    pub fn exec(self, program: &OsString, arguments: &[OsString]) -> ConfineError {
        // Also sets no_new_privs, without which a setuid program would run with rights that are not confined.
        match self.rules.restrict_self() {
            Ok(status) if status.ruleset == RulesetStatus::FullyEnforced && status.no_new_privs => {}
            Ok(status) => return ConfineError::Setup(format!("the kernel enforces it only in part: {status:?}")),
            Err(error) => return setup(error),
        }
        close_fds::set_fds_cloexec(3, &[]);
        let source = Command::new(program).args(arguments).exec();
        ConfineError::Exec { program: program.clone(), source }
    }
}

/// Refuses every right of that version to change a file or a directory, until rules allow it. Reading, executing and the
/// control of devices stay as they are.
fn ruleset(abi: ABI) -> Result<RulesetCreated, RulesetError> {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    rules.handle_access(AccessFs::from_write(abi))?.create()
}

/// Allows writes at `path` and below. A path that is gone, or has become a link, is left out.
fn allow(rules: RulesetCreated, path: &Path) -> Result<RulesetCreated, RulesetError> {
    let Ok(place) = open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty()) else {
        return Ok(rules);
    };
    let rights = match fstat(&place).map(|stat| FileType::from_raw_mode(stat.st_mode)) {
        Ok(FileType::Directory) => AccessFs::from_write(ABI_NEEDED),
        Ok(FileType::Symlink) | Err(_) => return Ok(rules),
        Ok(_) => AccessFs::from_write(ABI_NEEDED) & AccessFs::from_file(ABI_NEEDED),
    };
    rules.add_rule(PathBeneath::new(place, rights))
}

/// The entries of a directory that a rule can be about. A directory that cannot be read has none.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(directory).into_iter().flatten().flatten();
    let is_link = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
    listed.filter(|entry| !is_link(entry)).map(|entry| entry.path()).collect()
}

/// A path without links, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let known = path.ancestors().find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
    known.map_or_else(
        || path.to_owned(),
        |(above, real)| {
            let rest = path.strip_prefix(above).unwrap_or(Path::new(""));
            real.components().chain(rest.components()).collect()
        },
    )
}

fn setup(error: RulesetError) -> ConfineError {
    ConfineError::Setup(error.to_string())
}
