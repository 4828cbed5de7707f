//! The frame in which a pid means something: this host, this boot, this pid namespace. Read once.

use std::{fs, os::unix::fs::MetadataExt, path::Path, sync::OnceLock};

use sha2::{Digest, Sha256};

/// The frame of this process.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) host_id: String,
    pub(super) boot_id: String,
    pub(super) pid_namespace: u64,
}

/// The frame of this process, or `None` where `/proc` cannot be trusted to tell.
pub(super) fn here() -> Option<&'static Host> {
    static HERE: OnceLock<Option<Host>> = OnceLock::new();
    HERE.get_or_init(read).as_ref()
}

/// What this machine is called in a process's identity.
pub fn host_id() -> Option<&'static str> {
    here().map(|host| host.host_id.as_str())
}

fn read() -> Option<Host> {
    // A /proc that was mounted for another pid namespace numbers processes differently than our system calls do.
    let self_link = fs::read_link("/proc/self").ok()?;
    if self_link != Path::new(&std::process::id().to_string()) {
        return None;
    }
    Some(Host {
        host_id: name(),
        boot_id: line("/proc/sys/kernel/random/boot_id")?,
        pid_namespace: fs::metadata("/proc/self/ns/pid").ok()?.ino(),
    })
}

/// The machine id, hashed because it is meant to stay private, together with the host's name: machines cloned
/// from one image share the former, and taking one for the other would "prove" a reboot.
fn name() -> String {
    let machine = ["/etc/machine-id", "/var/lib/dbus/machine-id"].into_iter().find_map(line).unwrap_or_default();
    let name = line("/proc/sys/kernel/hostname").unwrap_or_default();
    let digest = Sha256::digest(format!("baton host\0{machine}\0{name}"));
    let start = digest.iter().take(8).fold(0_u64, |start, byte| start << 8 | u64::from(*byte));
    format!("host_{start:016x}")
}

fn line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}
