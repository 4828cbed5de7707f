//! The rules of turns, and what their events make of inboxes.

use super::*;
use crate::{
    bus,
    event::Recorded,
    ids::{AgentId, Seq},
    inbox::{self, Category, Item, Payload, Recipient, Sent, Stage, Told},
    job::{self, Claiming, Force, Job, JobId, Shown},
    lease::Fence,
    limits,
    part::Rows,
    process::{Liveness, ProcessIdentity, Proof},
    reference::Reference,
    time::{Timestamp, Ttl},
};

fn agent(name: &str) -> AgentId {
    name.parse().unwrap()
}

/// An event at a place in the log, and a time that is the place too.
fn recorded(place: u64, by: &str, event: impl Into<crate::event::Event>) -> Recorded {
    Recorded {
        overridden: false,
        room_id: "room_1".parse().unwrap(),
        seq: Seq(place),
        at: Timestamp::from_millis(place as i64),
        actor: agent(by),
        turn: Fence(0),
        event: event.into(),
    }
}

/// An agent's inbox and its turns, as events make them.
#[derive(Default)]
struct Scene {
    place: u64,
    inbox: Rows<Item>,
    turns: Rows<Turn>,
}

impl Scene {
    fn happens(&mut self, by: &str, event: impl Into<crate::event::Event>) -> Seq {
        self.place += 1;
        let recorded = recorded(self.place, by, event);
        self.inbox.apply(&recorded);
        self.turns.apply(&recorded);
        recorded.seq
    }

    fn tells(&mut self, interrupts: bool) -> Seq {
        let (to_name, from_name, text) = ("bo".to_owned(), "ana".to_owned(), "Well?".to_owned());
        self.happens(
            "ana",
            inbox::Event::Told(Told { to: agent("bo"), to_name, from_name, sender_kind: None, text, interrupts }),
        )
    }

    fn asks(&mut self) -> Seq {
        let payload = Payload::Text { subject: "s".to_owned(), body: "b".to_owned(), requires_ack: true };
        let recipients = vec![Recipient { agent_id: agent("bo"), name: "bo".to_owned(), wakes: true }];
        let (from_agent, to_agent) = ("ana".to_owned(), "bo".to_owned());
        let category = Category::Info;
        let sent =
            Sent { category, from_agent, sender_kind: None, to_agent, recipients, bead_id: None, scope: None, payload };
        self.happens("ana", inbox::Event::Sent(sent))
    }

    fn begins(&mut self) -> Result<Turn, Refusal> {
        let open = self.turns.iter().find(|turn| turn.is_open());
        let number = self.turns.iter().count() as u32 + 1;
        let beginning = Beginning {
            turn: TurnId(number),
            agent: agent("bo"),
            number,
            items: takes(&self.inbox.to_vec()),
            under: None,
            executor: None,
        };
        let event = beginning.decide(open)?;
        self.happens("bo", event);
        Ok(self.turns.iter().last().unwrap().clone())
    }

    fn has(&self, turn: &Turn) -> Vec<Seq> {
        self.inbox.iter().filter(|item| item.turn == Some(turn.id)).map(|item| item.message).collect()
    }

    fn ends(&mut self, turn: &Turn, ending: &Ending) {
        let event = turn.end(Voice::Own(&agent("bo")), ending, self.has(turn)).unwrap();
        self.happens("bo", event);
    }

    fn stages(&self) -> Vec<Stage> {
        self.inbox.iter().map(Item::stage).collect()
    }
}

fn ending(outcome: Outcome) -> Ending {
    let (usage, refs) = (Usage::default(), Vec::new());
    Ending { outcome, why: None, session: None, resumable: false, usage, refs }
}

/// A job at a claim of this number.
fn claimed(revision: u64) -> Job {
    let stored = r#"{"job":"JOB-001","title":"Mend it","prompt":"It rains in.","kind":"task","priority":"MEDIUM",
        "executor":"codex","isolation":"workspace"}"#;
    let mut jobs = Rows::<Job>::of_new_room();
    jobs.apply(&recorded(1, "ana", crate::event::Event::read("job.created", stored).unwrap()));
    for place in 0..revision {
        let force = if place == 0 { Force::No } else { Force::Manual };
        let ttl = Ttl::from_secs(10);
        let claiming = Claiming {
            runner: agent("r1"),
            ttl,
            executor: None,
            allow_stale: false,
            force,
            backing: Default::default(),
            capability_sha256: None,
        };
        let event =
            jobs.nth(0).claim(Timestamp::from_millis(2), &claiming, &|_: &ProcessIdentity| Liveness::Unknown).unwrap();
        jobs.apply(&recorded(2 + place, "r1", event));
    }
    jobs.nth(0).clone()
}

