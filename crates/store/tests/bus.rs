//! The bus as it is stored: actions and how far they are, conversations, their tasks, and who is connected.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use std::collections::BTreeSet;

use baton_core::{
    agent::{ConnectionState, ConnectionStatus},
    bus::{
        self as rules, Action, BusId, Connected, Connection, Context, Control, Conversation, Data, Disconnected, Kind,
        Messaged, Plan, Resulted, Status, StreamEnd, Submitted, Task, TaskReported, TaskStatus, What,
    },
    event,
    ids::{RoomId, Seq},
    inbox::{Category, Item, Recipient},
    part::Rows,
    process::SessionKind,
    room::{Closed, Event, Renamed},
};
use baton_store::{
    Store, StoreError, bus,
    bus::Which,
    engine::Changes,
    inbox,
    rooms::{self, Standing},
    table,
};
use baton_testkit::{
    Scribe, on_every_place,
    rows::{ODD, agent, all, assert_events_are_read_back, at, find, on_two_rooms, process, put, read, save},
};

fn id(text: &str) -> BusId {
    text.parse().unwrap()
}

fn ended() -> StreamEnd {
    StreamEnd { at: at(8), state: ConnectionState::Gone, why: ODD.to_owned() }
}

/// An action with as little as it may have: nothing was heard of it yet.
fn action(seq: u64, target: &str) -> Action {
    Action {
        seq: Seq(seq),
        group_id: id("g1"),
        action_id: id(&format!("a{seq}")),
        action_index: 0,
        sender: agent("ana"),
        target: agent(target),
        control: None,
        kind: Some(Kind::User),
        context_id: id("c"),
        owner: agent("ana"),
        depth: 0,
        status: None,
        detail: None,
        new_context_id: None,
        new_task_id: None,
        submitted_at: at(0),
        ended_at: None,
    }
}

/// An action with all that it can have.
fn full(seq: u64) -> Action {
    Action {
        group_id: id(&"~".repeat(128)),
        action_index: u32::MAX,
        control: Some(Control::New),
        kind: None,
        depth: u32::MAX,
        status: Some(Status::Completed),
        detail: Some(ODD.to_owned()),
        new_context_id: Some(id("!c'\"")),
        new_task_id: Some(id("t\\%")),
        submitted_at: at(-5),
        ended_at: Some(at(i64::from(i32::MAX) * 1000)),
        ..action(seq, "bo")
    }
}

/// Rows of every part of a bus.
#[derive(Clone, Debug, Default, PartialEq)]
struct Bus {
    actions: Rows<Action>,
    conversations: Rows<Conversation>,
    tasks: Rows<Task>,
    connections: Rows<Connection>,
}

impl Bus {
    fn of(store: &Store, room: &RoomId) -> Self {
        Self {
            actions: all(store, room),
            conversations: all(store, room),
            tasks: all(store, room),
            connections: all(store, room),
        }
    }

    fn put(&self, store: &Store, room: &RoomId) {
        put(store, room, &self.actions);
        put(store, room, &self.conversations);
        put(store, room, &self.tasks);
        put(store, room, &self.connections);
    }
}

