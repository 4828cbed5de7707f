//! What a rule cannot make itself: the time, and ids that nobody can guess.
//!
//! The time is the store's, because everybody who shares it must go by one clock; ids are made here. Both are traits,
//! so that a test walks a week in a microsecond and knows the next id.

use baton_core::{
    code::ErrorCode,
    ids::{InvalidId, LeaseId, RoomId},
    job::Capability,
};

use crate::Failure;

pub use baton_store::{
    boot_clock::BootClock,
    clock::{Clock, SystemClock, Time},
};

/// Makes fresh ids.
pub trait Ids: Send + Sync {
    /// An id for a new room.
    fn room_id(&self) -> Result<RoomId, Failure>;
    /// An id for a new lease. Unguessable: showing it is half of being the owner.
    fn lease_id(&self) -> Result<LeaseId, Failure>;
    /// A secret for a new claim on a job. Unguessable: whoever has it is the job's own agent.
    fn capability(&self) -> Result<Capability, Failure>;
}

/// Ids from the operating system's random numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomIds;

/// 80 bits: enough that no two rooms ever meet, short enough to read out.
const ROOM_CHARS: usize = 16;
/// 130 bits: enough that nobody guesses one.
const LEASE_CHARS: usize = 26;
/// 50 bits: enough that names in one room do not meet, short enough to type.
const WORD_CHARS: usize = 10;

impl Ids for RandomIds {
    fn room_id(&self) -> Result<RoomId, Failure> {
        format!("room_{}", random_text::<ROOM_CHARS>()?).parse().map_err(malformed)
    }

    fn lease_id(&self) -> Result<LeaseId, Failure> {
        format!("lease_{}", random_text::<LEASE_CHARS>()?).parse().map_err(malformed)
    }

    fn capability(&self) -> Result<Capability, Failure> {
        let secret = format!("{}{}", Capability::PREFIX, random_text::<{ Capability::CHARS }>()?);
        secret.parse().map_err(|error| Failure::new(ErrorCode::Internal, format!("{error}.")))
    }
}

/// A word that nobody else comes upon by chance, for the name of something that was given none.
pub fn fresh_word() -> Result<String, Failure> {
    random_text::<WORD_CHARS>()
}

/// Crockford's base 32 in lower case: no letter that looks like a digit.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

fn random_text<const CHARS: usize>() -> Result<String, Failure> {
    let mut bytes = [0; CHARS];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::new(ErrorCode::Internal, format!("There are no random numbers: {error}.")))?;
    // 32 divides 256, so every letter is as likely as any other.
    Ok(bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect())
}

fn malformed(error: InvalidId) -> Failure {
    Failure::new(ErrorCode::Internal, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_ids_have_the_length_that_makes_them_unguessable_and_differ() {
        let (room, lease) = (RandomIds.room_id().unwrap(), RandomIds.lease_id().unwrap());
        assert_eq!((room.as_str().len(), lease.as_str().len()), (5 + 16, 6 + 26));
        assert_ne!(RandomIds.room_id().unwrap(), room);
        assert_ne!(RandomIds.lease_id().unwrap(), lease);
        assert_ne!(fresh_word().unwrap(), fresh_word().unwrap());
        assert_ne!(RandomIds.capability().unwrap(), RandomIds.capability().unwrap());
    }
}
