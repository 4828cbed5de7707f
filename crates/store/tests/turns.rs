//! Turns, streams, and what of an inbox they have: every row is read back as it was written, on every engine.

use baton_core::{
    agent::ConnectionState,
    bus::{Connection, StreamEnd},
    ids::Seq,
    inbox::{Category, Item},
    job::{Executor, JobId},
    lease::Fence,
    part::Rows,
    turn::{
        Begun, Event, Outcome, PromptMode, Stream, StreamStatus, ToolState, ToolUse, ToolsUsed, Turn, TurnId, Usage,
    },
};
use baton_store::{
    StoreError, inbox, log,
    presence::{self, OpenRun, Signs},
    table,
    turns::{self, Which},
};
use baton_testkit::{
    Scribe, on_every_place,
    rows::{ODD, agent, all, at, on_two_rooms, put, read, save, write},
};

/// A member's turn that has just begun.
fn open(id: u32, whose: &str) -> Turn {
    Turn {
        id: TurnId(id),
        agent_id: agent(whose),
        number: id,
        job: None,
        revision: None,
        runner: None,
        executor: None,
        mode: None,
        role: None,
        tokens: 0,
        sent_tokens: 0,
        tools: 0,
        outcome: None,
        why: None,
        session: None,
        usage: Usage::default(),
        returned: false,
        seq: Seq(u64::from(id) + 10),
        began_at: at(i64::from(id)),
        ended_at: None,
    }
}

/// A job's turn with all that can be known of one.
fn ended(id: u32, job: u32) -> Turn {
    Turn {
        job: Some(JobId(job)),
        revision: Some(Fence(i64::MAX as u64)),
        runner: Some(agent("runner:one")),
        executor: Some(Executor::Codex),
        mode: Some(PromptMode::Delta),
        role: Some("reviewer".to_owned()),
        tokens: u32::MAX,
        sent_tokens: 7,
        tools: 3,
        outcome: Some(Outcome::Interrupted),
        why: Some(ODD.to_owned()),
        session: Some(ODD.to_owned()),
        usage: Usage { input_tokens: 100, cached_tokens: 40, output_tokens: 9, cost_microusd: Some(u64::from(id)) },
        returned: true,
        ended_at: Some(at(99)),
        ..open(id, &format!("job:JOB-00{job}@1"))
    }
}

fn ids(found: &[Turn]) -> Vec<u32> {
    found.iter().map(|turn| turn.id.0).collect()
}

#[test]
fn turns_are_read_back_by_number_by_whose_they_are_and_while_they_are_open() {
    on_two_rooms(|store, one, two| {
        let known = Rows::from_iter([ended(1, 1), open(2, "bo"), ended(3, 1), open(4, "ana"), ended(5, 2)]);
        put(store, one, &known);
        assert_eq!(all(store, one), known);
        assert_eq!(read(store, |tx| table::find(tx, one, &TurnId(3))), Some(ended(3, 1)));
        assert_eq!(read(store, |tx| table::find::<Turn>(tx, one, &TurnId(9))), None);
        assert_eq!(ids(&read(store, |tx| turns::open(tx, one))), [4, 2], "by agent");
        assert_eq!(read(store, |tx| turns::open_of(tx, one, &agent("bo"))), Some(open(2, "bo")));
        assert_eq!(read(store, |tx| turns::open_of(tx, one, &agent("job:JOB-001@1"))), None);
        let of_job = agent("job:JOB-001@1");
        let page = |which, before: Option<u32>, limit| {
            ids(&read(store, |tx| turns::before(tx, one, which, before.map(TurnId), limit)))
        };
        assert_eq!(page(Which::All, None, 9), [5, 4, 3, 2, 1]);
        assert_eq!(page(Which::All, Some(4), 2), [3, 2]);
        assert_eq!(page(Which::Of(&of_job), None, 9), [3, 1]);
        assert_eq!(page(Which::Job(JobId(1)), Some(3), 9), [1]);
        assert_eq!(read(store, |tx| turns::next(tx, one)), TurnId(6));
        assert_eq!(read(store, |tx| turns::next(tx, two)), TurnId(1));
        assert_eq!(all::<Turn>(store, two), Rows::default());
    });
}

