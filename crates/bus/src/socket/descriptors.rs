//! How many connections the operating system lets this process have.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What a full house needs: every connection, every feed, and the store's own.
const DESCRIPTORS: u64 = 32_768;

/// Asks for as many descriptors as a full house needs, within what the user may have. A server calls it once, when it
/// starts: the usual limit is there for programs that cannot handle more.
pub fn raise_descriptor_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(DESCRIPTORS, |maximum| maximum.min(DESCRIPTORS));
    if current.is_some_and(|current| current < wanted) {
        // What is refused here shows when it is needed: connections beyond the limit are then turned away.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}
