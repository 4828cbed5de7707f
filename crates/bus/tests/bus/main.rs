//! The bus on a real store and a real socket.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

mod client;
mod credentials;
mod departures;
mod frames;
mod hub;
mod minded;
mod peer;
mod runtimes;
mod serving;
mod streams;
mod world;

use std::{io::Read, os::unix::net::UnixStream};

use baton_testkit::Role;

#[test]
#[ignore = "the other process of these tests"]
fn the_other_process() {
    let Some(role) = Role::mine() else { return };
    match role.name.as_str() {
        "another user" => {
            let mut said = String::new();
            UnixStream::connect(role.directory.join("bus.sock")).unwrap().read_to_string(&mut said).unwrap();
            role.say(said.trim_end());
        }
        "target" => runtimes::target(&role),
        "rival" => runtimes::rival(&role),
        "minded" => minded::play(&role),
        "member" => departures::play_member(&role),
        other => panic!("nobody plays {other}"),
    }
}
