//! Runners: what they said of themselves, and until when they count as there.

use baton_core::{
    claimant::Claimant,
    ids::RoomId,
    job::{Executor, JobId, Profile},
    part::Rows,
    runner::{Ability, Capabilities, Phase, Runner, Tally},
};
use baton_store::{StoreError, engine::Changes, runners, table};

use super::support::{agent, all, at, backing, find, odd, on_two_rooms, put, read, save};

/// A runner with as little as it may have.
fn runner(id: &str, phase: Phase, expires_at: i64) -> Runner {
    Runner {
        id: agent(id),
        claimant: agent("ana").into(),
        capabilities: None,
        retired: false,
        phase,
        active: Vec::new(),
        lease_expires_at: at(expires_at),
    }
}

/// A runner with all that it can have.
fn full(id: &str) -> Runner {
    let able = |executor: &Executor| Ability { executor: *executor, profiles: Profile::ALL.to_vec(), trouble: None };
    Runner {
        claimant: Claimant { agent: agent("codex:9b22"), backing: backing() },
        capabilities: Some(Capabilities {
            executors: Executor::ALL.iter().map(able).collect(),
            max_parallel: 64,
            supports_artifacts: true,
            sandbox_policy: Some(odd()),
        }),
        retired: true,
        active: vec![JobId(999_999_999), JobId(1)],
        ..runner(id, Phase::Live, -5)
    }
}

fn ids(found: &[Runner]) -> Vec<&str> {
    found.iter().map(|runner| runner.id.as_str()).collect()
}

#[test]
fn a_runner_is_read_back_with_everything_and_with_as_little_as_it_may() {
    on_two_rooms(|store, one, two| {
        let known = Rows::from_iter([full("Zulu"), full("bm_runner:42"), runner("r1", Phase::Idle, 9)]);
        put(store, one, &known);
        assert_eq!(all(store, one), known);
        for known in known.iter() {
            assert_eq!(find(store, one, &known.id).as_ref(), Some(known));
        }
        assert_eq!(find::<Runner>(store, one, &agent("zulu")), None);
        assert_eq!(find::<Runner>(store, two, &agent("r1")), None);
        assert_eq!(all::<Runner>(store, two), Rows::default());
    });
}

#[test]
fn a_heartbeat_moves_the_lease_and_what_a_runner_is_at_and_news_is_stored_whole() {
    on_two_rooms(|store, one, two| {
        let before = Rows::from_iter([full("r1"), full("r2"), full("r3")]);
        for room in [one, two] {
            put(store, room, &before);
        }
        let mut after = before.clone();
        after.change(&agent("r1"), |heard| {
            (heard.phase, heard.active, heard.lease_expires_at) = (Phase::Idle, Vec::new(), at(77));
        });
        after.put(runner("r2", Phase::Idle, 78));
        after.put(runner("r4", Phase::Live, 79));
        save(store, one, &after).unwrap();
        assert_eq!(all(store, one), after);
        assert_eq!(all(store, two), before);
    });
}

#[test]
fn a_heartbeat_of_a_runner_that_nobody_stored_is_an_error() {
    on_two_rooms(|store, one, _| {
        let mut heard = Rows::from_iter([runner("r1", Phase::Idle, 5)]);
        heard.put(runner("r1", Phase::Idle, 9));
        let lost = save(store, one, &heard).unwrap_err();
        assert!(matches!(lost, StoreError::BadRow { table: "runners", .. }), "{lost}");
        assert_eq!(all::<Runner>(store, one), Rows::default());
    });
}

#[test]
fn a_phase_that_is_no_word_is_refused_and_a_row_that_makes_no_sense_is_named() {
    on_two_rooms(|store, one, _| {
        let known = Rows::from_iter([full("r1")]);
        put(store, one, &known);
        let wrong = store.write::<_, StoreError>(|tx| tx.execute("UPDATE runners SET phase = 'x'", &[], Changes::Any));
        assert!(wrong.is_err());
        for wrong in ["UPDATE runners SET capabilities = '{}'", "UPDATE runners SET active = '[\"TASK-1\"]'"] {
            let refused = store.write::<_, StoreError>(|tx| {
                tx.execute(wrong, &[], Changes::Any)?;
                table::all::<Runner>(tx, one).map(drop)
            });
            assert!(matches!(refused, Err(StoreError::BadRow { table: "runners", .. })), "{wrong}: {refused:?}");
        }
        assert_eq!(all(store, one), known);
    });
}

