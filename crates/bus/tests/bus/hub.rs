//! Calls and streams, below any transport.

use std::{sync::Arc, thread};

use baton_app::{bus::Record, table};
use baton_bus::{Credential, Next, Outcome, Rate};
use baton_core::{code::ErrorCode, ids::Seq};
use serde_json::json;

use crate::world::{World, fields, flood, note, place};

#[tokio::test]
async fn a_stream_has_the_past_and_then_what_is_written_in_any_process() {
    let world = World::new();
    let room = world.room();
    let newest = world.note(&room, "before");
    let mut stream = world.hub.subscribe(&world.credential(), &room, Seq(0)).await.unwrap();
    for seq in 1..=newest.0 {
        assert_eq!(place(&mut stream).await, seq);
    }
    let (beside, caller) = (world.beside(), world.caller("ana"));
    let written = note(&beside, &caller, &room, "from another process");
    let Next::Record(event) = stream.next().await else { panic!("it goes on") };
    assert_eq!((event.seq, &*event.kind, stream.cursor()), (written, "room.note", written));
    let record: Record = serde_json::from_str(&event.json).unwrap();
    assert_eq!(
        (record.seq, record.session, record.payload["note"].as_str()),
        (written, room, Some("from another process"))
    );
}

#[tokio::test]
async fn a_stream_goes_on_at_its_cursor_and_not_beyond_the_end() {
    let world = World::new();
    let room = world.room();
    (0..600).for_each(|_| _ = world.note(&room, "x"));
    let last = world.app.newest(&room).unwrap();
    let mut stream = world.hub.subscribe(&world.credential(), &room, Seq(10)).await.unwrap();
    for seq in 11..=last.0 {
        assert_eq!(place(&mut stream).await, seq);
    }
    let failure = world.hub.subscribe(&world.credential(), &room, last.next()).await.err().unwrap();
    assert_eq!((failure.code, &failure.details["newest"]), (ErrorCode::InvalidInput, &last.0.into()));
    let nowhere = "room_nowhere".parse().unwrap();
    assert_eq!(
        world.hub.subscribe(&world.credential(), &nowhere, Seq(0)).await.err().unwrap().code,
        ErrorCode::UnknownRoom
    );
}

#[tokio::test]
async fn who_reads_nothing_is_dropped_and_resumes_without_a_gap_while_others_go_on() {
    const SUBMISSIONS: u64 = 41;
    let world = World::new();
    let room = world.room_of_two();
    let start = world.app.newest(&room).unwrap();
    let mut idle = world.hub.subscribe(&world.credential(), &room, start).await.unwrap();
    let mut keen = world.hub.subscribe(&world.credential(), &room, start).await.unwrap();
    let mut overrun = idle.overrun();
    let (app, caller, to) = (Arc::clone(&world.app), world.caller("ana"), room.clone());
    let writer = thread::spawn(move || flood(&app, &caller, &to, SUBMISSIONS));
    for seq in 1..=SUBMISSIONS * 256 {
        assert_eq!(place(&mut keen).await, start.0 + seq);
    }
    let events = writer.join().unwrap();
    // It is not polled, and hears it all the same.
    overrun.happens().await;
    let Next::Dropped(failure) = idle.next().await else { panic!("it is too slow") };
    assert_eq!((failure.code, &failure.details["after"]), (ErrorCode::SlowConsumer, &start.0.into()));
    assert_eq!(world.hub.metrics().subscribers_dropped(), 1);
    drop(idle);

    let mut again = world.hub.subscribe(&world.credential(), &room, start).await.unwrap();
    for seq in 1..=events {
        assert_eq!(place(&mut again).await, start.0 + seq);
    }
}

#[tokio::test]
async fn a_feed_ends_with_its_last_subscriber_and_begins_anew() {
    let world = World::new();
    let room = world.room();
    for _ in 0..3 {
        let after = world.app.newest(&room).unwrap();
        let mut stream = world.hub.subscribe(&world.credential(), &room, after).await.unwrap();
        let written = world.note(&room, "x");
        assert_eq!(place(&mut stream).await, written.0);
        drop(stream);
        // The feed finds out when it wakes.
        while world.hub.metrics().feeds() > 0 {
            world.note(&room, "x");
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(world.hub.metrics().subscribers(), 0);
}

#[tokio::test]
async fn a_wait_is_withdrawn_when_nobody_waits_for_it_and_when_the_server_ends() {
    let world = World::new();
    let room = world.room();
    let tail = table::find("stick.wait").unwrap();
    let park = || fields(json!({"room_id": room, "max_wait_ms": 50_000, "park": true}));
    let credential = world.credential();
    let begun = world.hub.call(&credential, world.caller("ana"), tail, park());
    {
        let mut begun = std::pin::pin!(begun);
        while world.hub.metrics().waits() == 0 {
            tokio::select! { biased; answer = &mut begun => panic!("{answer:?}"), () = tokio::task::yield_now() => {} }
        }
    }
    // Its future is gone; its thread is under way until it has heard that.
    world.hub.drained().await;

    let hub = Arc::clone(&world.hub);
    let (caller, input, held) = (world.caller("ana"), park(), credential.clone());
    let waiting = tokio::spawn(async move { hub.call(&held, caller, tail, input).await });
    while world.hub.metrics().waits() == 0 {
        tokio::task::yield_now().await;
    }
    world.hub.shut_down();
    world.hub.drained().await;
    // Whatever it answers, it answers.
    let _ = waiting.await.unwrap();
    let refused = world.hub.call(&credential, world.caller("ana"), tail, park()).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::ShuttingDown);
    assert_eq!(
        world.hub.subscribe(&world.credential(), &room, Seq(0)).await.err().unwrap().code,
        ErrorCode::ShuttingDown
    );
}

#[tokio::test]
async fn a_stream_is_told_when_the_server_ends() {
    let world = World::new();
    let room = world.room();
    let mut stream = world.hub.subscribe(&world.credential(), &room, world.app.newest(&room).unwrap()).await.unwrap();
    let told = tokio::spawn(async move { stream.next().await });
    world.hub.shut_down();
    assert_eq!(told.await.unwrap(), Next::Closing);
}

#[tokio::test(start_paused = true)]
async fn calls_are_admitted_by_role_and_rate_and_counted() {
    let world = World::with_rate(Rate { per_second: 1, burst: 2 });
    let room = world.room();
    let (viewer, bo) = (Credential::lasting("viewer"), Credential::lasting("bo"));
    let (events, noting) = (table::find("room.events").unwrap(), table::find("room.note").unwrap());
    let read = || fields(json!({"room_id": room}));
    world.hub.call(&viewer, world.viewer(), events, read()).await.unwrap();
    let refused = world.hub.call(&viewer, world.viewer(), noting, read()).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Forbidden);
    world.hub.call(&viewer, world.viewer(), events, read()).await.unwrap();
    assert_eq!(world.hub.call(&viewer, world.viewer(), events, read()).await.unwrap_err().code, ErrorCode::RateLimited);
    world.hub.call(&bo, world.caller("bo"), events, read()).await.unwrap();

    let counts: Vec<_> = world.hub.metrics().commands().map(|count| (count.command.name, count.outcomes)).collect();
    assert_eq!(counts, [("room.events", [3, 1, 0, 0]), ("room.note", [0, 1, 0, 0])]);
    assert_eq!((Outcome::ALL[1], world.hub.metrics().rate_limited()), (Outcome::Refused, 1));
}
