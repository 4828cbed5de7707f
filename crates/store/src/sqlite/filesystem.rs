//! Where a store may live. SQLite's locks cannot be trusted over a network.

use std::path::Path;

use super::failure;
use crate::StoreError;

/// Filesystems known by their magic number that reach over a network.
const NETWORK_MAGIC: &[(u64, &str)] = &[
    (0x6969, "nfs"),
    (0x517b, "smb"),
    (0xff53_4d42, "cifs"),
    (0xfe53_4d42, "smb2"),
    (0x0102_1997, "9p"),
    (0x5346_414f, "afs"),
    (0x6b41_4653, "afs"),
    (0x7375_7245, "coda"),
    (0x564c, "ncp"),
    (0x00c3_6400, "ceph"),
    (0x0bd0_0bd0, "lustre"),
    (0x0116_1970, "gfs2"),
    (0x7461_636f, "ocfs2"),
    (0x1983_0326, "beegfs"),
    (0x2030_5049, "orangefs"),
];

/// FUSE may be anything; these drivers reach over a network.
const NETWORK_FUSE: &[&str] = &[
    "fuse.sshfs",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.gcsfuse",
    "fuse.glusterfs",
    "fuse.davfs",
    "fuse.cephfs",
    "fuse.juicefs",
    "fuse.goofys",
    "fuse.nfs",
];

const FUSE_MAGIC: u64 = 0x6573_5546;

/// Refuses a directory on a network filesystem.
pub(super) fn require_local(directory: &Path) -> Result<(), StoreError> {
    let stat = rustix::fs::statfs(directory).map_err(|error| failure::from_io(directory, &error.into()))?;
    // The kernel's magic numbers have 32 bits; where the field is signed and narrower they come sign-extended.
    let magic = (stat.f_type as u64) & 0xffff_ffff;
    let mounts = if magic == FUSE_MAGIC { read_mounts() } else { String::new() };
    // A link leads to where the files really are, and so does the list of mounts.
    let place = std::fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
    match network_kind(magic, &place, &mounts) {
        Some(kind) => Err(StoreError::NetworkFilesystem { path: directory.to_owned(), kind }),
        None => Ok(()),
    }
}

fn read_mounts() -> String {
    std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default()
}

/// Which network filesystem this is, if it is one.
fn network_kind(magic: u64, directory: &Path, mounts: &str) -> Option<String> {
    if let Some((_, kind)) = NETWORK_MAGIC.iter().find(|(known, _)| *known == magic) {
        return Some((*kind).to_owned());
    }
    let kind = (magic == FUSE_MAGIC).then(|| mount_type(directory, mounts)).flatten()?;
    NETWORK_FUSE.contains(&kind.as_str()).then_some(kind)
}

/// The type of the innermost mount that holds `directory`, from the text of mountinfo.
fn mount_type(directory: &Path, mounts: &str) -> Option<String> {
    mounts
        .lines()
        .filter_map(|line| {
            let (fields, rest) = line.split_once(" - ")?;
            let mount_point = fields.split(' ').nth(4)?.replace("\\040", " ");
            let kind = rest.split(' ').next()?;
            directory.starts_with(&mount_point).then(|| (mount_point.len(), kind.to_owned()))
        })
        .max_by_key(|(depth, _)| *depth)
        .map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_filesystems_are_named_and_local_ones_pass() {
        let here = Path::new("/data");
        assert_eq!(network_kind(0x6969, here, ""), Some("nfs".to_owned()));
        assert_eq!(network_kind(0xfe53_4d42, here, ""), Some("smb2".to_owned()));
        assert_eq!(network_kind(0xef53, here, ""), None, "ext4");
        assert_eq!(network_kind(0x0102_1994, here, ""), None, "tmpfs");
    }

    #[test]
    fn fuse_is_judged_by_its_driver() {
        let mounts = "\
            22 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
            30 22 0:44 / /mnt/far rw shared:1 - fuse.sshfs host:/ rw\n\
            31 22 0:45 / /mnt/near rw - fuse.encfs encfs rw\n";
        assert_eq!(network_kind(FUSE_MAGIC, Path::new("/mnt/far/data"), mounts), Some("fuse.sshfs".to_owned()));
        assert_eq!(network_kind(FUSE_MAGIC, Path::new("/mnt/near/data"), mounts), None);
    }
}
