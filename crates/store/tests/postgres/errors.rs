//! What a person is told when a server is not as it should be. No text ever has the password in it.

use std::{net::TcpListener, sync::mpsc, thread};

use baton_cluster::{Authentication, Cluster, Durability, Options};
use baton_core::code::ErrorCode;
use baton_store::{SCHEMA_VERSION, StoreError, rooms};
use baton_testkit::{Backend, Place};

use super::support::{notes, open, open_room, reads, rings, room_id, times_noted, url_as};

/// Reads at an address where that cannot be done, and gives the code and the words.
fn refusal(url: &str) -> (ErrorCode, String) {
    let error = reads(&open(url)).unwrap_err();
    (error.code(), format!("{error} {error:?}"))
}

#[test]
fn a_port_where_nobody_listens_and_a_host_that_is_not_there_are_unreachable() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (code, told) = refusal(&format!("postgres://ana:hunter2@127.0.0.1:{port}/team"));
    assert_eq!(code, ErrorCode::StoreUnreachable);
    assert!(told.contains(&format!("127.0.0.1:{port}")) && told.contains("refused"), "{told}");
    assert!(!told.contains("hunter2"), "{told}");
    let (code, told) = refusal("postgres://ana:hunter2@db.invalid/team");
    assert_eq!(code, ErrorCode::StoreUnreachable);
    assert!(told.contains("db.invalid") && !told.contains("hunter2"), "{told}");
}

#[test]
fn something_that_is_not_postgres_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = std::io::Write::write_all(&mut stream, b"220 smtp.example.org ready\r\n");
        }
    });
    let (code, told) = refusal(&format!("postgres://ana:hunter2@127.0.0.1:{port}/team"));
    assert_eq!(code, ErrorCode::StoreUnreachable, "{told}");
    assert!(!told.contains("hunter2"), "{told}");
}

#[test]
fn a_password_that_is_wrong_or_missing_is_denied_and_never_shown() {
    let password = "correct-horse";
    let authentication = Authentication::Password(password.to_owned());
    let options = Options { durability: Durability::Fast, authentication, ..Options::default() };
    let cluster = Cluster::start(options).unwrap();
    cluster.create_database("team").unwrap();
    let url = cluster.url("team");
    for user in ["baton:battery-staple", "baton:", "baton", "nobody:battery-staple"] {
        let (code, told) = refusal(&url_as(&url, user));
        assert_eq!(code, ErrorCode::StoreDenied, "{told}");
        assert!(!told.contains("battery-staple") && told.contains("password"), "{told}");
    }
    let (code, told) = refusal(&url.replace("/team", "/nowhere"));
    assert_eq!(code, ErrorCode::StoreDenied, "{told}");
    assert!(told.contains("nowhere") && !told.contains(password), "{told}");

    let store = open(&url);
    open_room(&store);
    let info = format!("{:?}", store.info().unwrap());
    assert!(!info.contains(password), "{info}");
    cluster.sql("team", "UPDATE baton.schema_version SET version = 99").unwrap();
    let error = notes(&store, "never", |_| {}).unwrap_err();
    assert!(!format!("{error} {error:?}").contains(password), "{error}");
    cluster.sql("team", "DROP SCHEMA baton CASCADE").unwrap();
    let error = reads(&store).unwrap_err();
    assert_eq!(error.code(), ErrorCode::StoreCorrupt, "{error}");
    assert!(!format!("{error} {error:?}").contains(password), "{error}");
}

#[test]
fn a_database_that_is_not_there_is_named_with_what_to_do() {
    let place = Place::new(Backend::Postgres);
    let (code, told) = refusal(&format!("{}_not", place.address()));
    assert_eq!(code, ErrorCode::StoreDenied);
    assert!(told.contains("_not") && told.contains("createdb"), "{told}");
}

/// A role that may log in and no more, and the address of the database for it.
fn stranger_at(place: &Place) -> (String, String) {
    let role = place.sql("SELECT 'stranger_of_' || current_database()");
    place.sql(&format!("CREATE ROLE {role} LOGIN"));
    let url = url_as(&place.address(), &role);
    (role, url)
}

