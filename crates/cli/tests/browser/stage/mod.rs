//! What these tests stand on: a world with a server, and a person at a browser.

mod asking;
mod person;
pub(crate) mod scene;
mod seats;
mod set;
mod wait;

pub(crate) use person::Person;
pub(crate) use set::{Stage, axe, play};
