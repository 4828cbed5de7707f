//! Since when a job is worked on.

use super::super::{Claimed, Event, JobId, Kind, Requeued, WorkedSince};
use crate::{
    event::Recorded,
    ids::{AgentId, Seq},
    lease::Fence,
    time::Timestamp,
};

/// When the first claim of a thread was that counts. `g` is given back, `m` queued again by a manager, `c` claimed.
fn first_claim(thread: &str) -> Option<i64> {
    let mut since = WorkedSince::default();
    let events: Vec<Recorded> = thread.chars().zip(0..).map(|(what, millis)| recorded(what, millis)).collect();
    for event in events.iter().rev() {
        if since.is_found() {
            break;
        }
        since.look_back(event);
    }
    since.first_claim().map(Timestamp::as_millis)
}

fn recorded(what: char, millis: i64) -> Recorded {
    let (job, runner): (_, AgentId) = (JobId(1), "r1".parse().unwrap());
    let requeued = |given_back| {
        Event::Requeued(Requeued {
            job,
            reason: "again".to_owned(),
            runner_id: None,
            given_back,
            sent_back: false,
            patch: None,
        })
    };
    let event = match what {
        'c' => Event::Claimed(Claimed {
            job,
            runner_id: runner.clone(),
            revision: Fence(1),
            expires_at: Timestamp::from_millis(0),
            executor: None,
            backing: Default::default(),
            capability_sha256: None,
        }),
        'g' => requeued(true),
        _ => requeued(false),
    };
    assert!(matches!(event.sort(), Kind::Claimed | Kind::Requeued));
    Recorded {
        overridden: false,
        room_id: "room_test".parse().unwrap(),
        seq: Seq(1),
        at: Timestamp::from_millis(millis),
        actor: runner,
        turn: Fence(0),
        event: event.into(),
    }
}

#[test]
fn the_time_of_a_job_counts_from_its_first_claim_and_a_manager_begins_it_anew() {
    assert_eq!(first_claim(""), None);
    assert_eq!(first_claim("c"), Some(0));
    assert_eq!(first_claim("cc"), Some(0), "a claim after a lost runner begins nothing");
    assert_eq!(first_claim("cgc"), Some(0), "nor does one after a runner that gave it back");
    assert_eq!(first_claim("cgcmc"), Some(4), "a manager has it done again");
    assert_eq!(first_claim("cmcgc"), Some(2));
    assert_eq!(first_claim("cm"), None);
}