fn shown(revision: u64) -> Shown {
    Shown { runner: agent("r1"), revision: Fence(revision), by: agent("r1").into(), capability: None }
}

/// A turn of that job under its first claim.
fn of_job() -> Turn {
    let under = Some(Under { job: JobId(1), revision: Fence(1), runner: agent("r1") });
    let beginning =
        Beginning { turn: TurnId(1), agent: agent("bo"), number: 1, items: Vec::new(), under, executor: None };
    let mut turns = Rows::<Turn>::of_new_room();
    turns.apply(&recorded(9, "r1", beginning.decide(None).unwrap()));
    turns.nth(0).clone()
}

#[test]
fn interrupts_are_taken_first_and_the_rest_in_the_order_of_the_log() {
    let mut scene = Scene::default();
    let (one, two) = (scene.tells(false), scene.asks());
    let (three, four) = (scene.tells(true), scene.tells(true));
    let turn = scene.begins().unwrap();
    assert_eq!(scene.has(&turn), [one, two, three, four]);
    let Some(begun) = scene.inbox.iter().next() else { panic!("nothing") };
    assert_eq!((begun.turn, begun.stage()), (Some(turn.id), Stage::Seen));
    scene.ends(&turn, &ending(Outcome::Failed));
    assert_eq!(takes(&scene.inbox.to_vec()), [three, four, one, two]);
}

#[test]
fn what_was_seen_is_not_taken_unless_it_is_to_be_accepted_and_control_never_is() {
    let mut scene = Scene::default();
    let (told, asked) = (scene.tells(false), scene.asks());
    for item in scene.inbox.to_vec() {
        let seen = item.see(None).unwrap();
        scene.happens("bo", seen);
    }
    assert_eq!(takes(&scene.inbox.to_vec()), [asked]);
    let key = (asked, agent("bo"));
    scene.inbox.change(&key, |item| item.category = Category::Control);
    assert_eq!(takes(&scene.inbox.to_vec()), []);
    scene.inbox.change(&key, |item| (item.category, item.turn) = (Category::Message, Some(TurnId(7))));
    assert_eq!(takes(&scene.inbox.to_vec()), [], "another turn has it");
    assert!(told < asked);
}

#[test]
fn a_turn_takes_so_much_and_no_more() {
    let mut scene = Scene::default();
    (0..limits::TURN_ITEMS + 3).for_each(|_| _ = scene.tells(false));
    let interrupt = scene.tells(true);
    let taken = takes(&scene.inbox.to_vec());
    assert_eq!((taken.len(), taken[0], taken[1]), (limits::TURN_ITEMS, interrupt, Seq(1)));
}

#[test]
fn an_agent_is_in_one_turn_at_a_time() {
    let mut scene = Scene::default();
    let first = scene.begins().unwrap();
    let refused = scene.begins().unwrap_err();
    assert_eq!(refused, Refusal::Open { turn: first.id, agent_id: agent("bo"), since: first.began_at });
    assert!(refused.next().unwrap().contains("TURN-1"));
    scene.ends(&first, &ending(Outcome::Completed));
    assert_eq!(scene.begins().unwrap().number, 2);
}

#[test]
fn a_good_end_accepts_what_was_taken_and_a_bad_one_gives_it_back_once() {
    let mut scene = Scene::default();
    scene.tells(false);
    scene.asks();
    let turn = scene.begins().unwrap();
    scene.ends(&turn, &ending(Outcome::Failed));
    assert_eq!(scene.stages(), [Stage::Queued; 2]);
    assert!(scene.turns.nth(0).returned);
    let turn = scene.begins().unwrap();
    assert_eq!(scene.has(&turn), [Seq(1), Seq(2)]);
    let accepted = scene.inbox.nth(1).accept(None).unwrap();
    scene.happens("bo", accepted);
    let lost = turn.end_with(Outcome::Lost, "gone", scene.has(&turn)).unwrap();
    scene.happens("ana", lost);
    assert_eq!(scene.stages(), [Stage::Queued, Stage::Accepted], "what it accepted by itself stays so");
    let turn = scene.begins().unwrap();
    assert_eq!(scene.has(&turn)[..1], [Seq(1)]);
    scene.ends(&turn, &ending(Outcome::Completed));
    assert_eq!(scene.stages(), [Stage::Accepted; 2]);
    assert_eq!(scene.turns.nth(2).end_with(Outcome::Lost, "gone", Vec::new()), None, "it ends once");
}

