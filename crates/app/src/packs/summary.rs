//! What a file says of itself: its first comment or heading.

/// How much of a file is looked at.
pub(super) const HEAD_BYTES: usize = 8 * 1024;
/// How long a summary is.
const SUMMARY_CHARS: usize = 200;
/// How long an excerpt of a document is.
const EXCERPT_CHARS: usize = 600;

/// How comments begin, by what a file's name ends in.
const COMMENTS: [(&[&str], &[&str]); 5] = [
    (&["rs"], &["//!", "///", "//"]),
    (
        &[
            "c", "cc", "cpp", "cs", "dart", "go", "h", "hpp", "java", "js", "jsx", "kt", "mjs", "php", "proto",
            "scala", "swift", "ts", "tsx", "zig", "css", "scss",
        ],
        &["///", "//", "/**", "/*", "*"],
    ),
    (&["bash", "cfg", "ex", "exs", "mk", "pl", "r", "rb", "sh", "tf", "toml", "yaml", "yml", "zsh"], &["#"]),
    (&["hs", "lua", "sql"], &["--"]),
    (&["py", "pyi"], &["#", "\"\"\"", "'''"]),
];

/// The first comment or heading of a file of that name, in one line. Nothing, where it has none or is of an unknown sort.
pub(super) fn summary(name: &str, head: &str) -> Option<String> {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase())?;
    let text = match ending.as_str() {
        "md" | "markdown" | "rst" | "adoc" | "txt" => {
            head.lines().map(heading).find(|line| !line.is_empty())?.to_owned()
        }
        ending => {
            let (_, marks) = COMMENTS.iter().find(|(endings, _)| endings.contains(&ending))?;
            comment(head, marks)?
        }
    };
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(cut(&line, SUMMARY_CHARS)).filter(|line| !line.is_empty())
}

/// How a document begins: whole lines, as many as an excerpt holds.
pub(super) fn excerpt(head: &str) -> String {
    cut(head.trim(), EXCERPT_CHARS)
}

/// Whether a file of that name is a document.
pub(super) fn is_document(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| matches!(ending.as_str(), "md" | "markdown" | "rst" | "adoc" | "txt"))
}

fn heading(line: &str) -> &str {
    line.trim().trim_start_matches(['#', '=']).trim()
}

/// The first paragraph of the first comment, if the file begins with one.
fn comment(head: &str, marks: &[&str]) -> Option<String> {
    let mut said: Vec<&str> = Vec::new();
    let mut is_quoted = false;
    for line in head.lines().map(str::trim) {
        let is_before = said.is_empty() && (line.is_empty() || line.starts_with("#!") || line.starts_with("<?php"));
        if is_before && !is_quoted {
            continue;
        }
        let mark = marks.iter().find(|mark| line.starts_with(**mark));
        let rest = match mark {
            Some(mark) => line[mark.len()..].trim(),
            None if is_quoted => line,
            None => break,
        };
        is_quoted |= mark.is_some_and(|mark| matches!(*mark, "\"\"\"" | "'''" | "/*" | "/**"));
        let ends = ["*/", "\"\"\"", "'''"].iter().find_map(|end| rest.strip_suffix(end));
        let text = ends.unwrap_or(rest).trim_matches(['*', '/', '-', '=', '#', ' ', '!']);
        if text.is_empty() && !said.is_empty() {
            break;
        }
        said.extend(Some(text).filter(|text| !text.is_empty()));
        if ends.is_some() {
            break;
        }
    }
    Some(said.join(" ")).filter(|text| !text.is_empty())
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_summed_up_by_its_first_comment_or_heading() {
        for (name, head, expected) in [
            (
                "lib.rs",
                "//! The rules of Baton,\n//! and nothing else.\n//!\n//! More.\nuse x;",
                "The rules of Baton, and nothing else.",
            ),
            ("a.go", "// Package a does things.\npackage a", "Package a does things."),
            ("a.ts", "/**\n * Entry point.\n * Runs.\n */\nexport {}", "Entry point. Runs."),
            ("a.ts", "/* One line. */\nexport {}", "One line."),
            ("a.py", "#!/usr/bin/env python\n\"\"\"Reads files.\n\nMore.\n\"\"\"", "Reads files."),
            ("a.sh", "#!/bin/sh\n# Builds it.\nset -e", "Builds it."),
            ("README.md", "\n# Baton\n\nText", "Baton"),
            ("q.sql", "-- All rooms.\nSELECT 1", "All rooms."),
        ] {
            assert_eq!(summary(name, head).as_deref(), Some(expected), "{name}");
        }
        for (name, head) in
            [("a.rs", "use x;\n// late"), (".env", "# TOKEN"), ("Makefile", "# x"), ("a.bin", "//! x"), ("b.rs", "")]
        {
            assert_eq!(summary(name, head), None, "{name}");
        }
        assert!(summary("a.md", &"€".repeat(900)).unwrap().chars().count() <= SUMMARY_CHARS + 1);
    }
}
