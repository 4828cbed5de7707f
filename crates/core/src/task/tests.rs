//! Who moves a task from where to where, and how its id is written.

use super::{Drafted, Event, Refusal, State, Task, TaskId};
use crate::{
    code::ErrorCode,
    event::Recorded,
    ids::{AgentId, Seq},
    lease::Fence,
    limits,
    part::Rows,
    time::Timestamp,
};

fn agent(name: &str) -> AgentId {
    name.parse().unwrap()
}

/// The tasks of a room, and how many events they come from.
#[derive(Default)]
struct Board {
    tasks: Rows<Task>,
    events: u64,
}

impl Board {
    /// One task, of nobody or of somebody.
    fn with(assignee: Option<&str>) -> Self {
        let mut board = Self::default();
        let drafted = Drafted {
            title: " Fix it ".to_owned(),
            scopes: vec!["src".to_owned()],
            assignee: assignee.map(agent),
            definition_of_done: None,
            verification: Vec::new(),
        };
        board.happens("ana", Ok(Some(drafted.create(TaskId(1)).unwrap()))).unwrap();
        board
    }

    fn task(&self) -> &Task {
        self.tasks.nth(0)
    }

    /// Folds what was decided, and tells how the task is then.
    fn happens(&mut self, by: &str, decided: Result<Option<Event>, Refusal>) -> Result<String, Refusal> {
        if let Some(event) = decided? {
            self.events += 1;
            self.tasks.apply(&Recorded {
                overridden: false,
                room_id: "room_1".parse().unwrap(),
                seq: Seq(self.events),
                at: Timestamp::from_millis(self.events as i64),
                actor: agent(by),
                turn: Fence(0),
                event: event.into(),
            });
        }
        let task = self.task();
        let assignee = task.assignee.as_ref().map_or("nobody", AgentId::as_str);
        Ok(format!("{} {assignee}", task.state.as_str()))
    }

    fn start(&mut self, by: &str) -> Result<String, Refusal> {
        let decided = self.task().start(&agent(by), &[]);
        self.happens(by, decided)
    }

    fn finish(&mut self, by: &str) -> Result<String, Refusal> {
        let decided = self.task().finish(&agent(by));
        self.happens(by, decided)
    }

    fn assign(&mut self, by: &str, to: Option<&str>) -> Result<String, Refusal> {
        let decided = self.task().assign(to.map(agent).as_ref());
        self.happens(by, decided)
    }
}

#[test]
fn a_task_is_open_then_in_progress_then_done() {
    let mut board = Board::with(None);
    assert_eq!((board.task().title.as_str(), board.task().state), ("Fix it", State::Open));
    assert_eq!(board.start("codex").unwrap(), "in_progress codex", "one that nobody has becomes the starter's");
    assert_eq!(board.finish("codex").unwrap(), "done codex");
    assert_eq!(
        (board.task().created_at, board.task().updated_at),
        (Timestamp::from_millis(1), Timestamp::from_millis(3))
    );
}

#[test]
fn only_its_assignee_begins_or_ends_a_task() {
    let mut board = Board::with(Some("codex"));
    for refused in [board.start("claude"), board.finish("claude")] {
        let refused = refused.unwrap_err();
        assert_eq!(
            (refused.code(), &*refused.to_string()),
            (ErrorCode::PreconditionFailed, "TASK-001 is assigned to codex.")
        );
    }
    assert_eq!(board.start("codex").unwrap(), "in_progress codex");
    assert_eq!(board.assign("claude", Some("claude")).unwrap(), "in_progress claude", "anybody may give it away");
    assert!(board.finish("codex").is_err());
    assert_eq!(board.finish("claude").unwrap(), "done claude");
}

#[test]
fn what_is_so_already_is_no_event() {
    let mut board = Board::with(Some("codex"));
    for _ in 0..2 {
        board.assign("ana", Some("codex")).unwrap();
        board.start("codex").unwrap();
    }
    board.finish("codex").unwrap();
    board.finish("codex").unwrap();
    assert_eq!(board.events, 3, "created, started, done");
}

#[test]
fn a_task_that_is_over_cannot_be_begun_or_given_away() {
    let mut board = Board::with(Some("codex"));
    board.finish("codex").unwrap();
    for refused in [board.start("codex"), board.assign("ana", Some("claude")), board.assign("ana", None)] {
        assert!(matches!(refused, Err(Refusal::WrongState { state: State::Done, .. })), "{refused:?}");
    }
}

#[test]
fn a_task_in_progress_that_nobody_has_any_more_is_open() {
    let mut board = Board::with(Some("codex"));
    board.start("codex").unwrap();
    assert_eq!(board.assign("ana", None).unwrap(), "open nobody");
    assert_eq!(board.start("claude").unwrap(), "in_progress claude");
}

#[test]
fn where_a_task_is_may_be_said_when_it_begins() {
    let mut board = Board::with(Some("codex"));
    let decided = board.task().start(&agent("codex"), &["docs".to_owned()]);
    board.happens("codex", decided).unwrap();
    assert_eq!(board.task().scopes, ["docs"]);
    let again = board.task().start(&agent("codex"), &["docs".to_owned()]);
    assert_eq!(again, Ok(None));
    board.start("codex").unwrap();
    assert_eq!(board.task().scopes, ["docs"], "what is not said again stays");
}

#[test]
fn a_title_says_something_and_not_too_much() {
    let create = |title: &str| {
        Drafted {
            title: title.to_owned(),
            scopes: Vec::new(),
            assignee: None,
            definition_of_done: None,
            verification: Vec::new(),
        }
        .create(TaskId(1))
    };
    for bad in ["", " \n ", &"x".repeat(limits::TASK_TITLE_BYTES + 1)] {
        let refused = create(bad).unwrap_err();
        assert!(matches!(refused, Refusal::InvalidTitle { field: "title", .. }), "{refused}");
        assert_eq!(refused.code(), ErrorCode::InvalidArgs);
    }
    assert!(create(&"x".repeat(limits::TASK_TITLE_BYTES)).is_ok());
}

#[test]
fn ids_have_three_digits_or_as_many_as_they_need() {
    for (text, number, shown) in [
        ("TASK-001", 1, "TASK-001"),
        ("task-7", 7, "TASK-007"),
        ("TASK-1000", 1000, "TASK-1000"),
        ("TASK-000000012", 12, "TASK-012"),
    ] {
        let id: TaskId = text.parse().unwrap();
        assert_eq!((id, &*id.to_string()), (TaskId(number), shown));
        assert_eq!(id.bead_id().as_str(), shown);
        assert_eq!(serde_json::from_value::<TaskId>(serde_json::json!(shown)).unwrap(), id);
    }
    for bad in ["", "TASK-", "TASK-0", "TASK-+1", "TASK- 1", "TASK-1.5", "TASK-0000000001", "bb-1", "TÄSK-1", "001"] {
        assert!(bad.parse::<TaskId>().is_err(), "{bad:?}");
    }
}
