//! Stores that cannot be, at the program: a code each, an exit status, and nothing changed.

use std::{ffi::OsStr, fs, os::unix::fs::PermissionsExt, path::Path};

use serde_json::Value;

use crate::support::{Ran, World};

/// A data directory that is not as it should be, and what `baton status` makes of it.
fn status_on(world: &World, data: &Path) -> (i32, String) {
    let mut command = world.baton(&["status", "--json"]);
    command.env("BATON_DATA_DIR", data);
    let ran = Ran::of(command);
    (ran.status, ran.code())
}

#[test]
fn a_data_directory_that_is_a_file_is_refused_and_the_file_stays() {
    let world = World::new();
    let file = world.root().join("file");
    fs::write(&file, "precious").unwrap();
    assert_eq!(status_on(&world, &file), (1, "store_unavailable".to_owned()));
    assert_eq!(status_on(&world, &file.join("below")), (1, "store_unavailable".to_owned()));
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
}

#[test]
fn a_data_directory_that_cannot_be_written_is_read_only() {
    let world = World::new();
    let directory = world.root().join("locked");
    fs::create_dir(&directory).unwrap();
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o500)).unwrap();
    // Permissions do not bind root, so a place that nobody can write stands in for one.
    let place = if fs::write(directory.join("probe"), "").is_ok() { "/proc/baton".into() } else { directory.clone() };
    let (exit, code) = status_on(&world, &place);
    assert_eq!(exit, 1);
    assert!(["store_read_only", "store_unavailable"].contains(&code.as_str()), "{code}");
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o700)).unwrap();
}

/// A small disk of its own for the store, which is then filled, emptied, and mounted again for reading only.
const DISK: &str = r#"
mkdir "$BATON_DATA_DIR"
mount -t tmpfs -o size=1600k,mode=700 tmpfs "$BATON_DATA_DIR" || { echo "no mount" >&2; exit 0; }
tell() { "$@" --json; echo "exit $?"; }
tell "$1" join
dd if=/dev/zero of="$BATON_DATA_DIR/fill" bs=1k 2>/dev/null
tell "$1" room note "on a full disk"
rm "$BATON_DATA_DIR/fill"
tell "$1" room note "on a disk with room"
tell "$1" doctor
mount -o remount,ro "$BATON_DATA_DIR"
tell "$1" room note "on a disk that cannot be written"
mount -o remount,rw "$BATON_DATA_DIR"
tell "$1" room events --after 2
tell "$1" doctor
"#;

#[test]
fn a_full_disk_and_a_read_only_disk_have_their_codes_and_nothing_is_changed_or_lost() {
    let world = World::new();
    let attempt = |flags: &[&str]| {
        let mut command = world.command("unshare");
        command.args(flags).args(["--mount", "sh", "-c", DISK, "sh", env!("CARGO_BIN_EXE_baton")]);
        command.env("BATON_AGENT_ID", "test:ana");
        Ran::of(command)
    };
    let refused = |ran: &Ran| ran.stderr.contains("unshare") || ran.stderr.contains("no mount");
    let mut ran = attempt(&[]);
    if refused(&ran) {
        ran = attempt(&["--user", "--map-root-user"]);
    }
    if refused(&ran) {
        panic!("this machine grants no mount, so no disk can be filled; run as root: {}", ran.stderr);
    }
    let answers: Vec<Value> = ran.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let codes: Vec<_> = answers.iter().map(|answer| answer["error"]["error"].as_str().unwrap_or("ok")).collect();
    assert_eq!(codes, ["ok", "store_full", "ok", "ok", "store_read_only", "ok", "ok"], "{ran:?}");
    let notes: Vec<_> = answers[5]["data"]["events"].as_array().unwrap().iter().map(|event| &event["note"]).collect();
    assert_eq!(notes, ["on a disk with room"]);
    let exits: Vec<_> = ran.stdout.lines().filter_map(|line| line.strip_prefix("exit ")).collect();
    assert_eq!(exits, ["0", "1", "0", "0", "1", "0", "0"]);
}

#[test]
fn garbage_in_place_of_the_database_is_corrupt_and_stays_as_it_is() {
    let world = World::new();
    world.join_as("ana");
    let database = World::files(&world.data()).into_iter().map(|(path, _)| path);
    let database = database.into_iter().find(|path| path.extension() == Some(OsStr::new("sqlite"))).unwrap();
    for name in ["-wal", "-shm"] {
        let mut beside = database.clone().into_os_string();
        beside.push(name);
        let _ = fs::remove_file(beside);
    }
    let garbage = b"this is not a database, and it is long enough not to be taken for an empty one ".repeat(100);
    fs::write(&database, &garbage).unwrap();
    for arguments in [&["status"][..], &["join"], &["doctor"], &["wait", "--timeout", "0"]] {
        let ran = world.run(&[arguments, &["--json"]].concat());
        assert_eq!((ran.status, ran.code()), (1, "store_corrupt".to_owned()), "{arguments:?}: {ran:?}");
    }
    assert_eq!(fs::read(&database).unwrap(), garbage);
}

#[test]
fn a_server_that_cannot_open_its_store_says_so_and_leaves_standard_output_to_the_protocol() {
    let world = World::new();
    fs::write(world.data(), "a file").unwrap();
    let ran = world.run(&["mcp"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.starts_with("store_unavailable: "), "{ran:?}");
}
