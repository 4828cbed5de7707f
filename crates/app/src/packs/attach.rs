//! The pack that goes with the stick.
//!
//! It is built before the transaction that hands the stick on, and put on record within it: either both happened or neither.

use baton_core::{code::ErrorCode, context::Budget, handoff::Handoff, ids::RoomId, lease::Fence, reference::Reference};

use super::{Base, Gathering, Prepared};
use crate::{App, Caller, Failure, refs, unit::Change};

/// What goes with a handoff.
pub(crate) enum Attached {
    /// What it says, if anything.
    AsGiven,
    /// Nothing, because the handoff will be refused.
    Nothing,
    /// A pack that was built for it.
    Built(Box<Prepared>),
}

impl App {
    /// Builds the pack that a handoff asks for. `to` is whom the stick is passed to; without it, whoever is next.
    pub(crate) fn attach(
        &self,
        caller: &Caller,
        (room, turn): (&RoomId, Fence),
        handoff: &Handoff,
        to: Option<&str>,
    ) -> Result<Attached, Failure> {
        if handoff.context_ref.as_deref() != Some(Handoff::AUTO) {
            return Ok(Attached::AsGiven);
        }
        let sight = self.see(room)?;
        let after = caller.actor().agent_id;
        let bare = Handoff { context_ref: None, ..handoff.clone() };
        let holds = sight.room.owner() == Some(&after) && sight.room.turn == turn;
        // Who does not hold the stick is told so by the decision; nothing needs to be looked up for that.
        if !holds || bare.check().is_err() {
            return Ok(Attached::Nothing);
        }
        let next = || sight.room.next_active_after(sight.now, &after, &sight.eyes);
        let named = to.and_then(|to| sight.room.named(to)).map(|member| member.agent_id.clone());
        let node = named.or_else(next).unwrap_or_else(|| after.clone());
        let gathering = Gathering {
            node,
            after,
            handing_on: Some((&bare, sight.now)),
            files: &[],
            base: Base::Last,
            budget: Budget::default(),
        };
        let gathered = self.build_pack(caller, &sight.room, &gathering)?;
        Ok(Attached::Built(Box::new(self.prepare_pack(gathered.pack)?)))
    }
}

impl Attached {
    /// The handoff as it is stored, with the pack on record that it points to.
    pub(crate) fn put_with(&self, handoff: &Handoff, change: &mut Change<'_>) -> Result<Handoff, Failure> {
        let context_ref = match self {
            Self::AsGiven => {
                if let Some(Ok(reference @ Reference::Pack(_))) = handoff.context_ref.as_deref().map(str::parse)
                    && !refs::resolve(change.store.tx()?, &change.room.id, &reference)?
                {
                    let message = format!("There is no {reference} in this room.");
                    return Err(Failure::new(ErrorCode::UnknownId, message)
                        .with("field", "handoff.context_ref")
                        .advising("Build one with `context build`, or give \"auto\"."));
                }
                handoff.context_ref.clone()
            }
            Self::Nothing => None,
            Self::Built(prepared) => {
                change.keep_pack(prepared)?;
                Some(prepared.reference().to_string())
            }
        };
        Ok(Handoff { context_ref, ..handoff.clone() })
    }
}
