//! The guard before commits, in real repositories, with a made-up `baton` behind it.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Output},
};

use super::super::{
    InstallError, Registration,
    git_hook::{self, BEGIN, END, Outcome},
};

/// A repository with a file to commit, beside a program that says how it was called and ends as it is told.
struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        for dir in ["repo", "bin", "it's here"] {
            fs::create_dir(repository.at(dir)).unwrap();
        }
        repository.git(&["init", "--quiet"]);
        let fake = "#!/bin/sh\ncd \"${0%/*}/..\"\necho \"$@ | $BATON_DATA_DIR | $BATON_STORE | $(cat)\" >> called\nexit $(cat status)\n";
        baton_testkit::script(&repository.program(), fake);
        repository
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn program(&self) -> PathBuf {
        self.at("it's here/baton")
    }

    fn hook(&self) -> PathBuf {
        self.at("repo/.git/hooks/pre-commit")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.hook()).unwrap()
    }

    /// Puts a hook there that somebody wrote.
    fn hook_is(&self, text: impl AsRef<[u8]>, mode: u32) {
        fs::create_dir_all(self.hook().parent().unwrap()).unwrap();
        fs::write(self.hook(), text).unwrap();
        fs::set_permissions(self.hook(), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn registration(&self, variables: &[(&str, &str)]) -> Registration {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Registration::new(&self.program(), [], variables).unwrap()
    }

    fn install(&self) -> Result<Outcome, InstallError> {
        git_hook::install(&self.hook(), &self.registration(&[]))
    }

    fn installed(&self) -> String {
        self.shown(&self.install().unwrap())
    }

    fn uninstalled(&self) -> String {
        self.shown(&git_hook::uninstall(&self.hook()).unwrap())
    }

    fn shown(&self, what: &impl std::fmt::Display) -> String {
        what.to_string().replace(self.0.path().to_str().unwrap(), "~")
    }

    fn git(&self, arguments: &[&str]) -> Output {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.at("bin").display());
        Command::new("git")
            .env_clear()
            .env("PATH", path)
            .env("BATON_STORE", "elsewhere")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .arg("-C")
            .arg(self.at("repo"))
            .args(["-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "init.defaultBranch=main"])
            .args(arguments)
            .output()
            .unwrap()
    }

    /// Whether a commit goes through while the guard ends like this, and what was said.
    fn commit(&self, status: u8) -> (bool, String) {
        self.commit_with(status, &[])
    }

    fn commit_with(&self, status: u8, arguments: &[&str]) -> (bool, String) {
        fs::write(self.at("status"), status.to_string()).unwrap();
        // In a new file, which this process never had open for writing: see `baton_testkit::script`.
        let renewed = "[ ! -e \"$0\" ] || { cp -p \"$0\" \"$0.new\" && mv \"$0.new\" \"$0\"; }";
        assert!(Command::new("sh").args(["-c", renewed]).arg(self.hook()).status().unwrap().success());
        let output = self.git(&[&["commit", "--quiet", "--allow-empty", "--message=next"], arguments].concat());
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    }

    /// How the guard was called since the last time.
    fn calls(&self) -> String {
        let calls = fs::read_to_string(self.at("called")).unwrap_or_default();
        let _ = fs::remove_file(self.at("called"));
        calls
    }
}

const CALLED: &str = "scope check --staged --active-only |  | elsewhere | \n";
const REFUSED: &str =
    "baton: the commit is refused. Leave these paths out, or override it with: git commit --no-verify\n";
const UNCHECKED: &str = "baton: the commit goes on without being checked, for the reason above.\n";

#[test]
fn a_commit_is_refused_only_when_the_guard_refuses_it() {
    let repository = Repository::new();
    assert_eq!(repository.installed(), "guards commits with ~/repo/.git/hooks/pre-commit (new file)");
    assert_eq!(fs::metadata(repository.hook()).unwrap().mode() & 0o7777, 0o755);
    for (status, said) in [(0, ""), (1, UNCHECKED), (2, UNCHECKED), (4, UNCHECKED), (126, UNCHECKED)] {
        assert_eq!(repository.commit(status), (true, said.to_owned()), "{status}");
        assert_eq!(repository.calls(), CALLED, "{status}");
    }
    assert_eq!(repository.commit(3), (false, REFUSED.to_owned()));
    assert_eq!(repository.calls(), CALLED);
    assert_eq!(repository.commit_with(3, &["--no-verify"]), (true, String::new()));
    assert_eq!(repository.calls(), "");
}

#[test]
fn the_guard_is_found_on_the_path_when_it_moved_and_missing_it_stops_nobody() {
    let repository = Repository::new();
    repository.installed();
    fs::rename(repository.program(), repository.at("bin/baton")).unwrap();
    assert!(!repository.commit(3).0);
    assert_eq!(repository.calls(), CALLED);
    fs::remove_file(repository.at("bin/baton")).unwrap();
    assert_eq!(repository.commit(3), (true, String::new()));
}

#[test]
fn the_store_of_the_installation_is_the_store_of_the_guard() {
    let repository = Repository::new();
    let directory = "/data/it's $HOME";
    for (name, value, expected) in [
        ("BATON_DATA_DIR", directory, format!("{directory} | ")),
        ("BATON_STORE", "postgres://ana@db.example/baton?a=1&b=2", " | postgres://ana@db.example/baton?a=1&b=2".into()),
    ] {
        git_hook::install(&repository.hook(), &repository.registration(&[(name, value)])).unwrap();
        repository.commit(0);
        assert_eq!(repository.calls(), format!("scope check --staged --active-only | {expected} | \n"));
    }
}

#[test]
fn a_script_that_is_there_keeps_every_byte_and_runs_after_the_guard() {
    for first in ["#!/bin/sh -eu\n", "#!/usr/bin/env bash\n"] {
        let repository = Repository::new();
        let before =
            format!("{first}\n# mine\nrefused=mine\nprintf '%s' \"${{baton-none}} $refused\" > mine.txt\nexit 0");
        repository.hook_is(&before, 0o700);
        assert_eq!(repository.installed(), "guards commits with lines in ~/repo/.git/hooks/pre-commit");
        assert_eq!(fs::metadata(repository.hook()).unwrap().mode() & 0o7777, 0o700, "{first}");
        assert!(repository.text().starts_with(&format!("{first}{BEGIN}\n")), "{first}");

        assert_eq!(repository.commit(4), (true, UNCHECKED.to_owned()), "{first}");
        assert_eq!(fs::read_to_string(repository.at("repo/mine.txt")).unwrap(), "none mine", "{first}");
        fs::remove_file(repository.at("repo/mine.txt")).unwrap();
        assert_eq!(repository.commit(3), (false, REFUSED.to_owned()), "{first}");
        assert!(!repository.at("repo/mine.txt").exists(), "{first}");

        assert_eq!(repository.uninstalled(), "removed from ~/repo/.git/hooks/pre-commit");
        assert_eq!(repository.text(), before);
        assert_eq!(repository.uninstalled(), "not in ~/repo/.git/hooks/pre-commit");
    }
}

#[test]
fn installing_again_changes_nothing_and_older_lines_are_replaced_where_they_are() {
    let repository = Repository::new();
    repository.installed();
    let inode = fs::metadata(repository.hook()).unwrap().ino();
    assert_eq!(repository.installed(), "already in ~/repo/.git/hooks/pre-commit");
    assert!(!repository.install().unwrap().changed());
    assert_eq!(fs::metadata(repository.hook()).unwrap().ino(), inode);

    let current = repository.text();
    let block = &current["#!/bin/sh\n".len()..];
    repository.hook_is(format!("#!/bin/sh\nset -e\n{BEGIN}\nold\n{END}\nmake\n"), 0o755);
    assert_eq!(repository.installed(), "updated in ~/repo/.git/hooks/pre-commit");
    assert_eq!(repository.text(), format!("#!/bin/sh\nset -e\n{block}make\n"));
}

#[test]
fn a_hook_of_ours_goes_as_a_whole_and_git_commits_without_it() {
    let repository = Repository::new();
    repository.installed();
    assert_eq!(repository.uninstalled(), "removed, ~/repo/.git/hooks/pre-commit");
    assert!(!repository.hook().exists());
    assert_eq!(repository.commit(3), (true, String::new()));
    assert_eq!(repository.uninstalled(), "not in ~/repo/.git/hooks/pre-commit");
}

#[test]
fn a_hook_that_git_passed_over_is_made_executable_and_that_is_said() {
    let repository = Repository::new();
    repository.hook_is("#!/bin/sh\nexit 0\n", 0o640);
    let said = "guards commits with lines in ~/repo/.git/hooks/pre-commit\nwhich was not executable, and is now";
    assert_eq!(repository.installed(), said);
    assert_eq!(fs::metadata(repository.hook()).unwrap().mode() & 0o7777, 0o750);
    assert!(!repository.commit(3).0);
}

/// Installing is refused with a code and the lines to add, and nothing is written.
fn refused(repository: &Repository, code: &str, message: &str) {
    let error = repository.install().unwrap_err();
    assert_eq!((error.code(), repository.shown(&error.message())), (code, message.to_owned()));
    let hint = error.hint();
    assert!(hint.starts_with("It was not touched.") && hint.contains("scope check --staged"), "{hint}");
}

#[test]
fn what_lines_of_shell_cannot_be_put_into_is_refused_with_the_lines() {
    let repository = Repository::new();
    let path = "~/repo/.git/hooks/pre-commit";
    let foreign: [(&[u8], &str); 4] = [
        (b"#!/usr/bin/env python3\nprint()\n", "is not a shell script"),
        (b"#!/bin/sh\r\nexit 0\r\n", "is not a shell script"),
        (b"\x7fELF\x02\x01", "is not a shell script"),
        (b"#!/bin/sh\necho caf\xe9\n", "is not UTF-8 text"),
    ];
    for (bytes, why) in foreign {
        repository.hook_is(bytes, 0o755);
        refused(&repository, "hook_not_shell", &format!("{path} {why}"));
        assert_eq!(repository.uninstalled(), format!("not in {path}"));
        assert_eq!(fs::read(repository.hook()).unwrap(), bytes);
    }
    fs::remove_file(repository.hook()).unwrap();
    fs::create_dir(repository.hook()).unwrap();
    refused(&repository, "hook_not_shell", &format!("{path} cannot be read: Is a directory (os error 21)"));
}

#[test]
fn a_linked_hook_is_left_to_the_person_with_word_of_where_it_points() {
    let repository = Repository::new();
    fs::create_dir_all(repository.hook().parent().unwrap()).unwrap();
    let shared = repository.at("repo/shared.sh");
    fs::write(&shared, "#!/bin/sh\n").unwrap();
    symlink("../../shared.sh", repository.hook()).unwrap();
    refused(&repository, "hook_is_link", "~/repo/.git/hooks/pre-commit is a symbolic link to ../../shared.sh");
    assert_eq!(repository.uninstalled(), "not in ~/repo/.git/hooks/pre-commit");
    fs::write(&shared, format!("#!/bin/sh\n{BEGIN}\n{END}\n")).unwrap();
    let error = git_hook::uninstall(&repository.hook()).unwrap_err();
    assert_eq!(error.code(), "hook_is_link");
    assert!(error.hint().contains(BEGIN), "{}", error.hint());
    fs::remove_file(&shared).unwrap();
    refused(&repository, "hook_is_link", "~/repo/.git/hooks/pre-commit is a symbolic link to ../../shared.sh");
}

#[test]
fn lines_that_begin_and_do_not_end_are_refused() {
    let repository = Repository::new();
    let text = format!("#!/bin/sh\n\n{BEGIN}\nexit 0\n");
    repository.hook_is(&text, 0o755);
    for error in [repository.install().unwrap_err(), git_hook::uninstall(&repository.hook()).unwrap_err()] {
        assert_eq!(error.code(), "hook_block_unended");
        assert!(error.message().contains("pre-commit, line 3: "), "{error}");
    }
    assert_eq!(repository.text(), text);
}

#[test]
fn a_plan_shows_the_lines_and_writes_nothing() {
    let repository = Repository::new();
    let registration =
        Registration::new(Path::new("/opt/baton"), [], [("BATON_DATA_DIR".into(), "/data/b".into())]).unwrap();
    let plan = || repository.shown(&git_hook::plan_install(&repository.hook(), &registration).unwrap());
    let block = r#"# >>> baton >>>
# Refuses a commit that touches what another active agent has reserved. `baton uninstall git-hook` removes this.
(
  baton='/opt/baton'
  [ -x "$baton" ] || baton=$(command -v baton) || exit 0
  unset BATON_STORE
  unset TALKING_STICK_DATA_DIR
  export BATON_DATA_DIR='/data/b'
  refused=0
  "$baton" scope check --staged --active-only </dev/null >/dev/null || refused=$?
  [ "$refused" -ne 3 ] || {
    echo "baton: the commit is refused. Leave these paths out, or override it with: git commit --no-verify" >&2
    exit 1
  }
  [ "$refused" -eq 0 ] || echo "baton: the commit goes on without being checked, for the reason above." >&2 || :
) || exit 1
# <<< baton <<<
"#;
    assert_eq!(plan(), format!("would create ~/repo/.git/hooks/pre-commit with\n\n#!/bin/sh\n{block}"));
    assert!(!repository.hook().exists());
    repository.hook_is("#!/bin/sh\nmake\n", 0o644);
    let expected = format!(
        "would add to ~/repo/.git/hooks/pre-commit, after its first line\n\n{block}\nwould make it executable, which it is not"
    );
    assert_eq!(plan(), expected);
    assert_eq!(repository.text(), "#!/bin/sh\nmake\n");
    git_hook::install(&repository.hook(), &registration).unwrap();
    let removal = repository.shown(&git_hook::plan_uninstall(&repository.hook()).unwrap());
    assert_eq!(removal, format!("would remove from ~/repo/.git/hooks/pre-commit\n\n{block}"));
}

#[test]
fn a_hook_stands_as_it_was_installed_or_is_stale() {
    use git_hook::Status;
    let repository = Repository::new();
    let own = [repository.registration(&[]), Registration::shared()];
    let status = || git_hook::status(&repository.hook(), &own);
    assert_eq!(status(), Status::NotInstalled);
    repository.hook_is("#!/bin/sh\nexit 0\n", 0o755);
    assert_eq!(status(), Status::NotInstalled);
    repository.install().unwrap();
    assert_eq!(status(), Status::Installed);
    git_hook::install(&repository.hook(), &Registration::shared()).unwrap();
    assert_eq!(status(), Status::Installed, "a team's lines are right too");
    fs::set_permissions(repository.hook(), fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(status(), Status::Stale { why } if why.contains("executable")));
    git_hook::install(&repository.hook(), &repository.registration(&[("BATON_STORE", "elsewhere")])).unwrap();
    assert!(matches!(status(), Status::Stale { why } if why.contains("another store")));
    repository.hook_is("#!/usr/bin/env python3\n", 0o755);
    assert!(matches!(status(), Status::Unusable { .. }));
}
