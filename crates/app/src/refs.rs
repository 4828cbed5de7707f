//! References as callers write them, and whether they lead anywhere.
//!
//! A reference that leads nowhere is no proof of anything and helps nobody who follows it, so it is refused before it is
//! stored. A receipt (`CMD: …`, `LINK: …`) says what was done outside, and is taken at its word.

use baton_core::{code::ErrorCode, ids::RoomId, limits, reference::Reference};
use baton_store::{engine::Tx, references};

use crate::Failure;

/// Reads references as callers write them. Each is kept once, where it first stands.
pub(crate) fn parse(texts: &[String]) -> Result<Vec<Reference>, Failure> {
    if texts.len() > limits::REFERENCES {
        let message = format!("refs: {} are too many; at most {}.", texts.len(), limits::REFERENCES);
        return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "refs"));
    }
    let mut refs = Vec::new();
    for text in texts {
        let reference = text
            .parse::<Reference>()
            .map_err(|error| Failure::new(ErrorCode::InvalidInput, format!("refs: {error}.")).with("field", "refs"))?;
        if !refs.contains(&reference) {
            refs.push(reference);
        }
    }
    Ok(refs)
}

/// Whether a reference leads anywhere in `room`.
pub(crate) fn resolve(tx: &mut dyn Tx, room: &RoomId, reference: &Reference) -> Result<bool, Failure> {
    Ok(references::lead_somewhere(tx, room, std::slice::from_ref(reference))?.contains(&true))
}

/// Those of `refs` that lead somewhere in `room`, for what was only found in a text.
pub(crate) fn resolving(tx: &mut dyn Tx, room: &RoomId, refs: Vec<Reference>) -> Result<Vec<Reference>, Failure> {
    let leads = references::lead_somewhere(tx, room, &refs)?;
    Ok(refs.into_iter().zip(leads).filter(|(_, leads)| *leads).map(|(reference, _)| reference).collect())
}

/// Refuses references that lead nowhere in `room`, and names them.
pub(crate) fn require(tx: &mut dyn Tx, room: &RoomId, refs: &[Reference]) -> Result<(), Failure> {
    let leads = references::lead_somewhere(tx, room, refs)?;
    let astray: Vec<String> =
        refs.iter().zip(leads).filter(|(_, leads)| !leads).map(|(reference, _)| reference.to_string()).collect();
    if astray.is_empty() {
        return Ok(());
    }
    let message = format!("These lead nowhere in this room: {}.", astray.join(", "));
    let failure = Failure::new(ErrorCode::UnknownId, message).with("field", "refs");
    let is_anchor = |text: &String| matches!(text.parse(), Ok(Reference::Anchor(_)));
    Err(match astray.iter().find(|text| is_anchor(text)) {
        Some(anchor) => failure.advising(format!("Describe a part of the map first: `tasks anchor.set` {anchor}.")),
        None => failure,
    }
    .with("refs", astray))
}
