//! The dashboard in a real browser: real agents on one side, a person at a page on the other.
//!
//! Every test has a store, a server and a browser of its own ([`stage::play`]), waits for what is to be seen, and fails if
//! the browser complained of anything.

mod answering;
mod barriers;
mod frame;
mod handing_over;
mod hostile;
mod keys;
mod offline;
mod stage;
#[path = "../binary/support/mod.rs"]
#[expect(dead_code, unused_imports, reason = "the tests of the binary, whose it is, use all of it")]
mod support;
mod without_scripts;