#[test]
fn a_role_that_may_not_create_is_told_whom_to_ask_and_works_once_it_was_granted_what_it_needs() {
    let place = Place::new(Backend::Postgres);
    let (role, url) = stranger_at(&place);
    let (code, told) = refusal(&url);
    assert_eq!(code, ErrorCode::StoreDenied);
    assert!(told.contains("permission denied") && told.contains("baton store migrate"), "{told}");

    let administrator = place.open();
    open_room(&administrator);
    let (code, told) = refusal(&url);
    assert_eq!(code, ErrorCode::StoreDenied, "{told}");
    assert!(told.contains("permission denied"), "{told}");

    place.sql(&format!(
        "GRANT USAGE ON SCHEMA baton TO {role};
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA baton TO {role}"
    ));
    let store = open(&url);
    let bell = administrator.listen(&room_id()).unwrap();
    assert_eq!(notes(&store, "allowed", |_| {}).unwrap(), 1);
    assert!(rings(&*bell));
    assert!(store.listen(&room_id()).is_ok() && store.info().is_ok());
    assert_eq!(times_noted(&administrator, "allowed"), 1);
}

#[test]
fn a_role_that_was_given_an_empty_schema_needs_no_more() {
    let place = Place::new(Backend::Postgres);
    let (role, url) = stranger_at(&place);
    place.sql(&format!("CREATE SCHEMA baton AUTHORIZATION {role}"));
    let store = open(&url);
    open_room(&store);
    assert_eq!(store.info().unwrap().schema, SCHEMA_VERSION);
}

#[test]
fn a_schema_of_our_name_that_belongs_to_another_program_is_left_alone() {
    let place = Place::new(Backend::Postgres);
    place.sql("CREATE SCHEMA baton; CREATE TABLE baton.theirs (word text)");
    let (code, told) = refusal(&place.address());
    assert_eq!(code, ErrorCode::StoreCorrupt);
    assert!(told.contains("another program"), "{told}");
    assert_eq!(place.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'baton'"), "1");
}

#[test]
fn a_newer_schema_is_read_and_not_written_even_when_it_became_newer_while_we_used_it() {
    let place = Place::new(Backend::Postgres);
    let store = place.open();
    let room = open_room(&store);
    place.sql("UPDATE baton.schema_version SET version = 99");
    for store in [&store, &place.open()] {
        assert_eq!(reads(store).unwrap(), Some(room.clone()));
        let error = notes(store, "never", |_| {}).unwrap_err();
        assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
        // Not even what asks nothing and tells nobody.
        let now = baton_core::time::Timestamp::from_millis(9_000_000);
        let seen = store.write::<_, StoreError>(|tx| rooms::seen(tx, &room.id, &"ana".parse().unwrap(), now));
        assert_eq!(seen.unwrap_err().code(), ErrorCode::StoreNewer);
        let info = store.info().unwrap();
        assert_eq!((info.schema, info.read_only), (99, true));
    }
    assert_eq!(reads(&store).unwrap(), Some(room));
}

#[test]
fn a_server_without_a_free_connection_is_waited_for_and_then_said_to_be_full() {
    let place = Place::new(Backend::Postgres);
    let (role, url) = stranger_at(&place);
    place.sql(&format!("ALTER ROLE {role} CONNECTION LIMIT 1"));
    place.sql(&format!("CREATE SCHEMA baton AUTHORIZATION {role}"));
    let (store, second) = (open(&url), open(&url));
    reads(&store).unwrap();
    thread::scope(|scope| {
        let (code, told) = refusal(&url);
        assert_eq!(code, ErrorCode::StoreUnreachable);
        assert!(told.contains("too many connections"), "{told}");

        let (begun, beginning) = mpsc::channel();
        let patient = scope.spawn(move || {
            begun.send(()).unwrap();
            reads(&second)
        });
        beginning.recv().unwrap();
        drop(store);
        patient.join().unwrap().unwrap();
    });
}

#[test]
fn a_database_that_cannot_hold_every_letter_is_refused() {
    let place = Place::new(Backend::Postgres);
    let name = format!("latin_of_{}", place.sql("SELECT current_database()").trim());
    place.sql(&format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'"));
    let (code, told) = refusal(&format!("{}/{name}", place.address().rsplit_once('/').unwrap().0));
    assert_eq!(code, ErrorCode::StoreUnavailable);
    assert!(told.contains("ENCODING 'UTF8'"), "{told}");
    place.sql(&format!("DROP DATABASE {name} WITH (FORCE)"));
}
