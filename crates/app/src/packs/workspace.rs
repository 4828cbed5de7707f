//! The files of a room's workspace, as a pack tells of them.
//!
//! A path never leads out of the workspace, by `..` or by a link. Files that are large, binary, or no files are named and not
//! read.

use std::{
    borrow::Cow,
    fs::{self, File},
    io::Read,
    path::{Component, Path, PathBuf},
};

use baton_core::{
    context::{DocRef, RelevantFile, RepoFacts},
    limits,
    room::Room,
};

use super::summary::{self, HEAD_BYTES};
use crate::{Caller, paths};

/// Larger files are named only.
const FILE_BYTES: u64 = 1024 * 1024;
/// How many documents are looked at.
const DOCUMENTS: usize = 64;
/// How deep below the root of the documents they are looked for.
const DOCUMENT_DEPTH: usize = 4;
/// How many entries of directories are looked at for them.
const ENTRIES: usize = 4096;

/// A room's workspace on this machine, as it is where the caller works.
pub(crate) struct Workspace {
    /// Where it is read: the room's own directory, or its place in the linked worktree that the caller is in. A link may
    /// have taken the place of the room's directory.
    root: PathBuf,
    /// The room's own directory.
    room: PathBuf,
}

impl Workspace {
    /// The workspace of `room`, if it has one and it is on this machine.
    pub(super) fn of(room: &Room, caller: &Caller) -> Option<Self> {
        Self::at(room.canonical_path.as_deref()?, caller)
    }

    /// The workspace of a room at `path`, if it is on this machine.
    pub(crate) fn at(path: &str, caller: &Caller) -> Option<Self> {
        let Some(linked) = linked(Path::new(path), &caller.cwd) else { return Self::own(path) };
        let root = paths::real(&linked).ok().filter(|root| root.is_dir())?;
        Some(Self { root, room: path.into() })
    }

    /// The workspace at the directory of a room itself, wherever the caller works.
    pub(crate) fn own(path: &str) -> Option<Self> {
        Path::new(path).is_dir().then(|| Self { root: path.into(), room: path.into() })
    }

    /// Whether it is at the directory of the room itself.
    pub(crate) fn is_own(&self) -> bool {
        self.root == self.room
    }

    /// What git and the files at the root tell, and why git did not.
    pub(super) fn facts(&self) -> (RepoFacts, Option<String>) {
        // Git names files by their real paths.
        let root = paths::real(&self.root).unwrap_or_else(|_| self.root.clone());
        let (language, package_manager) = paths::made_of(&root);
        match paths::checked_out(&root) {
            Ok(facts) => (RepoFacts { language, package_manager, ..facts }, None),
            Err(failure) => (RepoFacts { language, package_manager, ..RepoFacts::default() }, Some(failure.message)),
        }
    }

    /// A path as the pack names it: from the root of the workspace. Nothing, if it lies outside.
    pub(crate) fn relative(&self, path: &str) -> Option<String> {
        let given = Path::new(path);
        let inside = match given.is_absolute() {
            true => self.below(given)?,
            false => given,
        };
        let inside = inside.to_str()?.replace('\\', "/");
        let inside = Path::new(&inside);
        let mut names = Vec::new();
        for component in inside.components() {
            match component {
                Component::Normal(name) => names.push(name.to_str()?),
                Component::CurDir => {}
                Component::ParentDir => drop(names.pop()?),
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        Some(names.join("/")).filter(|path| !path.is_empty())
    }

    /// An absolute path as one from the root.
    fn below<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        let written = path.strip_prefix(&self.root).or_else(|_| path.strip_prefix(&self.room)).ok();
        written.or_else(|| path.strip_prefix(paths::real(&self.root).ok()?).ok())
    }

    /// Whether there is something at a path from the root that lies inside of it.
    pub(super) fn has(&self, path: &str) -> bool {
        self.inside(path).is_some()
    }

    /// A file with what it says of itself.
    pub(super) fn file(&self, path: &str) -> RelevantFile {
        let name = path.rsplit('/').next().unwrap_or(path);
        let summary = self.head(path).and_then(|head| summary::summary(name, &head));
        RelevantFile { path: path.to_owned(), summary, role: None }
    }

    /// How the documents below `docs` begin, in the order of their paths.
    pub(super) fn documents(&self, docs: &str) -> Vec<DocRef> {
        let mut found = Vec::new();
        let mut entries = ENTRIES;
        self.collect(docs, 0, &mut entries, &mut found);
        found.sort();
        found.truncate(DOCUMENTS);
        let excerpt = |path: String| {
            let excerpt = summary::excerpt(&self.head(&path)?);
            (!excerpt.is_empty()).then_some(DocRef { path, excerpt })
        };
        found.into_iter().filter_map(excerpt).collect()
    }

    fn collect(&self, directory: &str, depth: usize, entries: &mut usize, found: &mut Vec<String>) {
        let Some(listed) = self.inside(directory).and_then(|path| fs::read_dir(path).ok()) else { return };
        let mut names = Vec::new();
        for entry in listed.flatten() {
            if *entries == 0 {
                break;
            }
            *entries -= 1;
            if let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) {
                names.push((name, kind));
            }
        }
        names.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (name, kind) in names.into_iter().filter(|(name, _)| !name.starts_with('.')) {
            let path = if directory.is_empty() { name.clone() } else { format!("{directory}/{name}") };
            if kind.is_file() && summary::is_document(&name) {
                found.push(path);
            } else if kind.is_dir() && depth < DOCUMENT_DEPTH && !matches!(name.as_str(), "node_modules" | "target") {
                self.collect(&path, depth + 1, entries, found);
            }
        }
    }

