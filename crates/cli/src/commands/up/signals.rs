//! Signals that end a server: the first lets running calls finish, the second does not.

use std::{io, thread};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
    low_level::emulate_default_handler,
};

/// Calls `end` on the first signal, and ends this process on the second.
pub(super) fn heed(end: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let heed = move || {
        let mut arriving = signals.forever();
        if arriving.next().is_some() {
            end();
        }
        if let Some(signal) = arriving.next() {
            // The process ends here, as it would have without us.
            let _ = emulate_default_handler(signal);
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(heed)?;
    Ok(())
}
