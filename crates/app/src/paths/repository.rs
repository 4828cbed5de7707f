//! Git repositories, by reading `.git`: nothing is run, and nothing in a repository's configuration can run.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

/// What a directory is to git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Checkout {
    /// The top of a repository's own working tree (a submodule's too), or a bare repository.
    Own,
    /// The top of a linked worktree, and the top of the main one.
    Linked {
        /// The main worktree; the repository itself where it has none.
        main: PathBuf,
    },
    /// It has a `.git` that leads nowhere: what was a worktree, or is half a clone.
    Broken,
}

/// The top of the working tree that `dir` lies in: a linked worktree's own, unlike the room's root. This is the
/// directory whose changes are the caller's.
pub fn checkout_root(dir: &Path) -> Option<&Path> {
    dir.ancestors().find(|dir| is_checkout(dir))
}

/// Whether `dir` is the top of a working tree, or a bare repository.
pub fn is_checkout(dir: &Path) -> bool {
    matches!(checkout_at(dir), Some(Checkout::Own | Checkout::Linked { .. }))
}

/// Every directory by which a program could know `dir` as a project: itself and all above it, and the same of the
/// repository that a linked worktree or a submodule belongs to. As they are written, and as the kernel names them.
pub fn known_by(dir: &Path) -> BTreeSet<PathBuf> {
    let mut known = BTreeSet::new();
    let mut add = |path: &Path| {
        known.extend(path.ancestors().map(Path::to_owned));
        known.extend(fs::canonicalize(path).iter().flat_map(|path| path.ancestors().map(Path::to_owned)));
    };
    add(dir);
    let above = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
    for checkout in dir.ancestors().chain(above.ancestors()) {
        let Some(git_dir) = git_dir_named_by(checkout, &checkout.join(".git")) else { continue };
        add(&git_dir);
        if let Some(common) = read_line(&git_dir.join("commondir")) {
            add(&git_dir.join(common));
        }
        if let Some(Checkout::Linked { main }) = checkout_at(checkout) {
            add(&main);
        }
    }
    known.retain(|path| path.is_absolute());
    known
}

/// Directories outside a working tree that belong to its repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositoryPlaces {
    /// The top of the working tree that was asked about.
    pub top: PathBuf,
    /// Git's own directory, which all working trees share.
    pub git_dir: PathBuf,
    /// The tops of the other working trees, the main one included.
    pub worktrees: Vec<PathBuf>,
}

/// The places of the repository around `dir`, which is canonical.
pub fn repository_places(dir: &Path) -> Option<RepositoryPlaces> {
    let top = checkout_root(dir)?;
    let git_dir = common_dir_of(top)?;
    let parts = fs::read_dir(git_dir.join("worktrees")).into_iter().flatten().flatten();
    let linked = parts.filter_map(|part| linked_worktree(&part.path()));
    let main = Some(main_worktree_of(&git_dir)).filter(|main| leads_to(main, &git_dir));
    let worktrees: BTreeSet<PathBuf> = linked.chain(main).filter(|tree| tree != top).collect();
    Some(RepositoryPlaces { top: top.to_owned(), git_dir, worktrees: worktrees.into_iter().collect() })
}

/// The directory that all working trees of the checkout at `top` share.
fn common_dir_of(top: &Path) -> Option<PathBuf> {
    let dot_git = top.join(".git");
    let git_dir = match fs::metadata(&dot_git) {
        Ok(found) if found.is_dir() => dot_git,
        Ok(_) => git_dir_named_by(top, &dot_git)?,
        Err(_) => top.to_owned(),
    };
    let common = read_line(&git_dir.join("commondir")).map_or_else(|| git_dir.clone(), |common| git_dir.join(common));
    fs::canonicalize(common).ok()
}

/// The working tree that a part of a repository is for, if that one says so too: a repository's files could name any
/// directory.
fn linked_worktree(part: &Path) -> Option<PathBuf> {
    let dot_git = part.join(read_line(&part.join("gitdir"))?);
    let top = fs::canonicalize(dot_git.parent()?).ok()?;
    leads_to(&top, &fs::canonicalize(part).ok()?).then_some(top)
}

