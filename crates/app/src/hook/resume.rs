//! Resuming: a session whose process ended is told by a runner what would have woken it.
//!
//! The session's row has the conversation, the member its rest. A runner takes a wake in the transaction that notes it as told,
//! so that exactly one runner resumes a session, once for each event and within the bound of wakes; until the runner says that
//! the program ended, or is proven gone itself, nobody else takes another. What is executed is the runner's to know.
//!
//! A session is resumed where its conversation is: on its own machine, by a runner of the same home directory, in its own
//! directory. Not while its process lives, and not if nobody can look at that process.

use std::path::{Path, PathBuf};

use baton_core::{
    ids::{AgentId, RoomId},
    job::job_of,
    limits,
    policy::Resume,
    process::{Liveness, ProcessIdentity, Witness},
    redact::redact,
    reference::Reference,
    room::{Member, Room},
    time::Timestamp,
};
use baton_store::agent_sessions::{self, AgentSession, Resumption, SessionOrigin};
use serde::{Deserialize, Serialize};

use super::{line::line, request, wake};
use crate::{App, Caller, Failure, commands::envelope::called, liveness, unit::Change};

/// Said to a resumed session after the reason: nobody is there to ask, and nobody ends its turn for it.
const RESUMED: &str = "Baton: a runner resumed this session for that, and nobody is at its screen. See to it, release the stick \
                       if you took it, and stop.";

/// The sessions that a runner can resume.
#[derive(Clone, Copy, Debug)]
pub struct ResumeAbility<'a> {
    /// The user's home directory.
    pub home: &'a Path,
    /// The programs that it has.
    pub harnesses: &'a [&'a str],
}

/// A session that a runner is to resume now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DueSession {
    pub agent_id: AgentId,
    /// Its name for people.
    pub name: String,
    /// The program.
    pub harness: String,
    /// The program's own id of the conversation.
    pub conversation: String,
    pub directory: PathBuf,
    /// The prompt: why it is resumed.
    pub text: String,
}

impl App {
    /// Takes the wake of one session that ended and is to be told something, if there is one. It counts as told from then on.
    pub fn take_due_session(
        &self,
        caller: &Caller,
        room: &RoomId,
        can: ResumeAbility<'_>,
    ) -> Result<Option<DueSession>, Failure> {
        let is_due = self.store.read::<_, Failure>(|tx| {
            let (room, now) = (self.room(tx, room)?, tx.now()?);
            if room.policy.resume == Resume::Off {
                return Ok(false);
            }
            let eyes = self.eyes(tx, &room)?;
            for session in agent_sessions::of_room(tx, &room.id)? {
                if is_resumable(&room, &session, now, can, &eyes) && wake::reason(tx, &room, &session, now)?.is_some() {
                    return Ok(true);
                }
            }
            Ok(false)
        })?;
        // Mostly nothing is to be told, and then nothing is written.
        if !is_due {
            return Ok(None);
        }
        self.change(caller, &request("runner.resume"), room, |change| change.take_due_session(can))
    }

    /// Notes that the program of a resumed session ended, with why it failed if it did, and where its output is.
    pub fn end_resumption(
        &self,
        caller: &Caller,
        room: &RoomId,
        agent: &AgentId,
        failure: Option<&str>,
        output: Option<&Reference>,
    ) -> Result<(), Failure> {
        self.change(caller, &request("runner.resumed"), room, |change| {
            // Its program may have ended without a word.
            change.retire_gone()?;
            let Some(mut session) = agent_sessions::find(change.store.tx()?, &change.room.id, agent)? else {
                return Ok(());
            };
            let ended = failure.map_or_else(Resumption::default, failed);
            session.resumption = Some(Resumption { output: output.cloned(), ..ended });
            change.save_session(&session)
        })
    }

    /// The living processes of sessions that such a runner may resume once they ended.
    pub fn resumable_processes(&self, room: &RoomId, can: ResumeAbility<'_>) -> Result<Vec<ProcessIdentity>, Failure> {
        self.store.read(|tx| {
            let room = self.room(tx, room)?;
            if room.policy.resume == Resume::Off {
                return Ok(Vec::new());
            }
            let sessions = agent_sessions::of_room(tx, &room.id)?;
            let own = sessions.iter().filter(|session| session.origin.as_ref().is_some_and(|origin| can.has(origin)));
            let members = own.filter_map(|session| room.member(&session.agent_id));
            let processes = members.filter_map(|member| member.process.clone());
            Ok(processes.filter(|process| !self.probe.liveness(process).is_gone()).collect())
        })
    }
}

impl Change<'_> {
    fn take_due_session(&mut self, can: ResumeAbility<'_>) -> Result<Option<DueSession>, Failure> {
        // Members that died without a word rest from now on.
        self.retire_gone()?;
        for mut session in agent_sessions::of_room(self.store.tx()?, &self.room.id)? {
            let is_resting =
                self.room.member(&session.agent_id).is_some_and(|member| self.room.is_resting(self.now, member));
            let Some(origin) = session.origin.clone().filter(|_| is_resting) else { continue };
            if !is_resumable(&self.room, &session, self.now, can, self.witness) {
                continue;
            }
            let Some(text) = self.wake(&mut session)? else { continue };
            let is_there = Path::new(&origin.directory).is_dir();
            session.resumption = Some(match is_there {
                true => Resumption { runner: self.actor.process.clone(), ..Resumption::default() },
                false => failed(&format!("its directory {} is gone", origin.directory)),
            });
            self.save_session(&session)?;
            if is_there {
                return Ok(Some(DueSession {
                    name: called(&self.room, &session.agent_id),
                    agent_id: session.agent_id,
                    harness: origin.harness,
                    conversation: origin.conversation,
                    directory: origin.directory.into(),
                    text: format!("{text}\n{RESUMED}"),
                }));
            }
        }
        Ok(None)
    }
}

impl ResumeAbility<'_> {
    /// Whether a conversation is on this machine, in this home, and of a program that is there.
    fn has(self, origin: &SessionOrigin) -> bool {
        liveness::this_host() == Some(origin.host_id.as_str())
            && self.home == Path::new(&origin.home)
            && self.harnesses.contains(&origin.harness.as_str())
    }
}

/// Whether a session may be resumed now, if there is something to tell it.
fn is_resumable(
    room: &Room,
    session: &AgentSession,
    now: Timestamp,
    can: ResumeAbility<'_>,
    witness: &dyn Witness,
) -> bool {
    let is_ended = |member: &Member| {
        let rests = room.is_resting(now, member) || member.rest.is_none();
        rests && job_of(&member.agent_id).is_none() && member.liveness(witness).is_gone()
    };
    let runner = session.resumption.as_ref().and_then(|resumption| resumption.runner.as_ref());
    let is_taken = runner.is_some_and(|runner| match witness.liveness(runner) {
        Liveness::Alive => true,
        Liveness::Gone(_) => false,
        Liveness::Unknown => session.woken_at.is_some_and(|at| now.since(at) < limits::RESUMPTION_TTL),
    });
    !is_taken
        && session.origin.as_ref().is_some_and(|origin| can.has(origin))
        && room.member(&session.agent_id).is_some_and(is_ended)
}

fn failed(why: &str) -> Resumption {
    let failure = Some(line(&redact(why), limits::RESUME_FAILURE_CHARS));
    Resumption { failure, ..Resumption::default() }
}