#[test]
fn what_is_read_in_a_turn_goes_back_with_it() {
    let mut scene = Scene::default();
    let turn = scene.begins().unwrap();
    let message = scene.tells(false);
    let seen = scene.inbox.nth(0).see(Some(turn.id)).unwrap();
    scene.happens("bo", seen);
    assert_eq!(scene.has(&turn), [message]);
    scene.ends(&turn, &ending(Outcome::Failed));
    assert_eq!(takes(&scene.inbox.to_vec()), [message]);
}

#[test]
fn an_interrupted_turn_keeps_what_its_conversation_can_go_on_with() {
    for (session, resumable, returned) in [
        (None, false, true),
        (None, true, true),
        (Some("s"), false, true),
        (Some(" "), true, true),
        (Some("s"), true, false),
    ] {
        let mut scene = Scene::default();
        scene.tells(false);
        let turn = scene.begins().unwrap();
        let session = session.map(str::to_owned);
        scene.ends(&turn, &Ending { session, resumable, ..ending(Outcome::Interrupted) });
        assert_eq!(scene.turns.nth(0).returned, returned);
        assert_eq!(scene.stages(), [if returned { Stage::Queued } else { Stage::Accepted }]);
    }
}

#[test]
fn only_whoever_runs_a_turn_speaks_of_it() {
    let turn = of_job();
    let (job, newer) = (claimed(1), claimed(2));
    assert_eq!(turn.require(Voice::Claim(&job, &shown(1))), Ok(()));
    let stale = turn.require(Voice::Claim(&newer, &shown(1))).unwrap_err();
    assert!(matches!(stale, Refusal::Claim(job::Refusal::ClaimOver { .. })), "{stale:?}");
    let own = turn.require(Voice::Own(&agent("bo"))).unwrap_err();
    assert!(matches!(own, Refusal::NotYours { job: Some(JobId(1)), .. }), "{own:?}");
    let mut scene = Scene::default();
    let turn = scene.begins().unwrap();
    assert!(matches!(turn.require(Voice::Own(&agent("ana"))), Err(Refusal::NotYours { job: None, .. })));
    assert!(matches!(turn.require(Voice::Claim(&job, &shown(1))), Err(Refusal::NotYours { .. })));
    scene.ends(&turn, &ending(Outcome::Completed));
    let over = scene.turns.nth(0).require(Voice::Own(&agent("bo"))).unwrap_err();
    assert_eq!(over, Refusal::Over { turn: turn.id, outcome: Outcome::Completed, why: None });
}

#[test]
fn a_jobs_turn_is_lost_when_its_claim_is_not_in_force() {
    let turn = of_job();
    assert_eq!(turn.lost(Some(&claimed(1)), None), None, "whatever is known of a process");
    assert!(turn.lost(Some(&claimed(2)), Some(&Liveness::Alive)).unwrap().contains("RUNNING"));
    let queued = claimed(0);
    assert!(turn.lost(Some(&queued), None).unwrap().contains("QUEUED"));
    assert!(turn.lost(None, None).unwrap().contains("JOB-001"));
}

#[test]
fn a_members_turn_is_lost_when_its_process_is_proven_gone() {
    let mut scene = Scene::default();
    let turn = scene.begins().unwrap();
    let lost = |process: Option<Liveness>| turn.lost(None, process.as_ref()).is_some();
    assert!(!lost(Some(Liveness::Alive)) && !lost(Some(Liveness::Unknown)));
    assert!(lost(Some(Liveness::Gone(Proof::Exited))) && lost(None));
    scene.ends(&turn, &ending(Outcome::Completed));
    assert_eq!(scene.turns.nth(0).lost(None, None), None, "what is over is not lost");
}

