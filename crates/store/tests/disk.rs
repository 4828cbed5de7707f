//! Disks that cannot be written: read-only, and full. Each test plays on a small disk of its own, which exists only
//! for the other process and goes with it.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use std::{
    fs,
    io::{ErrorKind, Write},
    path::Path,
    process::Command,
};

use baton_core::code::ErrorCode;
use baton_testkit::{Backend, Other, Place, Role, Scribe, open_in};

/// Plays `role` in a process that has a disk of one megabyte mounted at its directory.
///
/// A private mount namespace (inside a user namespace, unless the test runs as root) keeps the disk out of
/// everybody else's sight. Where neither can be had this fails: the tests below are not skipped in silence.
fn on_a_small_disk(role: &str) {
    let place = Place::new(Backend::Sqlite);
    let mount = format!("mount -t tmpfs -o size=1m tmpfs '{}' && exec \"$0\" \"$@\"", place.directory().display());
    let mut arguments = vec!["--mount"];
    if !rustix::process::geteuid().is_root() {
        arguments.extend(["--user", "--map-root-user"]);
    }
    arguments.extend(["sh", "-c", &mount]);
    let mut other = Other::start_through("unshare", &arguments, role, place.directory());
    let told: Vec<String> = std::iter::from_fn(|| other.says()).collect();
    assert!(other.ends().success(), "see above; it got as far as {told:?}");
    assert_eq!(told, ["the disk is there", "all is well"]);
}

#[test]
#[ignore = "the other process of the tests in this file"]
fn the_other_process() {
    let Some(role) = Role::mine() else { return };
    assert!(rustix::fs::statvfs(&role.directory).unwrap().f_blocks < 1000, "the small disk is not there");
    role.say("the disk is there");
    match role.name.as_str() {
        "read-only" => a_read_only_disk(&role.directory),
        "read-only before the first start" => a_read_only_disk_with_nothing_on_it(&role.directory),
        "full" => a_full_disk(&role.directory),
        "full before the first start" => a_full_disk_with_nothing_on_it(&role.directory),
        other => panic!("nobody plays {other}"),
    }
    role.say("all is well");
}

fn remount(directory: &Path, mode: &str) {
    // The mount itself, and not the filesystem on it: a user namespace may do no more.
    let status = Command::new("mount").args(["-o", &format!("remount,bind,{mode}")]).arg(directory).status().unwrap();
    assert!(status.success());
}

/// Uses up the disk, to the last byte.
fn fill(directory: &Path) {
    let mut filler = fs::File::create(directory.join("filler")).unwrap();
    for size in [4096, 1] {
        let chunk = vec![0; size];
        loop {
            match filler.write_all(&chunk) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => break,
                Err(error) => panic!("{error}"),
            }
        }
    }
}

fn a_read_only_disk(disk: &Path) {
    let scribe = Scribe::new("ana");
    let data = disk.join("data");
    let store = open_in(&data).unwrap();
    let room = scribe.opens(&store, "room_1", "/repo");
    drop(store);
    remount(disk, "ro");
    let outcome = open_in(&data).and_then(|store| scribe.notes(&store, &room, "no"));
    assert_eq!(outcome.unwrap_err().code(), ErrorCode::StoreReadOnly);
    remount(disk, "rw");
    let store = open_in(&data).unwrap();
    assert_eq!(scribe.reads(&store, &room.id).unwrap(), Some(room.clone()));
    scribe.notes(&store, &room, "now").unwrap();
}

fn a_read_only_disk_with_nothing_on_it(disk: &Path) {
    remount(disk, "ro");
    let error = open_in(&disk.join("data")).err().unwrap();
    assert_eq!(error.code(), ErrorCode::StoreReadOnly);
}

fn a_full_disk(disk: &Path) {
    let scribe = Scribe::new("ana");
    let data = disk.join("data");
    let store = open_in(&data).unwrap();
    let mut room = scribe.opens(&store, "room_1", "/repo");
    fill(disk);
    // Room that was allocated before may take a few more notes.
    let error = loop {
        match scribe.notes(&store, &room, &"x".repeat(5000)) {
            Ok(after) => room = after,
            Err(error) => break error,
        }
    };
    assert_eq!(error.code(), ErrorCode::StoreFull, "{error}");
    let again = scribe.notes(&store, &room, &"x".repeat(5000)).unwrap_err();
    assert_eq!(again.code(), ErrorCode::StoreFull, "{again}");
    if let Err(error) = scribe.reads(&store, &room.id) {
        assert_eq!(error.code(), ErrorCode::StoreFull, "a read may fail too, and says why: {error}");
    }
    fs::remove_file(disk.join("filler")).unwrap();
    for store in [&store, &open_in(&data).unwrap()] {
        assert_eq!(scribe.reads(store, &room.id).unwrap(), Some(room.clone()), "as it was before the failure");
        let seqs: Vec<u64> = scribe.log(store, &room.id).unwrap().iter().map(|recorded| recorded.seq.0).collect();
        assert_eq!(seqs, (1..=room.last_seq.0).collect::<Vec<_>>());
        assert!(store.check().unwrap().iter().all(|check| check.problem.is_none()));
    }
    let room = scribe.notes(&store, &room, "there is space again").unwrap();
    assert_eq!(scribe.reads(&open_in(&data).unwrap(), &room.id).unwrap(), Some(room));
}

fn a_full_disk_with_nothing_on_it(disk: &Path) {
    fs::create_dir(disk.join("data")).unwrap();
    fill(disk);
    let error = open_in(&disk.join("data")).err().unwrap();
    assert_eq!(error.code(), ErrorCode::StoreFull, "{error}");
    fs::remove_file(disk.join("filler")).unwrap();
    let store = open_in(&disk.join("data")).unwrap();
    Scribe::new("ana").opens(&store, "room_1", "/repo");
}

#[test]
fn a_read_only_disk_refuses_writes_and_keeps_everything() {
    on_a_small_disk("read-only");
}

#[test]
fn a_read_only_disk_without_a_store_is_told_as_such() {
    on_a_small_disk("read-only before the first start");
}

#[test]
fn a_full_disk_refuses_writes_and_with_space_again_everything_is_intact() {
    on_a_small_disk("full");
}

#[test]
fn a_first_start_on_a_full_disk_says_so_and_succeeds_once_there_is_space() {
    on_a_small_disk("full before the first start");
}