/// What `dir` itself is to git, not what it lies in.
pub(super) fn checkout_at(dir: &Path) -> Option<Checkout> {
    let dot_git = dir.join(".git");
    match fs::metadata(&dot_git) {
        Ok(found) if found.is_dir() => Some(if is_repository(&dot_git) { Checkout::Own } else { Checkout::Broken }),
        Ok(_) => Some(checkout_of_file(dir, &dot_git)),
        Err(_) if dir.file_name().is_some_and(|name| name != ".git") && is_bare(dir) => Some(Checkout::Own),
        Err(_) => None,
    }
}

/// Submodules and linked worktrees have a file that points to their part of a repository.
fn checkout_of_file(dir: &Path, dot_git: &Path) -> Checkout {
    let Some(git_dir) = git_dir_named_by(dir, dot_git) else { return Checkout::Broken };
    // Only the part of a linked worktree points on to what it shares.
    match read_line(&git_dir.join("commondir")) {
        None => Checkout::Own,
        Some(common) => match fs::canonicalize(git_dir.join(common)) {
            Ok(common) => Checkout::Linked { main: main_worktree_of(&common) },
            Err(_) => Checkout::Broken,
        },
    }
}

/// The top of the main worktree, as far as the shared part tells; else the shared part itself, which is just as
/// much the same for all worktrees.
fn main_worktree_of(common: &Path) -> PathBuf {
    let configured = core_setting(common, "worktree").and_then(|path| fs::canonicalize(common.join(path)).ok());
    if let Some(worktree) = configured.filter(|path| path.is_dir()) {
        return worktree;
    }
    match common.parent() {
        Some(parent) if leads_to(parent, common) => parent.to_owned(),
        Some(_) | None => common.to_owned(),
    }
}

/// Whether the `.git` of `dir`, directory or file, is `common`.
fn leads_to(dir: &Path, common: &Path) -> bool {
    let dot_git = dir.join(".git");
    let target = if dot_git.is_dir() { Some(dot_git) } else { git_dir_named_by(dir, &dot_git) };
    target.and_then(|target| fs::canonicalize(target).ok()).is_some_and(|target| target == common)
}

fn git_dir_named_by(dir: &Path, dot_git: &Path) -> Option<PathBuf> {
    let line = read_line(dot_git)?;
    let git_dir = dir.join(line.strip_prefix("gitdir:")?.trim());
    git_dir.join("HEAD").symlink_metadata().is_ok().then_some(git_dir)
}

fn is_repository(git_dir: &Path) -> bool {
    // HEAD may be a symbolic link to a branch without commits.
    git_dir.join("HEAD").symlink_metadata().is_ok() && git_dir.join("objects").is_dir()
}

fn is_bare(dir: &Path) -> bool {
    is_repository(dir) && core_setting(dir, "bare").is_some_and(|value| value == "true")
}

/// A setting of `[core]`, by far the simplest part of git's configuration format.
fn core_setting(git_dir: &Path, key: &str) -> Option<String> {
    ["config.worktree", "config"].into_iter().find_map(|name| {
        let text = read_text(&git_dir.join(name))?;
        let mut in_core = false;
        text.lines().map(str::trim).find_map(|line| {
            if line.starts_with('[') {
                in_core = line.eq_ignore_ascii_case("[core]");
            }
            let (found, value) = line.split_once('=')?;
            let is_it = in_core && found.trim().eq_ignore_ascii_case(key);
            is_it.then(|| value.trim().trim_matches('"').to_owned())
        })
    })
}

fn read_line(path: &Path) -> Option<String> {
    let text = read_text(path)?;
    Some(text.trim_end_matches(['\n', '\r'])).filter(|line| !line.is_empty()).map(str::to_owned)
}

fn read_text(path: &Path) -> Option<String> {
    /// Far more than any of these files holds.
    const READ_BYTES: u64 = 64 * 1024;
    // A pipe in the place of a file would never end.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(READ_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}
