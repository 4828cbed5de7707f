//! A branch with one commit: the patch of a job on the commit that it was made against. The working tree and the user's index
//! stay as they are.

use baton_core::{code::ErrorCode, redact::redact};

use super::{Repository, git::Git, repository::Objects};
use crate::Failure;

/// The author where git's own configuration names none.
const AUTHOR: (&str, &str) = ("Baton", "baton@localhost");

/// A branch that is to be made.
#[derive(Clone, Copy, Debug)]
pub struct BranchDraft<'a> {
    /// The name, without `refs/heads/`.
    pub name: &'a str,
    /// The commit that the patch was made against.
    pub base: &'a str,
    /// The patch.
    pub patch: &'a [u8],
    /// The commit's message.
    pub message: &'a str,
}

/// A branch that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its commit.
    pub commit: String,
    /// Whether it was made just now, and not before.
    pub is_new: bool,
}

impl Repository {
    /// Makes a branch. One that is there already stays, if it is the same.
    pub fn make_branch(&self, draft: &BranchDraft<'_>) -> Result<Branch, Failure> {
        let reference = self.reference(draft.name)?;
        let Some(base) = self.commit(draft.base)? else {
            let message =
                format!("The commit {}, which the patch was made against, is not in the workspace.", draft.base);
            let next = "Fetch it into the workspace, or send the job back so that it begins at the present commit.";
            return Err(Failure::new(ErrorCode::PatchUnusable, message).with("base", draft.base).advising(next));
        };
        let tree = self.patched(&base, draft.patch, Objects::Kept)?;
        if let Some(commit) = self.commit(&reference)? {
            return self.same(&commit, &base, &tree, draft.name);
        }
        let commit = self
            .with_author(self.git(Objects::Kept))?
            .args(["commit-tree", "--no-gpg-sign", "-p", &base, &tree])
            .input(draft.message.as_bytes().to_vec())
            .line()?;
        // Only if there still is none: the empty value says so.
        let made = self.git(Objects::Kept).args(["update-ref", &reference, &commit, ""]).run()?;
        if made.status.success() {
            return Ok(Branch { commit, is_new: true });
        }
        Err(taken(draft.name).with("git", made.stderr.trim().lines().last().unwrap_or_default()))
    }

    /// Takes a branch back that was made just now.
    pub fn unmake_branch(&self, name: &str, branch: &Branch) {
        if branch.is_new {
            // It is the caller's either way; one that stays is the same if it is made again.
            let reference = format!("refs/heads/{name}");
            let _ = self.git(Objects::Kept).args(["update-ref", "-d", &reference, &branch.commit]).run();
        }
    }

    /// The reference of a branch, if git itself would make a branch of that name.
    fn reference(&self, name: &str) -> Result<String, Failure> {
        let refused = |message: String| {
            let failure = Failure::new(ErrorCode::InvalidInput, message).with("field", "branch");
            failure.advising("Use a name like baton/JOB-001.")
        };
        // A secret is taken out of everything that is recorded or answered: nobody could find such a branch by its name.
        if redact(name) != name {
            return Err(refused("The branch's name has something in it that looks like a secret.".to_owned()));
        }
        // Git understands `@{-1}` as another branch's name, so the name that it prints must be this one. Some versions of git
        // take HEAD, with which no command would find the branch.
        let is_plain = name != "HEAD" && !name.starts_with('-') && !name.contains('\0');
        if is_plain {
            let checked = self.git(Objects::Scratch).args(["check-ref-format", "--branch", name]).run()?;
            if checked.status.success() && checked.stdout.strip_suffix(b"\n") == Some(name.as_bytes()) {
                return Ok(format!("refs/heads/{name}"));
            }
        }
        let shown: String = name.chars().take(baton_core::limits::SHOWN_INPUT_CHARS).collect();
        Err(refused(format!("{shown:?} is no name that a branch can have.")))
    }

    fn same(&self, commit: &str, base: &str, tree: &str, name: &str) -> Result<Branch, Failure> {
        let ask = |what: &str| {
            let words = ["rev-parse", "--verify", "--quiet", &format!("{commit}{what}")];
            self.git(Objects::Scratch).args(words).run().map(|answer| crate::paths::git::text(&answer.stdout))
        };
        if ask("^{tree}")? == tree && ask("^1")? == base && ask("^2")?.is_empty() {
            return Ok(Branch { commit: commit.to_owned(), is_new: false });
        }
        Err(taken(name).with("commit", commit))
    }

    /// The author as the user's configuration says, else one that can be told apart from people.
    fn with_author(&self, git: Git) -> Result<Git, Failure> {
        let set = |key: &str| {
            let asked = self.git(Objects::Scratch).args(["config", "--get", key]).run();
            asked.map(|answer| answer.status.success() && !answer.stdout.trim_ascii().is_empty())
        };
        if set("user.name")? && set("user.email")? {
            return Ok(git);
        }
        let (name, email) = AUTHOR;
        Ok(git
            .env("GIT_AUTHOR_NAME", name)
            .env("GIT_AUTHOR_EMAIL", email)
            .env("GIT_COMMITTER_NAME", name)
            .env("GIT_COMMITTER_EMAIL", email))
    }
}

fn taken(name: &str) -> Failure {
    Failure::new(ErrorCode::PatchConflict, format!("There is a branch {name} already, with something else."))
        .with("branch", name)
        .advising("Choose another name, or delete the branch if nobody needs it.")
}
