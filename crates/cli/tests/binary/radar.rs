//! `baton radar --watch`: it shows what changes, and ends with whoever watches.

use serde_json::{Value, json};

use crate::support::{Live, World};

/// A world with a job in it.
fn world() -> World {
    let world = World::new();
    world.join_as("ana");
    does(&world, "ana", &["job", "create", "the title", "--prompt", "p"]);
    world
}

fn does(world: &World, who: &str, arguments: &[&str]) {
    let ran = world.run_as(who, arguments);
    assert_eq!(ran.status, 0, "{arguments:?}: {ran:?}");
}

#[test]
fn each_new_state_is_printed_once_where_it_cannot_be_drawn_over() {
    let world = world();
    let mut watch = Live::start(world.baton(&["radar", "--watch"]));
    let first = watch.shows("| age <1m\n");
    assert!(first.contains("JOB-001 (QUEUED) the title | open id=JOB-001@3 |"), "{first}");
    assert_eq!(first.matches("jobs_radar").count(), 1, "{first}");
    // Something else happens in the room: the bell rings, and the radar is the same.
    does(&world, "ana", &["note", "about something else"]);
    does(&world, "r1", &["job", "claim"]);
    let claimed = watch.shows("JOB-001 (RUNNING) the title | open id=JOB-001@5 | last claimed: test:r1 | age <1m\n");
    assert_eq!(claimed.matches("jobs_radar").count(), 1, "the same state is not told again: {claimed}");
    assert!(claimed.contains("\nroom_") && !claimed.contains('\u{1b}'), "{claimed:?}");
    does(&world, "r1", &["job", "report", "1", "why?", "--kind", "question", "--revision", "1"]);
    watch.shows("JOB-001@6 ? JOB-001 (RUNNING)");
    watch.shows("next: baton radar --reply JOB-001 \"…\"\n");
    watch.is_read_no_more();
    assert_eq!(watch.ends().0, 0);
}

#[test]
fn a_claim_that_runs_out_is_seen_though_nobody_rings() {
    let world = world();
    does(&world, "r1", &["job", "claim", "--ttl", "1s"]);
    let events = world.data_of(&["room", "events", "--limit", "1"])["events"][0]["event_seq"].clone();
    let mut watch = Live::start(world.baton(&["radar", "--watch"]));
    watch.shows("~ JOB-001 (RUNNING)");
    watch.shows("next: baton job claim JOB-001 --allow-stale");
    assert_eq!(world.data_of(&["room", "events", "--limit", "1"])["events"][0]["event_seq"], events);
}

#[test]
fn programs_get_each_state_as_an_envelope_of_its_own() {
    let world = world();
    let mut watch = Live::start(world.baton(&["radar", "--watch", "--json"]));
    let state = |line: String| serde_json::from_str::<Value>(&line).unwrap();
    let first = state(watch.shows("\n"));
    assert_eq!((&first["ok"], &first["command"], &first["data"]["count"]), (&json!(true), &json!("radar"), &json!(1)));
    does(&world, "ana", &["job", "create", "another", "--prompt", "p"]);
    assert_eq!(state(watch.shows("\n"))["data"]["count"], 2);
}

#[test]
fn at_a_terminal_it_is_drawn_again_in_its_place_until_it_is_interrupted() {
    let world = world();
    let mut watch = world.terminal();
    watch.starts(&["radar", "--watch"]);
    let first = watch.shows("JOB-001 (QUEUED) the title");
    assert!(first.contains("\u{1b}[H\u{1b}[Jroom_"), "{first:?}");
    does(&world, "r1", &["job", "claim"]);
    let second = watch.shows("JOB-001 (RUNNING) the title");
    assert_eq!(second.matches("\u{1b}[H\u{1b}[J").count(), 1, "{second:?}");
    assert!(!second.replace("\u{1b}[H\u{1b}[J", "").contains('\u{1b}'), "there are no colours: {second:?}");
    watch.types("\u{3}");
    let last = watch.ends();
    assert_eq!(last.status, 130, "{last:?}");
    assert!(!last.stdout.contains("error"), "{last:?}");
}
