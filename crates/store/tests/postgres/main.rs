//! What only the Postgres engine has: a network that breaks, other machines, rights, encryption.
//!
//! What both engines promise is tested for both beside this directory. Each test has a database of its own on the
//! tests' server; those that must stop a server, or need one with a password or a certificate, start their own.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

mod bells;
mod commit;
mod contention;
mod errors;
mod loss;
mod opening;
mod silence;
mod standby;
mod support;
mod text;
mod time;
mod tls;

use baton_testkit::Role;

#[test]
#[ignore = "the other process of the tests in this target"]
fn the_other_process() {
    let Some(role) = Role::mine() else { return };
    match role.name.as_str() {
        "stays inside a transaction" => contention::stay_inside(&role),
        "opens a fresh database" => opening::open(&role),
        other => panic!("nobody plays {other}"),
    }
}
