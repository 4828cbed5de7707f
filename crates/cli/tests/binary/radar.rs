//! `baton radar --watch` and `baton job watch`: they show what changes, and end with whoever watches.

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

/// Words of an output that is longer than a narrow window is wide.
const OUTPUT: &str = "the last line of output has no end, says the agent, and says it at great length";

#[test]
fn a_command_to_copy_is_whole_in_a_narrow_window() {
    let world = world();
    does(&world, "ana", &["job", "create", &"long title ".repeat(9), "--prompt", "p"]);
    let mut watch = world.terminal();
    watch.resizes(24, 60);
    watch.starts(&["radar", "--watch"]);
    let shown = watch.shows("| open id=JOB-001@");
    let command = shown.lines().find(|line| line.starts_with("CMD: ")).unwrap();
    assert!(command.chars().count() > 60 && command.ends_with("/data"), "{command}");
    assert!(shown.contains("| open id=JOB-002@") && !shown.contains('…'), "{shown}");
    // A window of few rows ends with a whole line, and the page does not scroll.
    watch.resizes(6, 60);
    does(&world, "r1", &["job", "claim", "1"]);
    let less = watch.shows(" more lines");
    let page = less.rsplit("\u{1b}[J").next().unwrap();
    let rows: usize = page.lines().map(|line| line.chars().count().div_ceil(60).max(1)).sum();
    assert!(rows <= 5, "{page}");
}

#[test]
fn a_watched_job_has_its_numbers_and_age_in_a_narrow_window() {
    let world = world();
    does(&world, "r1", &["job", "claim"]);
    let beat = ["--kind", "heartbeat", "--percent", "15", "--slice", "1", "--tokens", "1000", "--revision", "1"];
    does(&world, "r1", &[&["job", "report", "1", OUTPUT], &beat[..]].concat());
    let mut watch = world.terminal();
    watch.resizes(24, 80);
    watch.starts(&["job", "watch"]);
    let shown = watch.shows("at great le…");
    assert!(shown.contains("RUNNING  the title  (slice 1, 15 %, 1.0k tokens, <1m)\n"), "{shown}");
    does(&world, "ana", &["job", "create", &"long title ".repeat(9), "--prompt", "p"]);
    let shown = watch.shows("JOB-002") + &watch.shows("…  (<1m)");
    let longest = shown.replace("\u{1b}[H\u{1b}[J", "").lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(80), "{shown}");
    // Elsewhere nothing is shortened, and a state has its age, too.
    let mut printed = Live::start(world.baton(&["job", "watch"]));
    let shown = printed.shows("great length\n");
    assert!(shown.contains("(slice 1, 15 %, 1.0k tokens, <1m)\n"), "{shown}");
}
