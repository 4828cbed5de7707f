//! Finding references in a text: those that an agent or a manager wrote into a sentence instead of `refs`.

use crate::{limits, reference::Reference};

/// Programs whose name at the beginning of a line makes it a command, if something follows.
const PROGRAMS: [&str; 22] = [
    "cargo", "npm", "npx", "pnpm", "yarn", "node", "python", "python3", "pytest", "pip", "uv", "go", "make", "git",
    "gh", "docker", "kubectl", "bash", "sh", "mvn", "gradle", "baton",
];

/// What such a program is asked to do.
const VERBS: [&str; 34] = [
    "add", "apply", "audit", "bench", "build", "check", "ci", "clippy", "commit", "compose", "diff", "doc", "exec",
    "fetch", "fmt", "format", "get", "install", "lint", "log", "merge", "mod", "nextest", "pull", "push", "rebase",
    "run", "show", "start", "status", "test", "update", "vet", "xtask",
];
/// Words that stand in sentences and hardly ever in commands.
const PROSE: [&str; 36] = [
    "a", "ahead", "all", "an", "and", "are", "as", "because", "but", "clean", "did", "fail", "failed", "fails", "fine",
    "for", "from", "green", "has", "in", "is", "it", "now", "of", "on", "pass", "passed", "passes", "sure", "that",
    "the", "this", "to", "was", "with", "works",
];

/// The pointers and receipts that are written in `text`, each once, in the order in which they stand there. They are
/// candidates: whether they lead anywhere is for the store to say.
pub fn salvage(text: &str) -> Vec<Reference> {
    let mut found: Vec<Reference> = Vec::new();
    let mut keep = |reference: Reference| {
        if found.len() < limits::REFERENCES && !found.contains(&reference) {
            found.push(reference);
        }
    };
    for line in text.lines().map(bare) {
        match receipt(line) {
            Some(receipt) => keep(receipt),
            None => line.split(between).map(trimmed).filter_map(pointer).for_each(&mut keep),
        }
    }
    found
}

/// A line without what lists and quotations put before it.
fn bare(line: &str) -> &str {
    let line = line.trim().trim_start_matches(['-', '*', '>', '•']).trim_start();
    let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = unnumbered.strip_prefix(". ").or_else(|| unnumbered.strip_prefix(") "));
    let line = item.filter(|_| unnumbered.len() < line.len()).unwrap_or(line);
    line.trim().trim_matches('`')
}

fn receipt(line: &str) -> Option<Reference> {
    let said: Option<Reference> = line.parse().ok().filter(|reference: &Reference| !reference.is_stable());
    said.or_else(|| command(line))
}

/// A line that is plainly a command: after a prompt sign, or the name of a known program with what it takes behind it.
fn command(line: &str) -> Option<Reference> {
    let typed =
        line.strip_prefix("$ ").filter(|typed| typed.starts_with(|c: char| c.is_ascii_alphabetic() || c == '.'));
    let known = || {
        let (program, rest) = line.split_once(' ')?;
        (PROGRAMS.contains(&program) && is_shell_like(rest)).then_some(line)
    };
    let command = typed.or_else(known)?;
    format!("CMD: {command}").parse().ok()
}

/// Whether this is what a program is given, not how a sentence goes on: "make sure" and "cargo test passes" are none.
fn is_shell_like(rest: &str) -> bool {
    const STOPS: [char; 5] = ['.', ',', '!', '?', ':'];
    let words: Vec<&str> = rest.split_whitespace().collect();
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
    let is_argument = VERBS.contains(first) || first.starts_with('-') || first.contains(['/', '.', '=']);
    // `./...` and a lone dot end no sentence.
    let ends_sentence = last.ends_with(STOPS) && last.trim_end_matches(STOPS).ends_with(char::is_alphanumeric);
    // What is quoted may say anything.
    let outside = rest.split(['"', '\'']).step_by(2).flat_map(str::split_whitespace);
    let is_prose = outside.map(|word| word.trim_end_matches(STOPS)).any(|word| PROSE.contains(&word));
    words.len() <= 12 && is_argument && !ends_sentence && !is_prose
}

fn between(c: char) -> bool {
    let brackets = matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>');
    let quotes = matches!(c, '"' | '\'' | '`' | '*' | '“' | '”' | '„');
    c.is_whitespace() || brackets || quotes || matches!(c, ',' | ';' | '|' | '=' | '—' | '–')
}

fn trimmed(word: &str) -> &str {
    word.trim_end_matches(['.', ':', '!', '?'])
}

/// A word that is a pointer as it is written: `TASK-7` is one, `task-7` in the flow of a sentence is not.
fn pointer(word: &str) -> Option<Reference> {
    let reference: Reference = word.parse().ok().filter(Reference::is_stable)?;
    let capital = word.starts_with(|c: char| c.is_ascii_uppercase());
    let numbered = matches!(
        reference,
        Reference::Job(_) | Reference::JobEvent(..) | Reference::Task(_) | Reference::Card(_) | Reference::Plan(_)
    );
    (capital || !numbered).then_some(reference)
}
