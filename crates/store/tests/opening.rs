//! Opening a store: its files, its settings, and many processes doing it at once.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use baton_store::{SCHEMA_VERSION, Store, StoreError};
use baton_testkit::{Backend, Other, Place, Role, Scribe, on_every_place, open_in};
use rustix::{fs::Mode, process::umask};
use sha2::{Digest, Sha256};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Everything below a directory, with its mode.
fn modes(directory: &Path) -> Vec<(PathBuf, u32)> {
    let mut found = vec![(directory.to_owned(), mode(directory))];
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(modes(&path)) } else { found.push((path.clone(), mode(&path))) }
    }
    found
}

/// A store in use: with its log, its bells and its listeners' seats.
fn use_store(directory: &Path) -> Store {
    let store = open_in(directory).unwrap();
    let room = Scribe::new("ana").opens(&store, "room_1", "/repo");
    store.listen(&room.id).unwrap();
    std::mem::forget(store.listener_seat(&room.id, &"ana".parse().unwrap()).unwrap());
    store
}

#[test]
#[ignore = "the other process of the tests in this file"]
fn the_other_process() {
    let Some(role) = Role::mine() else { return };
    match role.name.as_str() {
        "opens with an open umask" => {
            umask(Mode::empty());
            drop(use_store(&role.directory));
            let store = use_store_again(&role.directory);
            tell_modes(&role);
            drop(store);
        }
        "opens with a hostile umask" => {
            umask(Mode::from_raw_mode(0o777));
            let store = use_store(&role.directory);
            tell_modes(&role);
            drop(store);
        }
        "opens one directory after another" => {
            for round in 0..ROUNDS {
                role.say("ready");
                role.hear();
                match open_in(&role.directory.join(format!("round {round}"))) {
                    Ok(store) => role.say(&format!("schema {}", store.info().unwrap().schema)),
                    Err(error) => role.say(&format!("{}: {error}", error.code())),
                }
            }
        }
        other => panic!("nobody plays {other}"),
    }
}

fn use_store_again(directory: &Path) -> Store {
    let store = open_in(directory).unwrap();
    let scribe = Scribe::new("ana");
    let room = scribe.reads(&store, &"room_1".parse().unwrap()).unwrap().unwrap();
    scribe.notes(&store, &room, "again").unwrap();
    store
}

fn tell_modes(role: &Role) {
    for (path, mode) in modes(&role.directory) {
        let kind = if path.is_dir() { "directory" } else { "file" };
        role.say(&format!("{kind} {mode:03o} {}", path.strip_prefix(&role.directory).unwrap().display()));
    }
}

/// How a process that plays `role` leaves the files of a fresh store.
fn files_left_by(role: &str) -> Vec<String> {
    let place = Place::new(Backend::Sqlite);
    let mut other = Other::start_at(role, &place);
    let told: Vec<String> = std::iter::from_fn(|| other.says()).collect();
    assert!(other.ends().success());
    for file in ["", "-wal", "-shm"] {
        let name = format!("rooms.sqlite{file}");
        assert!(told.iter().any(|line| line.ends_with(&name)), "{name} is not among {told:?}");
    }
    told
}

#[test]
fn a_fresh_store_is_its_owners_alone_whatever_the_umask() {
    for role in ["opens with an open umask", "opens with a hostile umask"] {
        for line in files_left_by(role) {
            assert!(line.starts_with("directory 700") || line.starts_with("file 600"), "{role}: {line}");
        }
    }
}

#[test]
fn a_file_that_others_may_use_is_closed_to_them_and_a_directory_that_was_there_is_left_alone() {
    let place = Place::new(Backend::Sqlite);
    drop(place.open());
    let (directory, file) = (place.data_directory(), place.data_directory().join("rooms.sqlite"));
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let _store = place.open();
    assert_eq!((mode(&directory), mode(&file)), (0o755, 0o600));
}

#[test]
fn a_check_names_a_file_that_others_may_use() {
    let place = Place::new(Backend::Sqlite);
    let store = use_store(&place.data_directory());
    assert!(store.check().unwrap().iter().all(|check| check.problem.is_none()));
    fs::set_permissions(place.data_directory().join("rooms.sqlite"), fs::Permissions::from_mode(0o644)).unwrap();
    let problems: Vec<_> = store.check().unwrap().into_iter().filter(|check| check.problem.is_some()).collect();
    assert_eq!(problems.len(), 1);
    assert!(problems[0].what.ends_with("rooms.sqlite"), "{}", problems[0].what);
}

