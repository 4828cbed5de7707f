//! Somebody who locks a room's row from outside and stands still.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
};

use baton_cluster::Programs;
use baton_testkit::Place;

/// A transaction that has a room's row to itself until this is dropped.
pub(crate) struct RoomLock {
    psql: Child,
}

impl RoomLock {
    pub(crate) fn take(place: &Place, room_id: &str) -> Self {
        let mut command = Command::new(Programs::find().unwrap().directory().join("psql"));
        command.args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", &place.address()]);
        let mut psql = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let ask = format!("BEGIN;\nSELECT room_id FROM baton.rooms WHERE room_id = '{room_id}' FOR UPDATE;\n");
        psql.stdin.as_mut().unwrap().write_all(ask.as_bytes()).unwrap();
        let mut locked = String::new();
        BufReader::new(psql.stdout.as_mut().unwrap()).read_line(&mut locked).unwrap();
        assert_eq!(locked.trim_end(), room_id);
        Self { psql }
    }

    /// Lets go, and returns when the server has.
    pub(crate) fn release(mut self) {
        // At the end of its input psql leaves, and its transaction with it.
        drop(self.psql.stdin.take());
        assert!(self.psql.wait().unwrap().success());
    }
}

impl Drop for RoomLock {
    fn drop(&mut self) {
        let _ = self.psql.kill();
        let _ = self.psql.wait();
    }
}
