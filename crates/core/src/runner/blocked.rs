//! Why nobody here can do a job that waits, and what to do about it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Capabilities, Runner, can_do};
use crate::{
    job::{Executor, Job, Routing, Status},
    time::Timestamp,
};

/// Whether a job that cannot be done now may be done later without anybody's help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Lasts {
    /// No runner is here yet. Nothing is wrong with the job, and the radar's head says the same of all jobs.
    UntilRunner,
    /// The executor may work again.
    ForNow,
    /// Somebody has to change something.
    UntilMended,
}

/// Why nobody here does a job that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Blocked {
    /// In a sentence.
    pub reason: String,
    /// What to do.
    pub next: String,
    /// Whether it may pass by itself.
    pub lasts: Lasts,
}

impl Blocked {
    /// The marker that it has on the radar, if any.
    pub const fn sign(&self) -> Option<char> {
        match self.lasts {
            Lasts::UntilRunner => None,
            Lasts::ForNow => Some('~'),
            Lasts::UntilMended => Some('!'),
        }
    }
}

/// The runners of a room.
#[derive(Clone, Copy, Debug)]
pub struct Crew<'a> {
    /// Those that are here.
    pub present: &'a [Runner],
    /// The last words of a runner that was started for the room and did not come up.
    pub failed_start: Option<&'a str>,
}

/// Tells why no runner of `crew` can do `job`, which waits. Nothing, if one of them can, now or after what it is at.
/// `command` makes a command line of Baton's that can be pasted anywhere.
pub fn blocked(now: Timestamp, job: &Job, crew: Crew<'_>, command: &dyn Fn(&str) -> String) -> Option<Blocked> {
    let Crew { present, failed_start } = crew;
    if job.status != Status::Queued {
        return None;
    }
    if present.is_empty() {
        let (reason, lasts) = match failed_start {
            Some(words) => (format!("No runner is here, and none could be started: {words}"), Lasts::UntilMended),
            None => ("No runner is here.".to_owned(), Lasts::UntilRunner),
        };
        return Some(Blocked { reason, next: command("run"), lasts });
    }
    // One that never said what it can do may do anything.
    let said: Option<Vec<(&Runner, &Capabilities)>> =
        present.iter().map(|runner| Some((runner, runner.capabilities.as_ref()?))).collect();
    let said = said?;
    // Also one that is due to be tried again is in trouble until it was: the runner may have no place for the try.
    if said.iter().any(|(_, can)| !can_do(&can.untroubled(), &job.routing).is_empty()) {
        return None;
    }
    Some(in_trouble(now, job, &said, command).unwrap_or_else(|| lacking(&job.routing, &said)))
}

/// The trouble of an executor that could do it otherwise; of several the one that passes by itself.
fn in_trouble(
    now: Timestamp,
    job: &Job,
    said: &[(&Runner, &Capabilities)],
    command: &dyn Fn(&str) -> String,
) -> Option<Blocked> {
    let able =
        said.iter().flat_map(|(runner, can)| can_do(can, &job.routing).into_iter().map(move |of| (runner, *can, of)));
    let troubles = able.filter_map(|(runner, can, of)| {
        let (_, trouble) = can.troubles().find(|(executor, _)| *executor == of)?;
        Some((runner, of, trouble))
    });
    let (runner, executor, trouble) =
        troubles.min_by_key(|(_, _, trouble)| (!trouble.kind.may_pass(), trouble.next_probe_at.is_none()))?;
    let probe = match trouble.next_probe_at {
        _ if trouble.is_probed(now) => " It is tried again with the runner's next job.".to_owned(),
        Some(next) => format!(" It is tried again at {next}."),
        None => String::new(),
    };
    let is_missing = trouble.kind == super::TroubleKind::Missing;
    let reset = if is_missing {
        String::new()
    } else {
        format!(" Then: {}", command(&format!("job runner reset {}", runner.id)))
    };
    Some(Blocked {
        reason: format!("{} (runner {}).{probe}", trouble.words(executor).trim_end_matches('.'), runner.id),
        next: format!("{}{reset}", trouble.kind.remedy(executor)),
        lasts: if is_missing { Lasts::UntilMended } else { Lasts::ForNow },
    })
}

/// The thing that all runners lack.
fn lacking(routing: &Routing, said: &[(&Runner, &Capabilities)]) -> Blocked {
    let (executor, profile) = (routing.executor, routing.profile());
    let has = |can: &Capabilities| {
        let is_wanted = |of: Executor| routing.executor.executor().is_none_or(|wanted| wanted == of);
        can.executors.iter().any(|ability| is_wanted(ability.executor))
    };
    let reason = match () {
        () if !said.iter().any(|(_, can)| has(can)) => format!("No runner here has {executor}."),
        () if !routing.expected_artifacts.is_empty() && !said.iter().any(|(_, can)| can.supports_artifacts) => {
            "The job is to leave artifacts behind, and no runner here keeps any.".to_owned()
        }
        () if routing.policy.is_some() => {
            format!("No runner here has what the job's policy allows, with profile {profile}.")
        }
        () => format!("No runner here has {executor} with profile {profile}."),
    };
    let next = "Start a runner that has it (baton run), or cancel the job and create it for an executor that is here.";
    Blocked { reason, next: next.to_owned(), lasts: Lasts::UntilMended }
}