#[test]
fn what_became_of_a_turn_is_stored_and_nothing_else_is_touched() {
    on_two_rooms(|store, one, _| {
        let mut turns = Rows::from_iter([open(1, "ana"), open(2, "bo")]);
        put(store, one, &turns);
        let done = ended(1, 1);
        turns.change(&TurnId(1), |turn| {
            (turn.mode, turn.role) = (done.mode, done.role);
            (turn.tokens, turn.sent_tokens, turn.tools) = (5, 4, 3);
            (turn.outcome, turn.why, turn.session) = (Some(Outcome::Failed), done.why, done.session);
            (turn.usage, turn.returned, turn.ended_at) = (done.usage, true, Some(at(50)));
        });
        save(store, one, &turns);
        assert_eq!(all(store, one), turns);
    });
}

#[test]
fn what_the_turns_of_a_job_took_is_added_up() {
    on_two_rooms(|store, one, two| {
        let mut free = ended(2, 1);
        free.usage.cost_microusd = None;
        put(store, one, &Rows::from_iter([ended(1, 1), free, ended(4, 1), ended(5, 2), open(6, "bo")]));
        let usage = Usage { input_tokens: 300, cached_tokens: 120, output_tokens: 27, cost_microusd: Some(5) };
        assert_eq!(read(store, |tx| turns::total_of_job(tx, one, JobId(1))), (3, usage));
        assert_eq!(read(store, |tx| turns::total_of_job(tx, one, JobId(9))), (0, Usage::default()));
        assert_eq!(read(store, |tx| turns::total_of_job(tx, two, JobId(1))), (0, Usage::default()));
    });
}

#[test]
fn of_a_stream_the_last_that_was_seen_is_kept() {
    on_two_rooms(|store, one, two| {
        let stream = |who: &str, status, session: Option<&str>, millis| Stream {
            agent_id: agent(who),
            status,
            provider: Some("codex".to_owned()),
            session: session.map(str::to_owned),
            last_activity_at: at(millis),
        };
        let first = stream("bo", StreamStatus::Reading, None, 1);
        let (last, other) =
            (stream("bo", StreamStatus::Writing, Some(ODD), 7), stream("ana", StreamStatus::Closed, None, 3));
        for seen in [&first, &other, &last] {
            write(store, |tx| turns::put_stream(tx, one, seen));
        }
        assert_eq!(read(store, |tx| turns::stream_of(tx, one, &agent("bo"))), Some(last.clone()));
        assert_eq!(read(store, |tx| turns::stream_of(tx, one, &agent("cy"))), None);
        assert_eq!(read(store, |tx| turns::streams(tx, one)), [other, last]);
        assert_eq!(read(store, |tx| turns::streams(tx, two)), []);
    });
}

fn item(message: u64, recipient: &str) -> Item {
    Item {
        message: Seq(message),
        recipient: agent(recipient),
        sender: agent("ana"),
        category: Category::User,
        requires_ack: false,
        wakes: true,
        interrupts: false,
        turn: None,
        queued_at: at(1),
        delivered_at: None,
        seen_at: None,
        accepted_at: None,
        note: None,
    }
}

#[test]
fn what_waits_for_a_turn_is_found_interrupts_first_and_what_a_turn_has_is_not() {
    on_two_rooms(|store, one, two| {
        let seen = |item: Item| Item { delivered_at: Some(at(2)), seen_at: Some(at(2)), ..item };
        let items = [
            item(3, "bo"),
            Item { category: Category::Control, ..item(4, "bo") },
            Item { interrupts: true, ..item(5, "bo") },
            item(6, "cy"),
            seen(item(7, "bo")),
            seen(Item { requires_ack: true, ..item(8, "bo") }),
            seen(Item { turn: Some(TurnId(2)), requires_ack: true, ..item(9, "bo") }),
            Item { interrupts: true, ..item(10, "bo") },
            seen(Item { turn: Some(TurnId(2)), ..item(11, "bo") }),
            seen(Item { interrupts: true, ..item(12, "bo") }),
        ];
        let mut known = Rows::from_iter(items);
        put(store, one, &known);
        assert_eq!(all(store, one), known);
        let places = |found: Vec<Item>| found.iter().map(|item| item.message.0).collect::<Vec<_>>();
        let bo = agent("bo");
        let untaken = |limit| places(read(store, |tx| inbox::untaken(tx, one, &bo, limit)));
        assert_eq!(untaken(9), [5, 10, 3, 8]);
        assert_eq!(untaken(3), [5, 10, 3]);
        let rule: Vec<Item> = known.iter().filter(|item| item.recipient == bo).cloned().collect();
        let rule: Vec<u64> = baton_core::turn::takes(&rule).into_iter().map(|seq| seq.0).collect();
        assert_eq!(untaken(200), rule, "the store finds what the rules say");
        assert_eq!(places(read(store, |tx| inbox::of_turn(tx, one, TurnId(2)))), [9, 11]);
        assert_eq!(places(read(store, |tx| inbox::interrupts(tx, one, &bo))), [5, 10]);
        assert_eq!(read(store, |tx| inbox::untaken(tx, two, &bo, 9)), []);
        // Given back, it waits again.
        known.change(&(Seq(9), bo.clone()), |back| (back.turn, back.delivered_at, back.seen_at) = (None, None, None));
        save(store, one, &known);
        assert_eq!(untaken(9), [5, 10, 3, 8, 9]);
        assert_eq!(places(read(store, |tx| inbox::of_turn(tx, one, TurnId(2)))), [11]);
    });
}