    /// The beginning of a text file, if it is one.
    fn head(&self, path: &str) -> Option<String> {
        let path = self.inside(path)?;
        let found = fs::metadata(&path).ok()?;
        if !found.is_file() || found.len() > FILE_BYTES {
            return None;
        }
        let mut head = Vec::new();
        File::open(path).ok()?.take(HEAD_BYTES as u64).read_to_end(&mut head).ok()?;
        if head.contains(&0) {
            return None;
        }
        match String::from_utf8(head) {
            Ok(text) => Some(text),
            // The last character may have been cut in two; anything else is no text.
            Err(error) => {
                let good = error.utf8_error().valid_up_to();
                let is_cut = error.utf8_error().error_len().is_none();
                is_cut.then(|| String::from_utf8_lossy(&error.as_bytes()[..good]).into_owned())
            }
        }
    }

    /// Where a path from the root really is, if that is inside of it.
    pub(crate) fn inside(&self, path: &str) -> Option<PathBuf> {
        if path.len() > limits::PATH_BYTES || path.contains('\0') {
            return None;
        }
        let written = self.root.join(path);
        let real = paths::real(&written).ok()?;
        // Without a link on the way to a file there is none on the way to the root.
        let root = if real == written { Cow::from(&self.root) } else { paths::real(&self.root).ok()?.into() };
        let rest = real.strip_prefix(root).ok()?;
        let is_private = rest.components().any(|name| name.as_os_str() == ".git");
        (!is_private).then_some(real)
    }
}

