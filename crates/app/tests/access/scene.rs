//! A room with somebody in every role.

use baton_app::{Caller, Cancel, Rights, identity::Assignment, table::Role};
use baton_core::{ids::RoomId, lease::Fence, process::SessionKind, room::Actor};
use baton_testkit::{Agent, TestApp, Turn};
use serde_json::json;

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
            Role::JobAgent => app.calling(job_agent(app, &room)),
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
fn job_agent(app: &TestApp, room: &RoomId) -> Caller {
    let runner = app.agent("runner");
    runner.enter(room);
    let claimed = runner.does("jobs.claim", json!({"job": OWN_JOB, "runner_id": "r1"}));
    let revision = Fence(claimed["job"]["revision"].as_u64().unwrap());
    let (job, runner) = (OWN_JOB.parse().unwrap(), "r1".parse().unwrap());
    let capability = claimed["capability"].as_str().unwrap().parse().unwrap();
    let assignment = Assignment { room: room.clone(), job, revision, runner, capability };
    let (agent_id, session_kind) = (assignment.agent_id(), SessionKind::McpHarness);
    let actor = Actor::found(agent_id, None, session_kind);
    Caller::new(actor, app.workspace().at("")).assigned(Some(assignment))
}