/// A bus with all that one can have, and with as little.
fn busy() -> Bus {
    let each = Status::ALL.into_iter().zip(10..).map(|(status, seq)| {
        let ended_at = status.is_terminal().then(|| at(9));
        Action { status: Some(status), ended_at, ..action(seq, "bo") }
    });
    let controls = Control::ALL.into_iter().zip(20..);
    let controls = controls.map(|(control, seq)| Action { control: Some(control), kind: None, ..action(seq, "cy") });
    let kinds = [Kind::User, Kind::Reply].into_iter().zip(30..);
    let kinds = kinds.map(|(kind, seq)| Action { kind: Some(kind), ..action(seq, "ana") });
    let task = |name: &str, status| Task {
        task_id: id(name),
        context_id: None,
        status,
        reported_by: agent("bo"),
        seq: Seq(3),
    };
    Bus {
        actions: [action(1, "bo"), full(2)].into_iter().chain(each).chain(controls).chain(kinds).collect(),
        conversations: Rows::from_iter([
            Conversation { context_id: id("C"), owner: agent("ana"), task_id: None, since: Seq(1) },
            Conversation { context_id: id("c"), owner: agent("codex:9b22"), task_id: Some(id("t")), since: Seq(9) },
        ]),
        tasks: Rows::from_iter([
            Task { context_id: Some(id("c")), ..task("Done", TaskStatus::Done) },
            task("blocked", TaskStatus::Blocked),
            task("ready", TaskStatus::Ready),
            task("running", TaskStatus::Running),
        ]),
        connections: Rows::from_iter([
            Connection { agent_id: agent("ana"), server: None, since: at(-1), ended: None },
            Connection { agent_id: agent("bo"), server: Some(process()), since: at(7), ended: Some(ended()) },
        ]),
    }
}

fn places(found: &[Action]) -> Vec<u64> {
    found.iter().map(|action| action.seq.0).collect()
}

#[test]
fn a_bus_is_read_back_with_everything_and_with_as_little_as_it_may() {
    on_two_rooms(|store, one, two| {
        let all = busy();
        all.put(store, one);
        assert_eq!(Bus::of(store, one), all);
        assert_eq!(Bus::of(store, two), Bus::default());
        for known in all.actions.iter() {
            assert_eq!(read(store, |tx| bus::action_by_id(tx, one, &known.action_id)).as_ref(), Some(known));
        }
        for known in all.conversations.iter() {
            assert_eq!(find(store, one, &known.context_id).as_ref(), Some(known));
            assert_eq!(find::<Conversation>(store, two, &known.context_id), None);
        }
        for known in all.tasks.iter() {
            assert_eq!(find(store, one, &known.task_id).as_ref(), Some(known));
        }
        assert_eq!(read(store, |tx| bus::connections(tx, one)), Vec::from_iter(all.connections));
        assert_eq!(read(store, |tx| bus::action_by_id(tx, one, &id("A1"))), None, "names are told apart by case");
        assert_eq!(read(store, |tx| bus::action_by_id(tx, two, &id("a1"))), None);
        assert_eq!(find::<Task>(store, one, &id("done")), None);
    });
}

#[test]
fn what_became_of_a_bus_is_stored_as_the_difference() {
    on_two_rooms(|store, one, two| {
        let before = busy();
        for room in [one, two] {
            before.put(store, room);
        }
        let mut after = before.clone();
        after.actions.change(&Seq(1), |heard| {
            (heard.status, heard.detail) = (Some(Status::Rejected), Some("no".to_owned()));
            heard.ended_at = Some(at(11));
        });
        after.actions.change(&Seq(10), |action| action.target = agent("cy"));
        after.actions.put(action(99, "bo"));
        let known = before.conversations.get(&id("C")).unwrap().clone();
        after.conversations.put(Conversation { context_id: id("d"), ..known });
        after.tasks.change(&id("running"), |task| task.status = TaskStatus::Done);
        after.connections.remove(&agent("ana"));
        after.connections.change(&agent("bo"), |connection| (connection.server, connection.ended) = (None, None));
        after.connections.put(Connection { agent_id: agent("cy"), server: Some(process()), since: at(1), ended: None });
        save(store, one, &after.actions);
        save(store, one, &after.conversations);
        save(store, one, &after.tasks);
        save(store, one, &after.connections);
        assert_eq!(Bus::of(store, one), after);
        assert_eq!(Bus::of(store, two), before);
        // Of a part that is at hand, nothing else is touched.
        let mut some = Rows::default();
        some.note(after.actions.get(&Seq(12)).cloned());
        for actions in [&mut some, &mut after.actions] {
            actions.change(&Seq(12), |action| action.detail = Some(ODD.to_owned()));
        }
        save(store, one, &some);
        assert_eq!(Bus::of(store, one), after);
    });
}

