//! Finds programs on `PATH`.
//!
//! Only absolute directories count. A relative one, `.` or an empty entry depends on the working directory, which is
//! a repository's, and whose files must never be executed because they bear a program's name.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access};

/// The program of this name in the first directory of `search` that has it.
pub fn find_on_path(name: impl AsRef<Path>, search: &OsStr) -> Option<PathBuf> {
    absolute_directories(search).map(|directory| directory.join(name.as_ref())).find(|path| is_program(path))
}

/// Whether this is the absolute path of a file that may be executed.
pub fn is_program(path: &Path) -> bool {
    path.is_absolute() && path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

/// `PATH` for a child: what is in it of absolute directories.
pub fn without_relative_entries(search: &OsStr) -> OsString {
    // What was split at colons has none left, so joining does not fail.
    std::env::join_paths(absolute_directories(search)).unwrap_or_default()
}

fn absolute_directories(search: &OsStr) -> impl Iterator<Item = PathBuf> {
    std::env::split_paths(search).filter(|directory| directory.is_absolute())
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    #[test]
    fn a_program_in_the_working_directory_is_never_found() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("tool");
        fs::write(&program, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let whole = directory.path().as_os_str();
        assert_eq!(find_on_path("tool", whole), Some(program.clone()));
        let mut relative = OsString::from(":.:./:bin:..:");
        assert_eq!(find_on_path("tool", &relative), None);
        relative.push(whole);
        assert_eq!(find_on_path("tool", &relative), Some(program.clone()));
        assert_eq!(without_relative_entries(&relative), whole);
        fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(find_on_path("tool", whole), None);
    }
}
