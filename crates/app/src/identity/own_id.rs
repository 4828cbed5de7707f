//! Refuses a caller whose id somebody else has, with a next step in the words of the surface it came by.

use baton_core::{
    code::ErrorCode,
    process::Witness,
    room::{Actor, IdOrigin, Room},
    time::Timestamp,
};

use crate::Failure;

/// Refuses a caller whose id another live process, or another credential, has in `room`.
pub(crate) fn require_own_id(room: &Room, now: Timestamp, by: &Actor, witness: &dyn Witness) -> Result<(), Failure> {
    room.require_own_id(now, by, witness).map_err(|refusal| advised(refusal.into(), by))
}

/// A refusal with what a caller can do whose id is another's.
pub(crate) fn advised(failure: Failure, by: &Actor) -> Failure {
    if failure.code != ErrorCode::IdInUse {
        return failure;
    }
    match (&by.via, by.origin) {
        (Some(_), IdOrigin::Chosen | IdOrigin::Bound) => {
            failure.advising("Leave `Baton-Agent` out, or name an agent that your token added or is bound to.")
        }
        (Some(_), IdOrigin::Found) => {
            failure.advising("Use the token that added it, or go on in a conversation of your own.")
        }
        (None, IdOrigin::Chosen) => {
            failure.advising("Choose another id with `agent.add`, or speak from the process that has this one.")
        }
        (None, IdOrigin::Found) => {
            failure.advising("Call again once that process has ended, or go on in a conversation of your own.")
        }
        (_, IdOrigin::Override) | (None, IdOrigin::Bound) => failure,
    }
}
