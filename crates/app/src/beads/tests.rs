//! A scripted `bd`, run as the real one would be.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use tempfile::TempDir;

use super::{Bead, Beads, in_progress, in_progress_within};
use crate::environment::Environment;

/// A workspace with a `.beads` folder, beside a directory for programs.
struct World(TempDir);

impl World {
    fn new() -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        for dir in ["repo/.beads/dolt", "bin"] {
            fs::create_dir_all(world.at(dir)).unwrap();
        }
        fs::write(world.at("repo/.beads/metadata.json"), "{}").unwrap();
        fs::write(world.at("repo/.beads/dolt/data"), [0, 159, 146, 150]).unwrap();
        world
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn with_bd(script: &str) -> Self {
        let world = Self::new();
        baton_testkit::script(&world.at("bin/bd"), &format!("#!/bin/sh\n{script}\n"));
        world
    }

    fn environment(&self) -> Environment {
        let path = std::env::join_paths([PathBuf::from("relative"), self.at("nowhere"), self.at("bin")]).unwrap();
        Environment::of([("PATH", path)], self.at("repo"))
    }

    /// Asks, and sees to it that the folder is as it was.
    fn ask(&self) -> Beads {
        let before = contents(&self.at("repo/.beads"));
        let beads = in_progress(&self.at("repo"), &self.environment());
        assert_eq!(contents(&self.at("repo/.beads")), before);
        beads
    }

    fn why(&self) -> String {
        match self.ask() {
            Beads::Unknown { why } => why,
            beads => panic!("{beads:?}"),
        }
    }
}

fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(contents(&path));
            found.insert(path, Vec::new());
        } else {
            let bytes = fs::read(&path).unwrap();
            found.insert(path, bytes);
        }
    }
    found
}

#[test]
fn beads_in_progress_are_those_that_say_so_themselves() {
    let world = World::with_bd(
        r#"pwd > ../seen; echo "$@" >> ../seen; cat >> ../seen
        cat <<'END'
[
  {"id": "bb-1", "title": "Parse", "status": "in_progress", "assignee": "amber-otter", "owner": "a@example.org"},
  {"id": "bb-2", "title": "Wait", "status": "open", "assignee": "amber-otter"},
  {"id": "bb-u6f.6.3", "title": "Écrire", "status": "in_progress"}
]
END
        echo "a note for people" >&2"#,
    );
    let bead = |id: &str, title: &str, assignee: Option<&str>| Bead {
        id: id.to_owned(),
        title: title.to_owned(),
        assignee: assignee.map(str::to_owned),
    };
    let expected = vec![bead("bb-1", "Parse", Some("amber-otter")), bead("bb-u6f.6.3", "Écrire", None)];
    assert_eq!(world.ask(), Beads::InProgress(expected));
    let root = world.at("repo").canonicalize().unwrap();
    assert_eq!(
        fs::read_to_string(world.at("seen")).unwrap(),
        format!("{}\n--sandbox --readonly list --status in_progress --limit 0 --json\n", root.display())
    );
}

#[test]
fn without_the_folder_nothing_is_asked() {
    let world = World::with_bd("touch ../ran");
    fs::create_dir(world.at("plain")).unwrap();
    assert_eq!(in_progress(&world.at("plain"), &world.environment()), Beads::None);
    assert!(!world.at("ran").exists());
}

#[test]
fn a_bd_that_is_missing_fails_or_babbles_is_said_in_one_line() {
    assert_eq!(World::new().why(), "bd was not found on PATH");
    let fails = "echo '{\"schema_version\":1}'; echo 'Error: no beads database found' >&2; echo Hint >&2; exit 1";
    assert_eq!(World::with_bd(fails).why(), "bd failed: no beads database found");
    assert_eq!(World::with_bd("exit 7").why(), "bd failed: exit status: 7");
    assert_eq!(World::with_bd("kill -9 $$").why(), "bd failed: signal: 9 (SIGKILL)");
    let babbles = World::with_bd("echo 'No issues found.'").why();
    assert_eq!(babbles, "bd did not print JSON: expected value at line 1 column 1");
    let endless = World::with_bd("while :; do echo '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[['; done").why();
    assert_eq!(endless, "bd printed more than 1 MiB");
    let chatty = "head -c 1000000 /dev/zero >&2; echo '[]'";
    assert_eq!(World::with_bd(chatty).ask(), Beads::InProgress(Vec::new()));
}

#[test]
fn a_file_that_cannot_be_run_is_passed_over() {
    let world = World::with_bd("echo '[]'");
    fs::set_permissions(world.at("bin/bd"), fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(world.why(), "bd was not found on PATH");
}

#[test]
fn a_bd_that_hangs_is_ended_with_all_it_started() {
    // The second closes its output and stays.
    for script in ["echo $$ > ../pid; sleep 600; echo '[]'", "echo $$ > ../pid; exec >&- 2>&-; sleep 600"] {
        let world = World::with_bd(script);
        let beads = in_progress_within(Duration::from_millis(500), &world.at("repo"), &world.environment());
        assert_eq!(beads, Beads::Unknown { why: "bd did not answer within 0.5 s".to_owned() });
        // It is reaped, and not only asked to end. On a busy machine it may not even have begun.
        let pid = fs::read_to_string(world.at("pid")).ok().and_then(|pid| pid.trim().parse::<u32>().ok());
        assert!(pid.is_none_or(|pid| !Path::new("/proc").join(pid.to_string()).exists()));
    }
}
