//! Reads the output of `git diff -U0`: which lines of which files are new.
//!
//! Content lines are counted, not looked at, so that nothing inside a file can pass for a header.

use std::collections::HashMap;

/// Changes closer than this are one place to a reader.
const NEARBY_LINES: u32 = 20;

/// The changed line ranges of each file, in its new numbering, by path.
pub(super) fn parse(diff: &[u8]) -> HashMap<String, Vec<[u32; 2]>> {
    let mut ranges: HashMap<String, Vec<[u32; 2]>> = HashMap::new();
    let mut path = None;
    let mut content_lines = 0;
    for line in diff.split(|byte| *byte == b'\n') {
        match line {
            [b'+' | b'-', ..] if content_lines > 0 => content_lines -= 1,
            [b'd', b'i', b'f', b'f', b' ', ..] => path = None,
            [b'+', b'+', b'+', b' ', name @ ..] => path = new_path(name),
            [b'@', b'@', b' ', header @ ..] => {
                let Some((removed, first, added)) = hunk_header(header) else { continue };
                content_lines = u64::from(removed) + u64::from(added);
                if let Some(path) = &path {
                    // Where lines only went, the place is the line before.
                    let first = first.max(1);
                    let last = first.saturating_add(added.saturating_sub(1));
                    ranges.entry(String::clone(path)).or_default().push([first, last]);
                }
            }
            _ => {}
        }
    }
    ranges.into_iter().map(|(path, ranges)| (path, merged(ranges))).collect()
}

/// Merges ranges that a reader would look at together.
fn merged(mut ranges: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
    ranges.sort_unstable();
    let mut places: Vec<[u32; 2]> = Vec::new();
    for [first, last] in ranges {
        match places.last_mut() {
            Some(place) if first <= place[1].saturating_add(NEARBY_LINES) => place[1] = place[1].max(last),
            Some(_) | None => places.push([first, last]),
        }
    }
    places
}

/// `-A,B +C,D @@` as `(B, C, D)`; a count that is left out is 1.
fn hunk_header(header: &[u8]) -> Option<(u32, u32, u32)> {
    let header = String::from_utf8_lossy(header);
    let mut words = header.split(' ');
    let (_, removed) = span(words.next()?.strip_prefix('-')?)?;
    let (first, added) = span(words.next()?.strip_prefix('+')?)?;
    Some((removed, first, added))
}

fn span(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

/// The path after `+++ `: `b/path`, quoted like a C string where it is awkward; `/dev/null` for a deleted file.
fn new_path(name: &[u8]) -> Option<String> {
    // git ends a name that holds blanks with a tab.
    let name = name.strip_suffix(b"\t").unwrap_or(name);
    let plain = match name.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) {
        Some(quoted) => unquoted(quoted),
        None => name.to_vec(),
    };
    Some(String::from_utf8_lossy(plain.strip_prefix(b"b/")?).into_owned())
}

fn unquoted(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte != b'\\' {
            plain.push(*byte);
            continue;
        }
        let (escaped, after) = match rest {
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..] => {
                ((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'), after)
            }
            [b'n', after @ ..] => (b'\n', after),
            [b't', after @ ..] => (b'\t', after),
            [b'r', after @ ..] => (b'\r', after),
            [b'a', after @ ..] => (7, after),
            [b'b', after @ ..] => (8, after),
            [b'v', after @ ..] => (11, after),
            [b'f', after @ ..] => (12, after),
            [other, after @ ..] => (*other, after),
            [] => break,
        };
        plain.push(escaped);
        rest = after;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_that_looks_like_a_header_is_content() {
        let diff = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ f\n--- a/y\n-@@ -9 +9 @@\n+++ b/y\n+@@ -9 +9 @@\n\\ No newline at end of file\n@@ -90,0 +91 @@\n+new\n";
        assert_eq!(parse(diff), HashMap::from([("x".to_owned(), vec![[1, 2], [91, 91]])]));
    }

    #[test]
    fn near_changes_are_one_place_and_distant_ones_several() {
        assert_eq!(merged(vec![[40, 41], [1, 3], [20, 22]]), [[1, 41]]);
        assert_eq!(merged(vec![[100, 101], [1, 3]]), [[1, 3], [100, 101]]);
    }

    #[test]
    fn awkward_names_are_unquoted() {
        assert_eq!(new_path(b"\"b/a\\tb\\303\\251\\\"\""), Some("a\tb\u{e9}\"".to_owned()));
        assert_eq!(new_path(b"b/with blank\t"), Some("with blank".to_owned()));
        assert_eq!(new_path(b"/dev/null"), None);
    }
}