#[test]
fn every_connection_has_its_settings() {
    let place = Place::new(Backend::Sqlite);
    let store = place.open();
    let settings = |tx: &mut dyn baton_store::engine::Tx| {
        let mut found = Vec::new();
        for sql in ["PRAGMA synchronous", "PRAGMA foreign_keys", "PRAGMA wal_autocheckpoint", "PRAGMA mmap_size"] {
            tx.query(sql, &[], &mut |row| {
                found.push(row.int(0)?.unwrap_or_default());
                Ok(())
            })?;
        }
        tx.query("PRAGMA journal_mode", &[], &mut |row| {
            assert_eq!(row.text(0)?, Some("wal"));
            Ok(())
        })?;
        Ok::<_, StoreError>(found)
    };
    // The second look inside the first needs a second connection.
    let both = store.read::<_, StoreError>(|tx| Ok((settings(tx)?, store.read(settings)?))).unwrap();
    let normal = vec![1, 1, 0, 0];
    assert_eq!(both, (normal.clone(), normal));
}

#[test]
fn what_was_written_is_there_after_reopening() {
    on_every_place(|place| {
        let scribe = Scribe::new("ana");
        let store = place.open();
        let room = scribe.opens(&store, "room_1", "/repo");
        let room = scribe.notes(&store, &room, "kept").unwrap();
        drop(store);
        let store = place.open();
        assert_eq!(scribe.reads(&store, &room.id).unwrap(), Some(room.clone()));
        assert_eq!(scribe.log(&store, &room.id).unwrap().len(), 3);
        assert_eq!(store.info().unwrap().schema, SCHEMA_VERSION);
        assert!(!store.info().unwrap().read_only);
    });
}

#[test]
fn a_missing_parent_directory_is_made() {
    let place = Place::new(Backend::Sqlite);
    let deep = place.directory().join("a/b/c");
    open_in(&deep).unwrap();
    assert_eq!(mode(&deep), 0o700);
}

const STARTERS: usize = 16;
const ROUNDS: usize = 25;

#[test]
fn sixteen_processes_that_start_at_once_migrate_once_and_all_succeed() {
    let place = Place::new(Backend::Sqlite);
    let role = "opens one directory after another";
    let mut others: Vec<Other> = (0..STARTERS).map(|_| Other::start(role, place.directory())).collect();
    for round in 0..ROUNDS {
        for other in &mut others {
            assert_eq!(other.says().as_deref(), Some("ready"));
        }
        others.iter_mut().for_each(Other::go);
        for other in &mut others {
            assert_eq!(other.says(), Some(format!("schema {SCHEMA_VERSION}")), "round {round}");
        }
        let store = open_in(&place.directory().join(format!("round {round}"))).unwrap();
        assert!(store.check().unwrap().iter().all(|check| check.problem.is_none()));
        Scribe::new("ana").opens(&store, "room_1", "/repo");
    }
    assert!(others.iter_mut().all(|other| other.ends().success()));
}