#[test]
fn what_is_said_of_a_turn_stays_within_bounds() {
    let mut scene = Scene::default();
    let turn = scene.begins().unwrap();
    let (bo, at) = (agent("bo"), Timestamp::from_millis(1));
    let voice = Voice::Own(&bo);
    let used = |name: &str, detail: String| ToolUse { name: name.to_owned(), detail, state: ToolState::Started, at };
    let Event::ToolsUsed(told) =
        turn.tools(voice, &[used("Bash", "ls\n  -l".to_owned()), used("Read", "é".repeat(9_000))]).unwrap()
    else {
        panic!("no tools")
    };
    assert_eq!(told.uses[0].detail, "ls -l");
    assert_eq!(told.uses[1].detail.chars().count(), limits::TOOL_DETAIL_CHARS);
    assert!(told.uses[1].detail.ends_with("… [cut: 9000 characters]"));
    let field = |refused: Result<Event, Refusal>| match refused {
        Err(Refusal::Invalid { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    assert_eq!(field(turn.tools(voice, &[])), "uses");
    assert_eq!(field(turn.tools(voice, &[used(" ", String::new())])), "uses");
    assert_eq!(field(turn.tools(voice, &vec![used("Read", String::new()); limits::TOOL_USES + 1])), "uses");

    let end = |ending: &Ending| turn.end(voice, ending, Vec::new());
    let why = Some(format!("\0{}", "é".repeat(limits::REASON_BYTES)));
    let Event::Ended(ended) = end(&Ending { why, ..ending(Outcome::Failed) }).unwrap() else { panic!("no end") };
    let why = ended.why.unwrap();
    assert!(why.len() <= limits::REASON_BYTES && why.ends_with(" bytes]") && !why.contains('\0'));
    assert_eq!(field(end(&ending(Outcome::Lost))), "outcome");
    let session = Some("x".repeat(limits::SESSION_BYTES + 1));
    assert_eq!(field(end(&Ending { session, ..ending(Outcome::Completed) })), "session");
    let session = Some("a\0b".to_owned());
    assert_eq!(field(end(&Ending { session, ..ending(Outcome::Completed) })), "session");

    let telling = Telling {
        mode: PromptMode::Delta,
        role: Some("reviewer".parse().unwrap()),
        tokens: 10,
        sent_tokens: 4,
        context_ref: None,
        refs: Vec::new(),
    };
    assert!(turn.prompt(voice, &telling).is_ok());
    assert_eq!(field(turn.prompt(voice, &Telling { sent_tokens: 11, ..telling.clone() })), "sent_tokens");
    let context_ref = Some(Reference::Job(JobId(1)));
    assert_eq!(field(turn.prompt(voice, &Telling { context_ref, ..telling.clone() })), "context_ref");
    let refs = vec![Reference::Job(JobId(1)); limits::REFERENCES + 1];
    assert_eq!(field(turn.prompt(voice, &Telling { refs, ..telling })), "refs");
}

#[test]
fn a_turn_adds_up_what_is_said_of_it() {
    let mut scene = Scene::default();
    let turn = scene.begins().unwrap();
    let (bo, at) = (agent("bo"), Timestamp::from_millis(1));
    let used = |state| ToolUse { name: "Read".to_owned(), detail: String::new(), state, at };
    for states in [vec![ToolState::Started, ToolState::Done], vec![ToolState::Started, ToolState::Failed]] {
        let uses: Vec<ToolUse> = states.into_iter().map(used).collect();
        let event = turn.tools(Voice::Own(&bo), &uses).unwrap();
        scene.happens("bo", event);
    }
    let usage = Usage { input_tokens: 9, cached_tokens: 4, output_tokens: 2, cost_microusd: Some(7) };
    let session = Some("s-1".to_owned());
    scene.ends(&turn, &Ending { usage, session: session.clone(), ..ending(Outcome::Completed) });
    let turn = scene.turns.nth(0);
    assert_eq!((turn.tools, turn.usage, &turn.session), (2, usage, &session));
    assert_eq!(turn.ended_at, Some(Timestamp::from_millis(4)));
}

#[test]
fn a_turn_completes_an_action_unless_its_target_said_something_else() {
    let id = |text: &str| text.parse::<bus::BusId>().unwrap();
    let mut action = bus::Action {
        seq: Seq(1),
        group_id: id("g"),
        action_id: id("a"),
        action_index: 0,
        sender: agent("ana"),
        target: agent("bo"),
        control: None,
        kind: Some(bus::Kind::User),
        context_id: id("c"),
        owner: agent("ana"),
        depth: 0,
        status: None,
        detail: None,
        new_context_id: None,
        new_task_id: None,
        submitted_at: Timestamp::from_millis(1),
        ended_at: None,
    };
    let mut completes = |status| {
        action.status = status;
        action.complete().is_some()
    };
    assert!(completes(None) && completes(Some(bus::Status::Accepted)));
    for status in bus::Status::ALL.into_iter().filter(|status| *status != bus::Status::Accepted) {
        assert!(!completes(Some(status)), "{status:?}");
    }
    let control = bus::Action { status: None, control: Some(bus::Control::Compact), kind: None, ..action };
    assert_eq!(control.complete(), None);
}