#[test]
fn what_happened_in_a_turn_is_read_by_its_type_and_between_two_places() {
    on_every_place(|place| {
        let store = place.open();
        let room = Scribe::new("ana").opens(&store, "room_1", "/one").id;
        let begun = |turn: u32, who: &str| {
            Event::Begun(Begun {
                turn: TurnId(turn),
                agent_id: agent(who),
                number: turn,
                items: vec![Seq(1)],
                job: None,
                revision: None,
                runner: None,
                executor: None,
            })
        };
        let used = |turn: u32, who: &str| {
            let used = ToolUse { name: "Read".to_owned(), detail: ODD.to_owned(), state: ToolState::Done, at: at(4) };
            Event::ToolsUsed(ToolsUsed { turn: TurnId(turn), agent_id: agent(who), uses: vec![used] })
        };
        let first = store.read::<_, StoreError>(|tx| log::before(tx, &room, None, 1)).unwrap()[0].clone();
        let events = [begun(1, "bo"), used(1, "bo"), begun(2, "cy"), used(2, "cy"), used(1, "bo"), used(1, "bo")];
        let places: Vec<Seq> = (1..).map(|place| Seq(first.seq.0 + place)).take(events.len()).collect();
        for (event, seq) in events.iter().zip(&places) {
            let mut recorded = first.clone();
            (recorded.seq, recorded.event) = (*seq, event.clone().into());
            write(&store, |tx| log::append(tx, &recorded));
        }
        let turn = Turn { seq: places[0], ..open(1, "bo") };
        let found = |kind: &str, between: (Seq, Seq), limit| {
            let found = read(&store, |tx| turns::events(tx, &room, &turn, kind, between, limit));
            found.iter().map(|recorded| recorded.seq).collect::<Vec<_>>()
        };
        let all = (Seq(0), Seq(u64::MAX));
        assert_eq!(found("turn.begin", all, 9), [places[0]]);
        assert_eq!(found("turn.tools", all, 9), [places[1], places[4], places[5]]);
        assert_eq!(found("turn.tools", all, 2), [places[1], places[4]]);
        assert_eq!(found("turn.tools", (places[1], places[4]), 9), [places[4]]);
        assert_eq!(found("turn.end", all, 9), []);
    });
}

#[test]
fn streams_and_open_runs_of_a_room_are_read_in_one_go() {
    on_two_rooms(|store, one, two| {
        let ended = StreamEnd { at: at(9), state: ConnectionState::Disconnected, why: ODD.to_owned() };
        let connections = vec![
            Connection { agent_id: agent("ana"), server: None, since: at(-1), ended: None },
            Connection { agent_id: agent("bo"), server: None, since: at(7), ended: Some(ended) },
        ];
        put(store, one, &Rows::from_iter(connections.clone()));
        let over = Turn { outcome: Some(Outcome::Completed), ended_at: Some(at(5)), ..open(1, "bo") };
        put(store, one, &Rows::from_iter([over, open(2, "bo"), open(3, "ana")]));
        let run = |id: u32, whose: &str| OpenRun {
            agent_id: agent(whose),
            id: TurnId(id),
            began_at: open(id, whose).began_at,
        };
        let expected = Signs { connections, runs: vec![run(3, "ana"), run(2, "bo")] };
        assert_eq!(read(store, |tx| presence::signs(tx, one)), expected);
        assert_eq!(read(store, |tx| presence::signs(tx, two)), Signs::default());
    });
}
