//! Where a server's directory is made.

use std::{env, path::PathBuf};

use crate::Durability;

/// A filesystem in memory, on every Linux.
const MEMORY: &str = "/dev/shm";
/// Room for some hundred databases of eight megabytes, their log, and then as much again for others.
const ROOM_BYTES_MIN: u64 = 4 << 30;

/// In memory where nothing has to survive the machine and there is plenty: a new database is three hundred new files,
/// which take ten times as long on a disk that other tests keep busy.
pub(crate) fn for_server(durability: Durability) -> PathBuf {
    let room = rustix::fs::statvfs(MEMORY).map_or(0, |memory| memory.f_bavail.saturating_mul(memory.f_frsize));
    match durability {
        Durability::Fast if room >= ROOM_BYTES_MIN => PathBuf::from(MEMORY),
        Durability::Fast | Durability::Safe => env::temp_dir(),
    }
}
