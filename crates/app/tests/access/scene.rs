//! A room with somebody in every role.

use baton_app::{Caller, Cancel, Rights, table::Role};
use baton_core::{ids::RoomId, process::SessionKind, room::Actor};
use baton_testkit::{Agent, TestApp, Turn};
use serde_json::{Value, json};

/// A session in which `founder` holds the stick, and somebody else is there in one role.
pub(crate) struct Scene<'a> {
    pub(crate) app: &'a TestApp,
    pub(crate) room: RoomId,
    pub(crate) founder: Agent<'a>,
    /// Somebody in the role that is looked at.
    pub(crate) caller: Agent<'a>,
    /// Its turn if it is the owner, else the founder's.
    pub(crate) turn: Turn,
}

/// The job that a job's agent works on.
pub(crate) const OWN_JOB: &str = "JOB-001";
/// A job that is nobody's.
pub(crate) const OTHER_JOB: &str = "JOB-002";

impl<'a> Scene<'a> {
    pub(crate) fn of(app: &'a TestApp, role: Role) -> Self {
        let founder = app.agent("founder");
        let opened = founder.does("bus.open", json!({}));
        let room: RoomId = opened["session"]["id"].as_str().unwrap().parse().unwrap();
        enter(&founder, &room);
        for title in ["one", "two"] {
            founder.does("jobs.create", json!({"title": title, "prompt": "Do it."}));
        }
        let caller = match role {
            Role::Viewer => app.calling(app.agent("viewer").caller().clone().with_rights(Rights::Viewer)),
            Role::Agent | Role::Owner => app.agent("ana"),
            Role::JobAgent => app.calling(job_agent(app, &room, OWN_JOB)),
            Role::Operator => app.person("human:eve:pts1"),
        };
        match role {
            Role::Viewer => caller.enter(&room),
            Role::Agent | Role::Owner | Role::JobAgent | Role::Operator => enter(&caller, &room),
        }
        let turn = if role == Role::Owner { caller.claim() } else { founder.claim() };
        Self { app, room, founder, caller, turn }
    }

    /// Has the founder end its turn, and the caller get the stick.
    pub(crate) fn hand_over(&self) -> Turn {
        self.founder.pass(&self.turn, &self.caller);
        self.caller.claim()
    }

    /// The caller in a call that is withdrawn already, so that none waits.
    pub(crate) fn impatient(&self) -> Agent<'a> {
        let cancel = Cancel::new().unwrap();
        cancel.ring();
        self.caller.on_call(cancel)
    }

    /// The agent of a job whose grants allow further agents, and its job.
    pub(crate) fn granted_job(&self) -> (Agent<'a>, String) {
        let grants = json!({"grants": {"spawn_nodes": true}});
        let created =
            self.operator().does("jobs.create", json!({"title": "Lead", "prompt": "Lead it.", "meta": grants}));
        let job = created["job"].as_str().unwrap().to_owned();
        let agent = self.app.calling(job_agent(self.app, &self.room, &job));
        enter(&agent, &self.room);
        (agent, job)
    }

    /// The answer to a runner that claims a job of the room.
    pub(crate) fn claims(&self, job: &str) -> Value {
        claims(self.app, &self.room, job)
    }

    /// An operator in the room.
    pub(crate) fn operator(&self) -> Agent<'a> {
        let operator = self.app.person("human:ina:pts2");
        operator.enter(&self.room);
        operator
    }
}

fn enter(agent: &Agent<'_>, room: &RoomId) {
    agent.enter(room);
    agent.does("bus.add", json!({}));
}

/// The agent of a job that a runner claims.
fn job_agent(app: &TestApp, room: &RoomId, job: &str) -> Caller {
    let program =
        Caller::new(Actor::found("codex".parse().unwrap(), None, SessionKind::McpHarness), app.workspace().at(""));
    baton_testkit::job_agent(&program, &claims(app, room, job))
}

/// The answer to a runner that claims a job.
fn claims(app: &TestApp, room: &RoomId, job: &str) -> Value {
    let runner = app.agent("runner");
    runner.enter(room);
    runner.does("jobs.claim", json!({"job": job, "runner_id": "r1"}))
}
