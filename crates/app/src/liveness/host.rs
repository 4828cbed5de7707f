//! The frame in which a pid means something: this host, this boot, this pid namespace. Read once.

use std::{fs, os::unix::fs::MetadataExt, path::Path, sync::OnceLock};

use baton_core::process::ProcessIdentity;
use baton_store::boot_clock::BootClock;
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

/// This machine, or nothing where it cannot be told.
pub(crate) fn this_host() -> Option<&'static str> {
    here().map(|here| here.host_id.as_str())
}

/// Whether a process can be looked at from here: it is, or was, on this machine and in this pid namespace.
pub(crate) fn is_here(process: &ProcessIdentity) -> bool {
    here().is_some_and(|here| process.host_id == here.host_id && process.pid_namespace == here.pid_namespace)
}

fn read() -> Option<Host> {
    // A /proc that was mounted for another pid namespace numbers processes differently than our system calls do.
    let self_link = fs::read_link("/proc/self").ok()?;
    if self_link != Path::new(&std::process::id().to_string()) {
        return None;
    }
    // Without its clock the start of a process cannot be told from the time namespace's shift.
    let boot_id = BootClock::here()?.boot_id().to_owned();
    let machine = ["/etc/machine-id", "/var/lib/dbus/machine-id"].into_iter().find_map(line);
    let name = line("/proc/sys/kernel/hostname").unwrap_or_default();
    Some(Host {
        host_id: host_id(machine.as_deref(), &name, &boot_id),
        boot_id,
        pid_namespace: fs::metadata("/proc/self/ns/pid").ok()?.ino(),
    })
}

/// The machine id, hashed because it is meant to stay private, together with the host's name: machines cloned
/// from one image share the former, and taking one for the other would "prove" a reboot. A machine without an id,
/// as many containers are, is another one after each boot, because its name alone says too little.
fn host_id(machine: Option<&str>, name: &str, boot_id: &str) -> String {
    let machine = machine.unwrap_or(boot_id);
    let digest = Sha256::digest(format!("baton host\0{machine}\0{name}"));
    let start = digest.iter().take(8).fold(0_u64, |start, byte| start << 8 | u64::from(*byte));
    format!("host_{start:016x}")
}

fn line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_an_id_is_another_one_after_each_boot_and_one_with_an_id_is_not() {
        assert_eq!(host_id(Some("m"), "dev", "boot-1"), host_id(Some("m"), "dev", "boot-2"));
        assert_ne!(host_id(Some("m"), "dev", "boot-1"), host_id(Some("m"), "prod", "boot-1"));
        assert_ne!(host_id(None, "dev", "boot-1"), host_id(None, "dev", "boot-2"));
    }
}
