//! Programs that a test makes up.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

/// Writes a shell script that can be run at once.
///
/// Another process writes it. If this one did, a child that another test starts meanwhile would have inherited the
/// open file for a moment, and the system runs no file that is open for writing.
pub fn script(path: &Path, text: &str) {
    let mut writer = Command::new("sh");
    writer.args(["-c", "cat > \"$0\" && chmod 755 \"$0\""]).arg(path);
    let mut child = writer.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{}", path.display());
}
