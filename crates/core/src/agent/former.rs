//! Names that somebody had and has no more. They are not given out again: only their own agent, or who adopts them, may
//! use them.

use crate::{
    event::Recorded,
    ids::{AgentId, Role},
    part::{Part, Rows, Touched},
    room::{Event, Room},
    time::Timestamp,
};

/// A name, and who had it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Former {
    /// The name.
    pub name: String,
    /// Who had it.
    pub agent_id: AgentId,
    /// What for.
    pub role: Option<Role>,
    /// Until when.
    pub until: Timestamp,
    /// Whether its agent was retired: its process was gone, and it did not leave by itself.
    pub retired: bool,
    /// The credential that its agent came with.
    pub added_by: Option<String>,
}

/// Names that an event gives to members, and takes from them.
#[derive(Default)]
struct Given {
    /// A name that is in use from now on.
    up: Option<String>,
    /// A name that is not in use any more.
    away: Option<Former>,
}

impl Given {
    fn by(before: &Room, recorded: &Recorded) -> Self {
        let Some(event) = recorded.event.room() else { return Self::default() };
        let at = recorded.at;
        let retired = matches!(event, Event::Left(left) if left.retired.is_some());
        let former = |agent: &AgentId| {
            before.member(agent).map(|member| Former {
                name: member.display_name.clone(),
                agent_id: member.agent_id.clone(),
                role: member.role.clone(),
                until: at,
                retired,
                added_by: member.added_by.clone(),
            })
        };
        match event {
            Event::Joined(joined) => Self { up: Some(joined.display_name.clone()), away: None },
            Event::Left(left) => Self { up: None, away: former(&left.agent_id) },
            Event::Registered(registered) => {
                let away = former(&registered.agent_id).filter(|former| former.name != registered.display_name);
                Self { up: Some(registered.display_name.clone()), away }
            }
            // The one adopted keeps nothing; what the adopter was called before is nobody's name now.
            Event::Resumed(resumed) => {
                let away = former(&resumed.agent_id).filter(|former| former.name != resumed.adopted_agent);
                Self { up: Some(resumed.adopted_agent.clone()), away }
            }
            Event::Created(_)
            | Event::Reordered(_)
            | Event::Rested(_)
            | Event::WakeChosen(_)
            | Event::Claimed(_)
            | Event::Released(_)
            | Event::Passed(_)
            | Event::TakenOver(_)
            | Event::Noted(_)
            | Event::PolicySet(_)
            | Event::Renamed(_)
            | Event::Closed(_) => Self::default(),
        }
    }
}

impl Part for Former {
    type Key = String;

    fn key(&self) -> String {
        self.name.clone()
    }

    fn touched(event: &Recorded, before: &Room) -> Touched<String> {
        let Given { up, away } = Given::by(before, event);
        match (up, away.map(|former| former.name)) {
            (None, None) => Touched::Nothing,
            (up, away) => Touched::Rows(up.into_iter().chain(away).collect()),
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, before: &Room) {
        let Given { up, away } = Given::by(before, event);
        if let Some(name) = up {
            rows.remove(&name);
        }
        if let Some(former) = away {
            rows.put(former);
        }
    }
}
