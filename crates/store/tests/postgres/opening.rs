//! Many processes at once on a database where nothing is yet.

use baton_store::SCHEMA_VERSION;
use baton_testkit::{Backend, Other, Place, Role};

use super::support::open_room;

/// What each of the other processes does.
pub(crate) fn open(role: &Role) {
    let store = role.open();
    role.say("ready");
    role.hear();
    match store.info() {
        Ok(info) => role.say(&format!("schema {}", info.schema)),
        Err(error) => role.say(&format!("{}: {error}", error.code())),
    }
}

#[test]
fn sixteen_processes_that_start_at_once_migrate_once_and_all_succeed() {
    for round in 0..5 {
        let place = Place::new(Backend::Postgres);
        let mut others: Vec<Other> = (0..16).map(|_| Other::start_at("opens a fresh database", &place)).collect();
        for other in &mut others {
            assert_eq!(other.says().as_deref(), Some("ready"));
        }
        others.iter_mut().for_each(Other::go);
        for other in &mut others {
            assert_eq!(other.says(), Some(format!("schema {SCHEMA_VERSION}")), "round {round}");
        }
        assert!(others.iter_mut().all(|other| other.ends().success()));
        assert_eq!(place.sql("SELECT count(*) FROM baton.schema_version"), "1");
        let store = place.open();
        open_room(&store);
        assert!(store.check().unwrap().iter().all(|check| check.problem.is_none()));
    }
}
