//! The terminal a person sits at: its name, and the short form that people recognise.
//!
//! Only a controlling terminal counts. A terminal that a process merely reads or writes may have been handed down by
//! anybody.

/// The path of the terminal that controls process `pid`.
#[cfg(target_os = "linux")]
pub(super) fn controlling(pid: u32) -> Option<String> {
    named(crate::liveness::seen(pid)?.terminal)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn controlling(_pid: u32) -> Option<String> {
    None
}

/// The process that leads the session of process `pid`, where that session has a terminal: the shell a person works in,
/// even when another shell in between was started for one command only.
#[cfg(target_os = "linux")]
pub(super) fn session_leader(pid: u32) -> Option<u32> {
    let seen = crate::liveness::seen(pid)?;
    (seen.terminal != 0).then_some(seen.session)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn session_leader(_pid: u32) -> Option<u32> {
    None
}

/// The path of a terminal's device number, as the kernel's list of devices assigns them.
#[cfg(target_os = "linux")]
fn named(device: u32) -> Option<String> {
    let (major, minor) = (device >> 8 & 0xfff, device & 0xff | device >> 12 & 0xf_ff00);
    match (major, minor) {
        (136..=143, _) => Some(format!("/dev/pts/{}", (major - 136) * 256 + minor)),
        (4, 0..=63) => Some(format!("/dev/tty{minor}")),
        (4, _) => Some(format!("/dev/ttyS{}", minor - 64)),
        _ => None,
    }
}

/// The short form: `/dev/pts/3` is `pts3`, macOS's `/dev/ttys003` is `s003`.
pub(super) fn label(path: &str) -> String {
    let device = path.strip_prefix("/dev/").unwrap_or(path);
    match device.strip_prefix("tty") {
        Some(session) if session.starts_with('s') => session.to_owned(),
        Some(_) | None => device.replace('/', ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_have_the_short_form_that_people_recognise() {
        let cases = ["/dev/pts/3", "/dev/ttys003", "/dev/tty1", "/dev/console"];
        assert_eq!(cases.map(label), ["pts3", "s003", "tty1", "console"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn device_numbers_name_their_terminal() {
        let cases = [0x8803, 0x8900, 0x0401, 0x0440, 0].map(named);
        let expected = [Some("/dev/pts/3"), Some("/dev/pts/256"), Some("/dev/tty1"), Some("/dev/ttyS0"), None];
        assert_eq!(cases.each_ref().map(Option::as_deref), expected);
    }
}
