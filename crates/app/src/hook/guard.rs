//! The guard before a tool call: who may change these files now, and what becomes of a command that cannot be read.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use baton_core::{
    ids::RoomId,
    policy::Guard,
    process::Witness,
    room::Actor,
    scope::{Intent, Refusal, ScopePath, Taking, Verdict, View, Watch, is_alone},
};

use super::{
    missed::WritingCall,
    reason::{self, Fate},
    request,
    touched::{Touched, TouchedRooms},
    welcome,
};
use crate::{
    App, Caller, Failure,
    app::Sight,
    commands::scope::{Check, CheckInput},
    identity::Employment,
    paths::{self, LastLink},
    presence::{self, Effort},
    scoping,
    table::UseCase,
    tree::Received,
};

/// A call of a tool, in words that no program has for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolUse {
    /// Files that will be changed, absolute or from the session's directory.
    Edit(Vec<String>),
    /// A shell command, which starts in the session's directory.
    Shell(String),
}

/// Whether a command may be rewritten so that it runs confined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// It can, and nobody's permission rules are defeated by it.
    Allowed,
    /// A person approves commands as they are written.
    Unwanted,
    /// This machine cannot confine.
    Unavailable,
}

/// The guard's answer to a tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuardAnswer {
    /// Nothing is in the way.
    Pass,
    /// It passes, and the model is told this.
    Tell(String),
    /// It does not pass, for this reason.
    Refuse(String),
    /// The command is to run confined in this room.
    Confine(RoomId),
    /// It passes, and the working tree of this room is to be compared before and after.
    Compare(RoomId),
}

impl App {
    /// Decides about a tool call of the caller, a sub-agent of `main` if that is somebody else.
    pub fn guard(
        &self,
        caller: &Caller,
        main: Option<&Caller>,
        tool: &ToolUse,
        confinement: Confinement,
    ) -> Result<GuardAnswer, Failure> {
        let mut answer = GuardAnswer::Pass;
        for (room, touched) in TouchedRooms::of(self, caller, tool)? {
            let found = self.guard_room((caller, main), tool, &room, &touched, confinement)?;
            answer = worse(answer, found);
        }
        Ok(answer)
    }

    fn guard_room(
        &self,
        (caller, main): (&Caller, Option<&Caller>),
        tool: &ToolUse,
        room: &RoomId,
        touched: &Touched,
        confinement: Confinement,
    ) -> Result<GuardAnswer, Failure> {
        let main = main.unwrap_or(caller);
        let (mut sight, found) = self.see_with_scopes(room)?;
        if sight.room.policy.guard == Guard::Off {
            return Ok(GuardAnswer::Pass);
        }
        presence::refresh(self, main, &mut sight.room, sight.now, Effort::Try)?;
        let session = self.is_at_work(main, room)?;
        let root = scoping::root(&sight.room)?;
        let is_job = *caller.employment() != Employment::None;
        let paths: Vec<ScopePath> =
            touched.paths.iter().filter_map(|path| self.inside(&sight, &root, path, is_job)).collect();
        let by: Vec<Actor> =
            [main.actor(), caller.actor()].into_iter().take(if is_same(main, caller) { 1 } else { 2 }).collect();
        let view = View {
            room: &sight.room,
            root: &root,
            now: sight.now,
            stale_after: self.stale_after_or_default(),
            witness: &sight.eyes,
        };
        let you = &main.actor().agent_id;
        let policy = sight.room.policy.guard;
        let fate = if policy == Guard::Warn { Fate::GoesOn } else { Fate::Stopped };
        let index = (touched.index && !is_job).then_some(Intent::Index);
        let unread = touched.unread && !is_job;
        let names: Vec<String> = paths.iter().map(|path| path.shown(&root)).collect();
        let writes = !paths.is_empty() || index.is_some() || unread;
        let call = WritingCall::new((main, caller), (&root, &found), &paths, (tool, sight.now));
        let mut to_take = None;
        for intent in [Intent::Edit(&paths)].into_iter().chain(index) {
            match found.guard(view, &by, intent) {
                Verdict::Refused(refusal) => {
                    self.note_collision(main, &sight, &refusal, &touched.paths);
                    let text = reason::refusal(&sight.room, &refusal, you, sight.now, fate);
                    return Ok(if fate == Fate::GoesOn { GuardAnswer::Tell(text) } else { GuardAnswer::Refuse(text) });
                }
                Verdict::Take(taking) => to_take = Some(taking),
                Verdict::Free | Verdict::Watch(_) => {}
            }
        }
        // Other members' commands that cannot be read are confined or compared.
        if writes && fate == Fate::Stopped && (!paths.is_empty() || is_alone(view, &by)) {
            let now = (sight.now, &sight.eyes as &dyn Witness);
            // Mostly nothing was missed, and then nothing is written.
            if self.store.read(|tx| call.has_missed(tx, &sight.room, session.as_ref(), now))?
                && let Some(work) =
                    self.change(main, &request("hook.stop_edit"), room, |change| change.stop_after_missed_work(&call))?
            {
                return Ok(GuardAnswer::Refuse(reason::missed(&work, &names)));
            }
        }
        if let Some(taking) = to_take {
            return self.take_for(&call, room, taking, &names);
        }
        // An edit of files that are the agent's own says nothing about the rest of a command.
        if !unread {
            return Ok(GuardAnswer::Pass);
        }
        let Verdict::Watch(watch) = found.guard(view, &by, Intent::Unread) else { return Ok(GuardAnswer::Pass) };
        Ok(match (policy, confinement, watch) {
            (Guard::Strict, Confinement::Allowed | Confinement::Unwanted, _)
            | (Guard::On, Confinement::Allowed, Watch::Room) => GuardAnswer::Confine(room.clone()),
            (Guard::Strict, Confinement::Unavailable, Watch::Room) => {
                let needed = Refusal::StickNeeded {
                    holder: sight.room.owner().cloned(),
                    held_until: sight.room.ownership().map(|held| held.lease.expires_at),
                    kept_for: sight.room.reservation().map(|kept| kept.recipient.clone()),
                    is_own: false,
                    not_reserved: 0,
                    paths: Vec::new(),
                };
                GuardAnswer::Refuse(reason::refusal(&sight.room, &needed, you, sight.now, Fate::Stopped))
            }
            // Confined, a holder could create nothing beside a foreign scope, and the stick is there to work with.
            _ => GuardAnswer::Compare(room.clone()),
        })
    }