#[test]
fn a_name_of_an_action_is_there_once_in_a_room() {
    on_two_rooms(|store, one, two| {
        put(store, one, &Rows::from_iter([action(1, "bo")]));
        let mut again = Rows::default();
        again.put(Action { action_id: id("a1"), ..action(2, "bo") });
        let twice = store.write(|tx| table::save(tx, one, &mut again.clone()));
        assert!(twice.is_err());
        save(store, two, &again);
    });
}

#[test]
fn a_stream_that_ended_without_a_state_or_a_reason_is_named() {
    on_two_rooms(|store, one, _| {
        busy().put(store, one);
        for missing in ["UPDATE connections SET ended_as = NULL", "UPDATE connections SET ended_why = NULL"] {
            let refused = store.write(|tx| {
                tx.execute(missing, &[], Changes::Any)?;
                bus::connections(tx, one)
            });
            assert!(matches!(refused, Err(StoreError::BadRow { table: "connections", .. })), "{missing}: {refused:?}");
        }
    });
}

#[test]
fn what_a_target_owes_is_found_in_order_and_page_by_page() {
    on_two_rooms(|store, one, two| {
        let ended = |action: Action| Action { status: Some(Status::Error), ended_at: Some(at(1)), ..action };
        let actions = [action(1, "bo"), ended(action(2, "bo")), action(3, "cy"), action(5, "bo"), action(8, "bo")];
        put(store, one, &Rows::from_iter(actions));
        put(store, two, &Rows::from_iter([action(4, "dot")]));
        let open = |after, limit| places(&read(store, |tx| bus::open_of(tx, one, &agent("bo"), Seq(after), limit)));
        assert_eq!((open(0, 9), open(0, 2), open(1, 9), open(8, 9)), (vec![1, 5, 8], vec![1, 5], vec![5, 8], vec![]));
        assert_eq!(open(u64::MAX, 9), [0; 0]);
        assert_eq!(read(store, |tx| bus::owing(tx, one)), [agent("bo"), agent("cy")]);
        assert_eq!(read(store, |tx| bus::owing(tx, two)), [agent("dot")]);
    });
}

#[test]
fn actions_are_listed_by_group_target_and_sender_after_a_place() {
    on_two_rooms(|store, one, two| {
        let of = |seq, group: &str, sender: &str, target: &str| Action {
            group_id: id(group),
            sender: agent(sender),
            ..action(seq, target)
        };
        let actions =
            [of(1, "g", "ana", "bo"), of(2, "h", "ana", "cy"), of(3, "g", "cy", "bo"), of(4, "g", "ana", "cy")];
        put(store, one, &Rows::from_iter(actions));
        put(store, two, &Rows::from_iter([of(7, "g", "ana", "bo")]));
        let (group, bo, ana) = (id("g"), agent("bo"), agent("ana"));
        let list = |which, after, limit| places(&read(store, |tx| bus::actions(tx, one, which, Seq(after), limit)));
        assert_eq!(list(Which::All, 0, 9), [1, 2, 3, 4]);
        assert_eq!(list(Which::All, 1, 2), [2, 3]);
        assert_eq!(list(Which::Group(&group), 0, 9), [1, 3, 4]);
        assert_eq!(list(Which::Group(&group), 3, 9), [4]);
        assert_eq!(list(Which::Target(&bo), 0, 9), [1, 3]);
        assert_eq!(list(Which::Sender(&ana), 0, 2), [1, 2]);
        assert_eq!(list(Which::Sender(&bo), 0, 9), [0; 0]);
    });
}

