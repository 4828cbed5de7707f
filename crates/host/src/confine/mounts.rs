//! Other names of a directory: a file system that is mounted twice, or a directory that is bound to another place, can be
//! written under each of them.

use std::{
    ffi::OsString,
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
};

/// A line of `/proc/self/mountinfo`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    /// Major and minor number, as text.
    device: String,
    /// The directory of the file system that is mounted.
    root: PathBuf,
    point: PathBuf,
}

/// Reads `/proc/self/mountinfo`. Lines of another form are left out.
pub(super) fn parse(mountinfo: &[u8]) -> Vec<Mount> {
    let mount = |line: &[u8]| {
        let mut fields = line.split(|byte| *byte == b' ').skip(2);
        let device = String::from_utf8(fields.next()?.to_vec()).ok()?;
        let (root, point) = (unescaped(fields.next()?), unescaped(fields.next()?));
        Some(Mount { device, root, point })
    };
    mountinfo.split(|byte| *byte == b'\n').filter_map(mount).collect()
}

/// The other paths that lead to `path`, or into it. `path` is absolute and has no links.
pub(super) fn aliases(mounts: &[Mount], path: &Path) -> Vec<PathBuf> {
    // The last of several at one place hides those before it.
    let around = mounts.iter().filter(|mount| path.starts_with(&mount.point));
    let Some(own) = around.max_by_key(|mount| mount.point.components().count()) else { return Vec::new() };
    let inside = joined(&own.root, path.strip_prefix(&own.point).unwrap_or(Path::new("")));
    let alias = |mount: &Mount| match inside.strip_prefix(&mount.root) {
        Ok(rest) => Some(joined(&mount.point, rest)),
        Err(_) => mount.root.starts_with(&inside).then(|| mount.point.clone()),
    };
    let twins = mounts.iter().filter(|mount| mount.device == own.device);
    twins.filter_map(alias).filter(|alias| !alias.starts_with(path)).collect()
}

/// By components, because joining an empty path would leave a slash at the end.
fn joined(directory: &Path, rest: &Path) -> PathBuf {
    directory.components().chain(rest.components()).collect()
}

/// A field with `\040` and the like read as the byte it stands for.
fn unescaped(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| *first == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[3..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    OsString::from_vec(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &[u8] = b"\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:5 / /dev rw - devtmpfs udev rw
24 22 8:2 / /home rw - ext4 /dev/sda2 rw
25 22 8:2 /ana/work /srv/a\\040copy rw - ext4 /dev/sda2 rw
26 22 8:2 /ana/work/src/lib /opt/lib rw - ext4 /dev/sda2 rw
27 22 8:2 /bo /opt/bo rw - ext4 /dev/sda2 rw
broken
";

    fn found(path: &str) -> Vec<String> {
        aliases(&parse(MOUNTS), Path::new(path)).iter().map(|path| path.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_directory_is_known_by_every_mount_that_shows_it_or_a_part_of_it() {
        assert_eq!(found("/home/ana/work"), ["/srv/a copy", "/opt/lib"]);
        assert_eq!(found("/home/ana/work/src"), ["/srv/a copy/src", "/opt/lib"]);
        assert_eq!(found("/srv/a copy/src"), ["/home/ana/work/src", "/opt/lib"]);
        assert_eq!(found("/opt/lib"), ["/home/ana/work/src/lib", "/srv/a copy/src/lib"]);
    }

    #[test]
    fn a_directory_that_is_mounted_once_has_no_other_name() {
        assert!(found("/home/eve").is_empty());
        assert!(found("/etc").is_empty());
    }
}