/// Runners whose leases end around 50, two of them signed off.
fn around_fifty() -> Rows<Runner> {
    let away = |id, end| Runner { retired: true, ..runner(id, Phase::Idle, end) };
    Rows::from_iter([
        runner("Zulu", Phase::Live, 51),
        away("a_gone", 50),
        away("b_gone_later", 60),
        runner("live", Phase::Live, 60),
        runner("old", Phase::Live, 9),
        runner("over", Phase::Live, 50),
        runner("r1", Phase::Idle, 51),
        runner("r2", Phase::Idle, 50),
    ])
}

#[test]
fn runners_are_there_until_the_very_moment_their_lease_ends() {
    on_two_rooms(|store, one, two| {
        put(store, one, &around_fifty());
        let present = |room: &RoomId, now, limit| read(store, |tx| runners::present(tx, room, at(now), limit));
        assert_eq!(ids(&present(one, 50, 9)), ["Zulu", "live", "b_gone_later", "r1"], "those at work, then by id");
        assert_eq!(ids(&present(one, 51, 9)), ["live", "b_gone_later"]);
        assert_eq!(ids(&present(one, 60, 9)), [""; 0]);
        assert_eq!(
            ids(&present(one, 49, 4)),
            ["Zulu", "live", "over", "b_gone_later"],
            "those at work, then the longest"
        );
        assert_eq!(ids(&present(one, 49, 3)), ["Zulu", "live", "over"], "idle ones do not hide those at work");
        assert_eq!(ids(&present(two, 0, 9)), [""; 0]);

        let offline =
            |room: &RoomId, now, since, limit| read(store, |tx| runners::offline(tx, room, at(now), at(since), limit));
        assert_eq!(ids(&offline(one, 50, 9, 9)), ["over", "r2"], "less those that signed off");
        assert_eq!(ids(&offline(one, 49, 9, 9)), [""; 0]);
        assert_eq!(ids(&offline(one, 50, 8, 9)), ["over", "r2", "old"], "the last one first");
        assert_eq!(ids(&offline(one, 51, 8, 3)), ["Zulu", "r1", "over"]);
        assert_eq!(ids(&offline(one, 51, 50, 9)), ["Zulu", "r1"]);
        assert_eq!(ids(&offline(two, 60, 0, 9)), [""; 0]);
    });
}

#[test]
fn a_tally_counts_as_the_lists_do() {
    on_two_rooms(|store, one, two| {
        put(store, one, &around_fifty());
        let tally = |room: &RoomId, now, since| read(store, |tx| runners::tally(tx, room, at(now), at(since)));
        assert_eq!(tally(one, 50, 9), Tally { live: 2, idle: 2, offline: 2 });
        assert_eq!(tally(one, 50, 8), Tally { live: 2, idle: 2, offline: 3 });
        assert_eq!(tally(one, 49, 9), Tally { live: 3, idle: 4, offline: 0 });
        assert_eq!(tally(one, 51, 9), Tally { live: 1, idle: 1, offline: 4 });
        assert_eq!(tally(one, 60, 59), Tally { live: 0, idle: 0, offline: 1 });
        assert_eq!(tally(one, 99, 60), Tally::default());
        assert_eq!(tally(two, 50, 0), Tally::default());
        for now in [8, 9, 49, 50, 51, 59, 60] {
            let counted = tally(one, now, 8);
            let there = read(store, |tx| runners::present(tx, one, at(now), 99)).len() as u64;
            let gone = read(store, |tx| runners::offline(tx, one, at(now), at(8), 99)).len() as u64;
            assert_eq!((counted.live + counted.idle, counted.offline), (there, gone), "at {now}");
        }
    });
}
