//! What shows that a job was done, and finding pointers in what somebody wrote.

use super::Job;
use crate::{limits, reference::Reference};

/// Programs whose name at the beginning of a line makes it a command, if something follows.
const PROGRAMS: [&str; 22] = [
    "cargo", "npm", "npx", "pnpm", "yarn", "node", "python", "python3", "pytest", "pip", "uv", "go", "make", "git",
    "gh", "docker", "kubectl", "bash", "sh", "mvn", "gradle", "baton",
];

impl Job {
    /// Whether one of `refs`, which lead somewhere, can be the proof of this job.
    pub fn is_proven_by(&self, refs: &[Reference]) -> bool {
        refs.iter().any(|reference| reference.can_prove(self.id))
    }
}

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
    line.trim().trim_start_matches(['-', '*', '>', '•']).trim().trim_matches('`')
}

fn receipt(line: &str) -> Option<Reference> {
    let said: Option<Reference> = line.parse().ok().filter(|reference: &Reference| !reference.is_stable());
    said.or_else(|| command(line))
}

/// A line that is plainly a command: after a prompt sign, or the name of a known program with something behind it.
fn command(line: &str) -> Option<Reference> {
    let typed = line.strip_prefix("$ ");
    let known = || {
        let (program, rest) = line.split_once(' ')?;
        let shell_like = rest.split_whitespace().count() <= 12 && !rest.ends_with(['.', '!', '?', ':']);
        (PROGRAMS.contains(&program) && shell_like).then_some(line)
    };
    let command = typed.or_else(known)?;
    format!("CMD: {command}").parse().ok()
}

fn between(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '[' | ']' | '<' | '>' | '"' | '\'' | '`')
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