#[test]
fn the_new_that_an_action_is_for_is_the_first_in_a_row_of_its_group_target_and_sender() {
    on_two_rooms(|store, one, two| {
        let new = |seq, target: &str| Action { control: Some(Control::New), kind: None, ..action(seq, target) };
        let compact = Action { control: Some(Control::Compact), kind: None, ..action(6, "bo") };
        let actions = [
            action(1, "bo"),
            new(2, "bo"),
            new(3, "bo"),
            new(4, "cy"),
            Action { group_id: id("other"), ..new(5, "bo") },
            compact,
            Action { sender: agent("cy"), ..new(7, "bo") },
            action(8, "bo"),
            new(9, "bo"),
        ];
        for room in [one, two] {
            put(store, room, &Rows::from_iter(actions.clone()));
        }
        let new_of = |place: usize| read(store, |tx| bus::begun_by(tx, one, &actions[place])).map(|new| new.seq.0);
        assert_eq!([0, 1, 2, 3, 4, 5, 7, 8].map(new_of), [None, None, Some(2), None, None, Some(2), Some(2), Some(2)]);
    });
}

#[test]
fn what_an_agent_was_not_told_of_on_the_bus_is_found_in_order() {
    on_two_rooms(|store, one, two| {
        let item = |message, category, delivered: Option<i64>| Item {
            message: Seq(message),
            recipient: agent("bo"),
            sender: agent("ana"),
            category,
            requires_ack: true,
            wakes: true,
            interrupts: false,
            turn: None,
            queued_at: at(0),
            delivered_at: delivered.map(at),
            seen_at: None,
            accepted_at: None,
            note: None,
        };
        let items = [
            item(1, Category::Message, Some(5)),
            item(2, Category::Control, None),
            item(3, Category::Info, None),
            item(4, Category::Message, None),
            Item { recipient: agent("cy"), ..item(5, Category::Message, None) },
            Item { seen_at: Some(at(1)), accepted_at: Some(at(1)), ..item(6, Category::Message, Some(1)) },
            item(7, Category::Message, None),
        ];
        put(store, one, &Rows::from_iter(items.clone()));
        let bo = agent("bo");
        let untold = |limit| read(store, |tx| inbox::undelivered(tx, one, &bo, limit));
        assert_eq!(untold(9), [items[1].clone(), items[3].clone(), items[6].clone()]);
        assert_eq!(untold(1), [items[1].clone()]);
        assert_eq!(read(store, |tx| inbox::undelivered(tx, two, &bo, 9)), []);
    });
}

#[test]
fn rooms_are_listed_by_whether_they_go_on_and_keep_their_names() {
    on_every_place(|place| {
        let (store, ana) = (place.open(), Scribe::new("ana"));
        let rooms = [("room_1", "/one"), ("room_2", "/two"), ("room_3", "/three")];
        let [one, two, three] = rooms.map(|(id, path)| ana.opens(&store, id, path));
        let one = ana.writes(&store, &one, Event::Renamed(Renamed { name: ODD.to_owned() })).unwrap();
        assert_eq!(ana.reads(&store, &one.id).unwrap().unwrap().name.as_deref(), Some(ODD));
        let closed = ana.writes(&store, &two, Event::Closed(Closed { reason: None })).unwrap();
        let list = |standing, limit| {
            let found = read(&store, |tx| rooms::standing(tx, standing, limit));
            found.into_iter().map(|outline| outline.id).collect::<Vec<_>>()
        };
        let (mut open, mut all) = (list(Standing::Open, 9), list(Standing::All, 9));
        open.sort();
        all.sort();
        assert_eq!(open, [one.id.clone(), three.id.clone()]);
        assert_eq!(all, [one.id, closed.id.clone(), three.id]);
        assert_eq!(list(Standing::Closed, 9), [closed.id]);
        assert_eq!(list(Standing::All, 2).len(), 2);
    });
}

