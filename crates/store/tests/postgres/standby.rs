//! Servers that take no writes.

use std::fs;

use baton_cluster::{Cluster, Durability, Options};
use baton_core::code::ErrorCode;
use baton_testkit::{Backend, Place};

use super::support::{end_all_sessions, notes, open, open_room, reads};

#[test]
fn a_database_that_is_set_to_read_only_is_read_and_not_written() {
    let place = Place::new(Backend::Postgres);
    let store = place.open();
    open_room(&store);
    place.sql(&format!(
        "ALTER DATABASE {} SET default_transaction_read_only = on",
        place.sql("SELECT quote_ident(current_database())")
    ));
    end_all_sessions(&place);
    for store in [&store, &place.open()] {
        assert_eq!(reads(store).unwrap().unwrap().last_seq.0, 2);
        let error = notes(store, "never", |_| {}).unwrap_err();
        assert_eq!(error.code(), ErrorCode::StoreReadOnly, "{error}");
        assert!(error.to_string().contains("read-only"), "{error}");
    }
}

#[test]
fn a_standby_is_read_and_not_written() {
    let mut cluster = Cluster::start(Options { durability: Durability::Fast, ..Options::default() }).unwrap();
    cluster.create_database("team").unwrap();
    cluster.create_database("fresh").unwrap();
    let store = open(&cluster.url("team"));
    open_room(&store);
    let data = cluster.sql("postgres", "SHOW data_directory").unwrap();
    cluster.stop().unwrap();
    // A server that waits for a primary which never comes answers questions meanwhile.
    fs::write(format!("{data}/standby.signal"), "").unwrap();
    cluster.restart().unwrap();
    assert_eq!(cluster.sql("team", "SELECT pg_is_in_recovery()").unwrap(), "t");
    for store in [&store, &open(&cluster.url("team"))] {
        assert_eq!(reads(store).unwrap().unwrap().last_seq.0, 2);
        let error = notes(store, "never", |_| {}).unwrap_err();
        assert_eq!(error.code(), ErrorCode::StoreReadOnly, "{error}");
        let info = store.info().unwrap();
        assert!(info.engine.starts_with("PostgreSQL"), "{info:?}");
        let Err(error) = store.listen(&super::support::room_id()) else { panic!("a standby has no notifications") };
        assert_eq!(error.code(), ErrorCode::StoreReadOnly, "{error}");
    }
    let error = reads(&open(&cluster.url("fresh"))).unwrap_err();
    assert_eq!(error.code(), ErrorCode::StoreReadOnly, "{error}");

    // Of several servers the one that takes writes is used, wherever it stands in the list.
    let primary = Cluster::start(Options { durability: Durability::Fast, ..Options::default() }).unwrap();
    primary.create_database("team").unwrap();
    let [(_, follows), (_, leads)] = [cluster.address(), primary.address()];
    let both = open(&format!("postgres://baton@127.0.0.1:{follows},127.0.0.1:{leads}/team"));
    open_room(&both);
    assert_eq!(reads(&open(&primary.url("team"))).unwrap().unwrap().last_seq.0, 2);
}