/// Every migration and what it hashes to. A file that has shipped is never edited: add the next number instead.
const MIGRATIONS: &[(&str, &str)] = &[
    ("0001_rooms.postgres.sql", "afb668b22b9e9eb14f4200eec48bf33e5fe90a7006ee724900dcc2e4c0b4f6fc"),
    ("0001_rooms.sqlite.sql", "e8d1a680c2e6c12e67b245489b0d6ecde16cc4fda81efc94ed5a55a49b78be5e"),
    ("0002_hosts.postgres.sql", "fd7bf5e58495a7666fbe40598b5debe092132a861f29055d27352b6fc88def58"),
    ("0002_hosts.sqlite.sql", "3449fac632ee0f186e875c251a9365762d5a1e8fdca8d9b802fd26008a92249d"),
    ("0003_agents.postgres.sql", "2f3d41ba4b54d24c8d290219f9ca73996d61aaabb28c5b1a8cd61070489510cc"),
    ("0003_agents.sqlite.sql", "51a6d6fdd54ae3f25d2e5488cc0cee75272b10ca84ea2999a9a3f28d04d04329"),
    ("0004_jobs.postgres.sql", "251f9c0260d222bb3d30cca68f87f2993bd83d6443f9248aa3b2add9eff9b15f"),
    ("0004_jobs.sqlite.sql", "ea84744973a3b3bca2ca63f51c8bac4c2cec914381641f81738ddcd5d88caf72"),
    ("0005_bus.postgres.sql", "e2677a64106f5f971f523f32290a5ea1b5b41287ad4033da9a781f9d77dfec27"),
    ("0005_bus.sqlite.sql", "7ee34e4839dd5098f66f15843181c8e227a2aa36c8175f8e8440a54149b0c512"),
    ("0006_context.postgres.sql", "32735a25a6ac5eed62969bf9e84704e345e6dafb84628d3b8be4ed11b7e6aa09"),
    ("0006_context.sqlite.sql", "a203c61e6c57d6fa44456e48072c81905115203b8f32d5a1399dad03a99c1217"),
    ("0007_watching.postgres.sql", "fc544e13bfc495373b2f56bfcca923434dfcf2fc0f5c4530ad8be375767acf9f"),
    ("0007_watching.sqlite.sql", "2d5a868b1e76db8fc30a2de73533df8c56e49349bb318c432d61a95370efc52f"),
    ("0008_clock.postgres.sql", "9dcf246d18f846427745cae388e30136d45699bbee00bc6ffba3472ec0255a85"),
    ("0008_clock.sqlite.sql", "0ffddf8a6c0968714391e8199821df2c4b307d5f4f5b53c3019ca2619bf91899"),
    ("0009_identity.postgres.sql", "ccbc22855330128695e7f329c1ef0d25a96220937124bcd403d0eb83f374f3f8"),
    ("0009_identity.sqlite.sql", "dcb97844e8357ae0c783fc261264f4c10adfa805b54998c482d1ad6ad19c534b"),
    ("0010_presence.postgres.sql", "8008f67ce59e4b4e8e221b6d8ccbaf78244ded492c515e3e89cb4f54d9b09087"),
    ("0010_presence.sqlite.sql", "5acd90f1f0ba51a1612b39193417df8e2fb2be24aeacf28b0a57d229b7a1fb77"),
    ("0011_claims.postgres.sql", "775bd8cc83a82cf63552a945d3e5ef1794a151c98fca2f857bcc56c262ef6865"),
    ("0011_claims.sqlite.sql", "775bd8cc83a82cf63552a945d3e5ef1794a151c98fca2f857bcc56c262ef6865"),
    ("0012_former.postgres.sql", "aadab675312a87f01d8e5465115c6fafecdd9eab4843dc9f48333fc5c954a862"),
    ("0012_former.sqlite.sql", "16cf7be825e16a7e41dacd37254457078de68f21e58408e9768a3b5a86a65685"),
    ("0013_attention.postgres.sql", "7204a38af34bda4fac510cb00b6586e97b585571aa588a83f50eb0f51174e223"),
    ("0013_attention.sqlite.sql", "7204a38af34bda4fac510cb00b6586e97b585571aa588a83f50eb0f51174e223"),
    ("0014_earlier_claims.postgres.sql", "fec6b8f33eed051c4fc8f1e90456e3372940efaeae139d84434a09392172f7c9"),
    ("0014_earlier_claims.sqlite.sql", "9f4fa3de2061ef7bc64cf78f422808efd3e5cb65b995a62ae5cf77e7fa8c1019"),
    ("0015_takeovers.postgres.sql", "82111b761586d8dffaaef0cf279ecb3b1e973386c8c82b855f4bd6adf3e72034"),
    ("0015_takeovers.sqlite.sql", "82111b761586d8dffaaef0cf279ecb3b1e973386c8c82b855f4bd6adf3e72034"),
    ("0016_told_once.postgres.sql", "2139ea7f2aff5500206d8acbd5c980824c77d9f933cc471bbdc2f1867c38f6b3"),
    ("0016_told_once.sqlite.sql", "21035789cf4b68fd717c7ff72030885dd3bdb274155f42bf30babda0e442fb4b"),
    ("0017_waits.postgres.sql", "95448129f7ed9d9b23fd934748da92d7398502867cb3181985d4ad8274ef289a"),
    ("0017_waits.sqlite.sql", "decc10eda0a9213e6945a1c164f5e886165350053d73c7cee2d3744f71530018"),
    ("0018_agent_sessions.postgres.sql", "58bf139b399db18da435debb6657bd134c673379d47b61a1d199c838c73247fc"),
    ("0018_agent_sessions.sqlite.sql", "d267a02a00f02c72e109260cd8e44f009b144c26256b6607d44d82cb09a4f460"),
    ("0019_session_screens.postgres.sql", "f7ece39bba775f762f1e38f3ea9d7871ee897c5181fef7017980540c1d34bb67"),
    ("0019_session_screens.sqlite.sql", "be8de99b76211b50bdc384c19ed90a6f70a2545dc8fddd4f46e7bb18a25e82bd"),
];

#[test]
fn migration_files_are_numbered_without_gap_and_never_edited() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/schema");
    let mut found: Vec<(String, String)> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let digest = Sha256::digest(fs::read(&path).unwrap());
            let hash = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            (path.file_name().unwrap().to_str().unwrap().to_owned(), hash)
        })
        .collect();
    found.sort();
    let listed: Vec<(String, String)> =
        MIGRATIONS.iter().map(|(file, hash)| ((*file).to_owned(), (*hash).to_owned())).collect();
    assert_eq!(found, listed);
    for engine in [".sqlite.sql", ".postgres.sql"] {
        let numbers: Vec<usize> = MIGRATIONS
            .iter()
            .filter(|(file, _)| file.ends_with(engine))
            .map(|(file, _)| file[..4].parse().unwrap())
            .collect();
        assert_eq!(numbers, (1..=SCHEMA_VERSION as usize).collect::<Vec<_>>(), "{engine}");
    }
}