/// Every kind of event on the bus, with all that it can carry and with as little as it may.
fn bus_events() -> Vec<event::Event> {
    let context = Context { context_id: id("c"), owner_id: agent("ana"), parent_message_id: Some(ODD.to_owned()) };
    let bare = Context { parent_message_id: None, ..context.clone() };
    let plan = Plan { steps: vec![ODD.to_owned()], note: Some(ODD.to_owned()) };
    let message =
        What::Message { kind: Kind::Reply, text: ODD.to_owned(), reply_to_action_id: Some(id("a0")), plan: Some(plan) };
    let short = What::Message { kind: Kind::User, text: "x".to_owned(), reply_to_action_id: None, plan: None };
    let controls = Control::ALL.map(|command| What::Control { command, args: Some(ODD.to_owned()) });
    let submitted = |what: What, context: &Context, depth, opens: bool| {
        rules::Event::Submitted(Submitted {
            group_id: id("g"),
            action_id: id("a"),
            action_index: u32::MAX,
            target: agent("bo"),
            sender_name: ODD.to_owned(),
            sender_kind: opens.then_some(SessionKind::Human),
            what,
            context: context.clone(),
            task_id: id("t"),
            depth,
            opens,
            begins_task: opens,
        })
    };
    let resulted = |status, detail: Option<&str>, data, begins| {
        rules::Event::Resulted(Resulted {
            action: Seq(u64::MAX),
            group_id: id("g"),
            action_id: id("a"),
            action_index: 0,
            target: agent("bo"),
            sender: agent("ana"),
            status,
            detail: detail.map(str::to_owned),
            data,
            task_in: detail.map(|_| id("e")),
            begins,
        })
    };
    let data = Data { new_context_id: Some(id("d")), new_task_id: Some(id("u")) };
    let recipient = Recipient { agent_id: agent("bo"), name: ODD.to_owned(), wakes: true };
    let messaged = |recipients, context: &Context, reply_to, depth, opens: bool| {
        rules::Event::Messaged(Messaged {
            kind: Kind::User,
            text: ODD.to_owned(),
            sender_name: ODD.to_owned(),
            sender_kind: opens.then_some(SessionKind::McpHarness),
            recipients,
            context: context.clone(),
            task_id: id("t"),
            reply_to,
            depth,
            opens,
            begins_task: opens,
        })
    };
    let reported = |status, summary, context: Option<Context>| {
        let owner = context.is_none().then(|| agent("dot"));
        rules::Event::TaskReported(TaskReported { task_id: id("t"), status, summary, context, owner })
    };
    let mut events = vec![
        submitted(message, &context, u32::MAX, true),
        submitted(short, &bare, 0, false),
        submitted(What::Control { command: Control::New, args: None }, &bare, 0, false),
        resulted(Status::Completed, Some(ODD), Some(data), Some(bare.clone())),
        messaged(vec![recipient], &context, Some(ODD.to_owned()), 1, true),
        messaged(Vec::new(), &bare, None, 0, false),
        reported(TaskStatus::Done, Some(ODD.to_owned()), Some(context)),
        rules::Event::Connected(Connected { agent_id: agent("bo"), name: ODD.to_owned(), server: Some(process()) }),
        rules::Event::Connected(Connected { agent_id: agent("bo"), name: ODD.to_owned(), server: None }),
        rules::Event::Disconnected(Disconnected {
            agent_id: agent("bo"),
            name: ODD.to_owned(),
            why: ODD.to_owned(),
            connection: Some(ConnectionStatus { state: ConnectionState::Disconnected, why: ODD.to_owned() }),
        }),
    ];
    events.extend(controls.map(|what| submitted(what, &bare, 0, false)));
    events.extend(Status::ALL.map(|status| resulted(status, None, None, None)));
    let others = [TaskStatus::Running, TaskStatus::Blocked, TaskStatus::Ready];
    events.extend(others.map(|status| reported(status, None, None)));
    events.into_iter().map(event::Event::from).collect()
}

#[test]
fn every_kind_of_event_on_the_bus_is_read_back_as_it_was_written() {
    let events = bus_events();
    let kinds: BTreeSet<&str> = events.iter().map(event::Event::kind).collect();
    let all = "action.submit action.result message.create conversation.task agent.connect agent.disconnect";
    assert_eq!(kinds, all.split(' ').collect());
    assert_events_are_read_back(&events);
}
