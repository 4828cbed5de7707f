//! The rules, as stories. `scene` has the cast and the clock; each file is a chapter of the contract.

pub(crate) mod action;
mod admin;
mod adoption;
mod handover;
mod identity;
mod occupancy;
mod property;
mod recovery;
mod resting;
mod scene;
mod states;
mod steering;
mod waking;