    /// A path of the room. A job works in a copy of its own, which is not the room's tree, though it shares the room.
    fn inside(&self, sight: &Sight<'_>, root: &ScopePath, path: &Path, is_job: bool) -> Option<ScopePath> {
        if is_job {
            let real = paths::followed(path, LastLink::Followed);
            let tree = sight.room.canonical_path.as_deref()?;
            if !real.starts_with(tree) {
                return None;
            }
        }
        // Links that are to be followed were; one that is left is itself what is changed.
        self.committed_path(root, "path", path.to_str()?).ok().flatten()
    }

    /// Puts a refused edit of somebody's scope on record, as `scope check` does. The refusal stands without it.
    fn note_collision(&self, caller: &Caller, sight: &Sight<'_>, refusal: &Refusal, paths: &BTreeSet<PathBuf>) {
        if matches!(refusal, Refusal::Conflict(_) | Refusal::StaleFound(_)) {
            let paths = paths.iter().filter_map(|path| path.to_str().map(str::to_owned)).collect();
            let input = CheckInput { room_id: sight.room.id.clone(), paths, active_only: false, committed: false };
            let _ = Check::perform(self, caller, input);
        }
    }

    /// Takes the stick for an agent that is alone, until the end of its own turn, and tells what comes with it. Work that came
    /// and went since the look stops the call instead.
    fn take_for(
        &self,
        call: &WritingCall<'_>,
        room: &RoomId,
        taking: Taking,
        paths: &[String],
    ) -> Result<GuardAnswer, Failure> {
        let mut received = None;
        let taken = self.change(call.main, &request("hook.take"), room, |change| {
            received = None;
            if change.room.policy.guard != Guard::Warn
                && let Some(work) = change.stop_after_missed_work(call)?
            {
                return Ok(Err(work));
            }
            change.join(None, None)?;
            let lease_id = self.ids.lease_id()?;
            let lost_by = change.room.owner().cloned();
            match taking {
                Taking::Claim => drop(change.decide(|room, call| room.claim(call, &lease_id))?),
                Taking::Takeover => {
                    let reason = "an edit by an agent that is alone here";
                    change.decide(|room, call| room.take_over(call, room.turn, reason, &lease_id))?;
                }
            }
            if let Some(lost_by) = &lost_by {
                change.lose_if_lost(lost_by)?;
            }
            let handoff = change.received_handoff()?;
            let told = match &handoff {
                Some(handoff) => welcome::handoff_of_another(change, handoff)?,
                None => None,
            };
            received = Received::of(&change.room, handoff, lost_by);
            let mut session = change.session()?;
            session.taken_turn = Some(change.room.turn);
            change.save_session(&session)?;
            Ok(Ok((change.room.turn, told)))
        })?;
        let (turn, handoff) = match taken {
            Ok(taken) => taken,
            Err(work) => return Ok(GuardAnswer::Refuse(reason::missed(&work, paths))),
        };
        let drift = received.and_then(|received| self.drift_since(call.main, &received));
        let mut lines = vec![format!(
            "Baton: you are alone in this room, so the stick was taken for your edit (turn {turn}). It is given back when you stop; \
             to leave a handoff, call release_stick before that"
        )];
        lines.extend(handoff);
        lines.extend(drift.map(|drift| drift.in_words()));
        Ok(GuardAnswer::Tell(lines.join(".\n")))
    }
}

fn is_same(one: &Caller, other: &Caller) -> bool {
    one.actor().agent_id == other.actor().agent_id
}

/// The answer for several rooms: the one that stops most.
fn worse(one: GuardAnswer, other: GuardAnswer) -> GuardAnswer {
    let weight = |answer: &GuardAnswer| match answer {
        GuardAnswer::Pass => 0,
        GuardAnswer::Tell(_) => 1,
        GuardAnswer::Compare(_) => 2,
        GuardAnswer::Confine(_) => 3,
        GuardAnswer::Refuse(_) => 4,
    };
    if weight(&other) > weight(&one) { other } else { one }
}