/// The place of the room in the linked worktree that the caller is in, if it is in one.
fn linked(room: &Path, cwd: &Path) -> Option<PathBuf> {
    // A checkout that the room lies in is the room's own, and so is every one further up.
    let own = cwd.ancestors().take_while(|dir| !room.starts_with(dir)).find(|dir| paths::is_checkout(dir))?;
    let main = paths::in_main_worktree(own, None, paths::LastLink::Followed);
    (main != own).then_some(())?;
    Some(own.join(room.strip_prefix(&main).ok()?))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use baton_core::{process::SessionKind, room::Actor};

    use super::*;
    use crate::tree::RoomPaths;

    fn workspace() -> (tempfile::TempDir, Workspace) {
        let directory = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(directory.path()).unwrap().join("work");
        fs::create_dir_all(root.join("docs/deep")).unwrap();
        let workspace = Workspace { room: root.clone(), root };
        (directory, workspace)
    }

    #[test]
    fn a_path_never_leads_out_of_the_workspace() {
        let (_directory, workspace) = workspace();
        let outside = workspace.root.parent().unwrap().join("secret.md");
        fs::write(&outside, "# Secret").unwrap();
        symlink(&outside, workspace.root.join("link.md")).unwrap();
        symlink("/", workspace.root.join("docs/all")).unwrap();
        for path in ["../secret.md", "link.md", "docs/../../secret.md", "a\0b", "docs/all/etc/passwd"] {
            assert_eq!(workspace.file(path).summary, None, "{path:?}");
            assert!(!workspace.has(path), "{path:?}");
        }
        assert_eq!(workspace.relative("../secret.md"), None);
        assert_eq!(workspace.relative(outside.to_str().unwrap()), None);
        assert_eq!(workspace.relative("./a/../b.rs").as_deref(), Some("b.rs"));
        assert_eq!(workspace.relative(workspace.root.join("a.rs").to_str().unwrap()).as_deref(), Some("a.rs"));
        assert_eq!(workspace.documents(""), []);
        assert_eq!(workspace.documents("../"), []);
    }

    fn git(dir: &Path, arguments: &[&str]) {
        let identity = ["-c", "user.name=Ana", "-c", "user.email=ana@example.org"];
        let done = baton_testkit::git_for_tests().arg("-C").arg(dir).args(identity).args(arguments).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }

    #[test]
    fn a_room_that_a_link_has_replaced_is_read_where_the_link_leads() {
        let (_directory, workspace) = workspace();
        git(&workspace.root, &["init", "--quiet"]);
        fs::write(workspace.root.join("a.rs"), "//! A.").unwrap();
        let link = workspace.root.parent().unwrap().join("link");
        symlink(&workspace.root, &link).unwrap();
        let linked = Workspace::own(link.to_str().unwrap()).unwrap();
        assert_eq!(linked.inside("a.rs"), Some(workspace.root.join("a.rs")));
        assert_eq!(linked.relative(workspace.root.join("a.rs").to_str().unwrap()).as_deref(), Some("a.rs"));
        assert_eq!(linked.facts(), workspace.facts());
        assert_ne!(linked.facts().0, RepoFacts::default());
    }

    #[test]
    fn a_room_that_the_main_worktree_lacks_is_found_where_the_caller_works() {
        let (directory, workspace) = workspace();
        let main = &workspace.root;
        git(main, &["init", "--quiet"]);
        fs::write(main.join("docs/a.md"), "# A").unwrap();
        git(main, &["add", "."]);
        git(main, &["commit", "--quiet", "--message", "first"]);
        let linked = fs::canonicalize(directory.path()).unwrap().join("linked");
        git(main, &["worktree", "add", "--quiet", linked.to_str().unwrap()]);
        fs::remove_dir_all(main.join("docs")).unwrap();
        let actor = Actor::found("ana".parse().unwrap(), None, SessionKind::McpHarness);
        let caller = Caller::new(actor, linked.clone());
        let (paths, room) = (RoomPaths::default(), "room_1".parse().unwrap());
        let docs = main.join("docs");
        paths.remember(&room, docs.to_str());
        for _ in 0..2 {
            let found = paths.files(&room, docs.to_str().unwrap(), &caller).workspace.unwrap();
            assert_eq!(found.inside("a.md"), Some(linked.join("docs/a.md")));
        }
    }

    #[test]
    fn what_is_large_or_binary_is_named_only() {
        let (_directory, workspace) = workspace();
        fs::write(workspace.root.join("large.md"), "# Large\n".repeat(FILE_BYTES as usize / 8 + 1)).unwrap();
        fs::write(workspace.root.join("binary.md"), b"# Binary\0").unwrap();
        fs::write(workspace.root.join("latin.md"), b"# Caf\xe9 bar").unwrap();
        fs::write(workspace.root.join("cut.md"), "# Cut\n".to_owned() + &"€".repeat(HEAD_BYTES)).unwrap();
        let summary = |path: &str| workspace.file(path).summary;
        assert_eq!((summary("large.md"), summary("binary.md"), summary("latin.md")), (None, None, None));
        assert_eq!(summary("cut.md").as_deref(), Some("Cut"));
        assert_eq!(summary("docs"), None);
    }

    #[test]
    fn documents_are_found_below_their_root_in_the_order_of_their_paths() {
        let (_directory, workspace) = workspace();
        for (path, text) in [
            ("docs/b.md", "# B"),
            ("docs/a.md", "# A\n\nText."),
            ("docs/deep/c.txt", "C"),
            ("docs/x.png", "x"),
            ("docs/.h.md", "h"),
        ] {
            fs::write(workspace.root.join(path), text).unwrap();
        }
        let found: Vec<_> = workspace.documents("docs").into_iter().map(|doc| (doc.path, doc.excerpt)).collect();
        let expected = [("docs/a.md", "# A\n\nText."), ("docs/b.md", "# B"), ("docs/deep/c.txt", "C")];
        assert_eq!(found, expected.map(|(path, text)| (path.to_owned(), text.to_owned())));
    }
}
