//! Reading a patch as git writes it: the files that it changes, and by how many lines.
//!
//! Only what a person is told comes from here. Paths that are written to are read by git itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file that a patch changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct PatchedFile {
    /// Below the top of the working tree. Bytes that are not UTF-8 are replaced.
    pub path: String,
    /// What happens to it.
    pub change: FileChange,
    /// Lines that are new.
    pub additions: u64,
    /// Lines that are gone.
    pub deletions: u64,
    /// Whether it has no lines to show.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub binary: bool,
}

/// What a patch does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum FileChange {
    /// It is new.
    Added,
    /// It is different.
    Modified,
    /// It is gone.
    Deleted,
}

impl FileChange {
    /// The letter that git writes for it.
    pub const fn letter(self) -> char {
        match self {
            Self::Added => 'A',
            Self::Modified => 'M',
            Self::Deleted => 'D',
        }
    }
}

/// The files of a patch, in its order.
pub fn files(patch: &[u8]) -> Vec<PatchedFile> {
    let mut files: Vec<PatchedFile> = Vec::new();
    // Lines of a hunk that are still to come. A line of content may look like a header, so they are counted.
    let (mut old, mut new) = (0_u64, 0_u64);
    for line in patch.split(|byte| *byte == b'\n') {
        if old > 0 || new > 0 {
            let Some(file) = files.last_mut() else { break };
            match line.first() {
                Some(b'+') => (file.additions, new) = (file.additions + 1, new.saturating_sub(1)),
                Some(b'-') => (file.deletions, old) = (file.deletions + 1, old.saturating_sub(1)),
                Some(b'\\') => {}
                Some(_) | None => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
            }
            continue;
        }
        if let Some(names) = line.strip_prefix(b"diff --git ") {
            let path = header_path(names);
            let change = FileChange::Modified;
            files.push(PatchedFile { path, change, additions: 0, deletions: 0, binary: false });
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        if line.starts_with(b"new file mode ") {
            file.change = FileChange::Added;
        } else if line.starts_with(b"deleted file mode ") {
            file.change = FileChange::Deleted;
        } else if let Some(name) = line.strip_prefix(b"--- ").or_else(|| line.strip_prefix(b"+++ ")) {
            file.path = side_path(name).unwrap_or_else(|| std::mem::take(&mut file.path));
        } else if let Some(counts) = line.strip_prefix(b"@@ -") {
            (old, new) = hunk_lines(counts);
        } else if line == b"GIT binary patch" || line.starts_with(b"Binary files ") {
            file.binary = true;
        }
    }
    files
}

/// The path in `a/PATH b/PATH`, which has the same one twice: files that are renamed are one that is gone and one that is new.
fn header_path(names: &[u8]) -> String {
    if names.starts_with(b"\"") {
        return side_path(names).unwrap_or_default();
    }
    let half = names.len().saturating_sub(1) / 2;
    let name = names.get(..half).unwrap_or(names);
    side_path(name).unwrap_or_else(|| lossy(name))
}

/// The path behind `a/` or `b/`. There is none for a side that has no file.
fn side_path(name: &[u8]) -> Option<String> {
    let plain = match name.strip_prefix(b"\"") {
        Some(quoted) => unquoted(quoted),
        // A name with a blank in it is followed by a tab.
        None => name.strip_suffix(b"\t").unwrap_or(name).to_vec(),
    };
    let path = plain.strip_prefix(b"a/").or_else(|| plain.strip_prefix(b"b/"))?;
    Some(lossy(path))
}

/// The bytes that a quoted name stands for, up to the closing quotation mark.
fn unquoted(quoted: &[u8]) -> Vec<u8> {
    let (mut plain, mut rest) = (Vec::new(), quoted);
    loop {
        rest = match rest {
            [] | [b'"', ..] => return plain,
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..] => {
                plain.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                after
            }
            [b'\\', letter, after @ ..] => {
                plain.push(match letter {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    other => *other,
                });
                after
            }
            [byte, after @ ..] => {
                plain.push(*byte);
                after
            }
        };
    }
}

/// How many lines of either side follow `@@ -1,2 +3,4 @@`.
fn hunk_lines(counts: &[u8]) -> (u64, u64) {
    let text = lossy(counts);
    let mut sides = text.split(' ').map(|side| {
        let count = side.trim_start_matches('+').split_once(',').map_or("1", |(_, count)| count);
        count.parse().unwrap_or(0)
    });
    (sides.next().unwrap_or(0), sides.next().unwrap_or(0))
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(patch: &[u8]) -> String {
        let line = |file: &PatchedFile| {
            let binary = if file.binary { " binary" } else { "" };
            format!("{} {:?} +{} -{}{binary}", file.change.letter(), file.path, file.additions, file.deletions)
        };
        files(patch).iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn files_are_told_with_what_happened_to_them_and_content_that_looks_like_a_header_is_content() {
        let patch = b"diff --git a/one b/one\nindex 1..2 100644\n--- a/one\n+++ b/one\n@@ -1,2 +1,3 @@ f\n-diff --git a/x b/x\n \
            kept\n+--- a/x\n+++ b/x\n\\ No newline at end of file\n\
            diff --git a/new name b/new name\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/new name\t\n@@ -0,0 +1 @@\n+x\n\
            diff --git a/gone b/gone\ndeleted file mode 100644\nindex 1..0\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
            diff --git a/run it b/run it\nold mode 100644\nnew mode 100755\n\
            diff --git a/pixel b/pixel\nnew file mode 100644\nindex 0..1\nGIT binary patch\nliteral 1\nIcmZPo\n\nliteral 0\nHcmV?d\n\n\
            diff --git \"a/t\\303\\251\\t\\\"\" \"b/t\\303\\251\\t\\\"\"\nnew file mode 100644\nindex 0..0\n";
        assert_eq!(
            told(patch),
            "M \"one\" +2 -1\nA \"new name\" +1 -0\nD \"gone\" +0 -1\nM \"run it\" +0 -0\nA \"pixel\" +0 -0 binary\n\
             A \"té\\t\\\"\" +0 -0"
        );
    }

    #[test]
    fn bytes_that_are_no_patch_change_no_file() {
        assert_eq!(told(b""), "");
        assert_eq!(told(b"@@ -1 +1 @@\n--- a/x\nhello\n\xff"), "");
        assert_eq!(told(b"diff --git "), "M \"\" +0 -0");
    }
}
