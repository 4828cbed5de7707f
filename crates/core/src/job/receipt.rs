//! Receipts of commands, looked up among the commands that were seen to run.
//!
//! A receipt is written by an agent, a command line is printed by its program: one says `cargo test`, the other
//! `/bin/bash -lc 'cd core && cargo test 2>&1 | tail'`. Both are read as a shell reads them, into simple commands of plain
//! words, and compared as these. A receipt was seen if all of its simple commands are in one command line, in their order.

use crate::redact::redact;

/// The tools by which agent programs run a command line: Codex's and Claude Code's.
pub const SHELL_TOOLS: [&str; 2] = ["shell", "Bash"];

/// How deep a shell may be called by a shell. Deeper ones are compared as they are written.
const SHELLS_DEEP: usize = 3;
const SHELLS: [&str; 5] = ["bash", "sh", "zsh", "dash", "ksh"];
/// Words that stand before a command without being a part of it.
const PREFIXES: [&str; 12] =
    ["!", "command", "do", "elif", "else", "env", "exec", "if", "nohup", "sudo", "then", "time"];
/// Commands that only say where and how the next one runs.
const SETTINGS: [&str; 7] = ["cd", "export", "popd", "pushd", "set", "source", "."];
/// What agents put between a command and its result, in a receipt: `cargo test (12 passed)`.
const ANNOTATIONS: [&str; 7] = [" (", " # ", " -> ", " => ", " → ", " — ", " – "];

/// A command line that was seen to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRun {
    /// As the program showed it, without its secrets.
    pub line: String,
    /// Whether it ended with status 0.
    pub succeeded: bool,
}

/// The commands that are known of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Commands {
    /// Some of its programs do not show their commands, or nobody recorded them.
    Hidden,
    /// All of them, in the order in which they ended.
    Visible(Vec<CommandRun>),
}

/// What is known of the command that a receipt names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sighting {
    /// It ran, and the last time it went well.
    Succeeded,
    /// It ran, and the last time it failed.
    Failed,
    /// It did not run.
    NotRun,
    /// Commands are not shown, or one was too long to be kept whole.
    Unknown,
}

impl Commands {
    /// Looks for the command of a receipt.
    pub fn sight(&self, receipt: &str) -> Sighting {
        let Self::Visible(runs) = self else { return Sighting::Unknown };
        // Command lines are kept without secrets, and so they are compared without.
        let receipt = redact(receipt);
        let candidates: Vec<Vec<Simple>> = readings(&receipt).collect();
        let found = runs.iter().rev().find(|run| {
            let ran = parse(&run.line, 0);
            candidates.iter().any(|wanted| is_within(wanted, &ran))
        });
        match found {
            Some(run) if run.succeeded => Sighting::Succeeded,
            Some(_) => Sighting::Failed,
            None if runs.iter().any(CommandRun::is_cut) => Sighting::Unknown,
            None => Sighting::NotRun,
        }
    }
}

impl CommandRun {
    /// Whether its end was not kept. Runners and turns each have their own mark for that.
    fn is_cut(&self) -> bool {
        self.line.ends_with(" more characters]") || (self.line.contains("… [cut: ") && self.line.ends_with(']'))
    }
}

/// A simple command: a program and its arguments.
type Simple = Vec<String>;

/// The commands that a receipt may mean: as it is written, and without what is said about its result.
fn readings(receipt: &str) -> impl Iterator<Item = Vec<Simple>> {
    let cuts = ANNOTATIONS.iter().filter_map(|mark| receipt.find(mark)).map(|end| &receipt[..end]);
    std::iter::once(receipt).chain(cuts).map(|text| {
        let all = parse(text, 0);
        let told: Vec<Simple> = all.iter().filter(|simple| !is_setting(simple)).cloned().collect();
        if told.is_empty() { all } else { told }
    })
}

fn is_setting(simple: &Simple) -> bool {
    simple.first().is_some_and(|program| SETTINGS.contains(&program.as_str()))
}

/// Whether all of `wanted` are among `ran`, in their order. Nothing is within nothing.
fn is_within(wanted: &[Simple], ran: &[Simple]) -> bool {
    let mut ran = ran.iter();
    !wanted.is_empty() && wanted.iter().all(|wanted| ran.any(|ran| is_same(wanted, ran)))
}

fn is_same(one: &Simple, other: &Simple) -> bool {
    let (Some((program, arguments)), Some((ran, given))) = (one.split_first(), other.split_first()) else {
        return false;
    };
    // `cargo` and `/usr/bin/cargo` are one; `./run` and `./test/run` are not.
    let plain = |program: &str| !program.contains('/');
    let same_program = program == ran || ((plain(program) || plain(ran)) && file_name(program) == file_name(ran));
    same_program && arguments == given
}

fn file_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// The simple commands of a command line, those of a shell that it calls in place of that.
fn parse(line: &str, depth: usize) -> Vec<Simple> {
    let argv = line.trim_start().starts_with('[').then(|| serde_json::from_str::<Simple>(line.trim()).ok()).flatten();
    let simples = argv.map_or_else(|| split(line), |argv| vec![argv]);
    simples
        .into_iter()
        .map(unprefixed)
        .filter(|simple| !simple.is_empty())
        .flat_map(|simple| unwrapped(simple, depth))
        .collect()
}

/// A simple command without what only stands before it: `RUST_LOG=debug time cargo test`, `timeout 60 make`.
fn unprefixed(mut simple: Simple) -> Simple {
    loop {
        match simple.first().map(String::as_str) {
            Some(word) if PREFIXES.contains(&word) || is_assignment(word) => drop(simple.remove(0)),
            Some("timeout") if simple.len() > 2 && !simple[1].starts_with('-') => drop(simple.drain(..2)),
            Some(_) | None => return simple,
        }
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// What `bash -lc '…'` runs.
fn unwrapped(simple: Simple, depth: usize) -> Vec<Simple> {
    let is_shell = simple.first().is_some_and(|program| SHELLS.contains(&file_name(program)));
    let is_script_flag = |word: &&String| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
    let script = simple.iter().skip(1).position(|word| is_script_flag(&word)).and_then(|place| simple.get(place + 2));
    match script {
        Some(script) if is_shell && depth < SHELLS_DEEP => parse(script, depth + 1),
        Some(_) | None => vec![simple],
    }
}

/// Splits a command line as a shell does: at operators, then into words without their quotes. Redirections and comments go.
fn split(line: &str) -> Vec<Simple> {
    let mut reading = Reading::default();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                reading.begin_word();
                chars.by_ref().take_while(|c| *c != '\'').for_each(|c| reading.push(c));
            }
            '"' => {
                reading.begin_word();
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    let escaped = c == '\\' && matches!(chars.peek(), Some('"' | '\\' | '$' | '`'));
                    reading.push(if escaped { chars.next().unwrap_or(c) } else { c });
                }
            }
            '\\' => match chars.next() {
                Some('\n') | None => reading.end_word(),
                Some(c) => reading.push(c),
            },
            '#' if reading.word.is_none() => while chars.next_if(|c| !matches!(c, '\n' | ';')).is_some() {},
            '>' | '<' => {
                reading.begin_redirection();
                while chars.next_if(|c| matches!(c, '>' | '<' | '&' | '|' | '-')).is_some() {}
                while chars.next_if(|c| *c == ' ').is_some() {}
            }
            // `&>` sends both streams somewhere.
            '&' if chars.peek() == Some(&'>') => {}
            ';' | '|' | '&' | '\n' | '(' | ')' => reading.end_simple(),
            c if c.is_whitespace() => reading.end_word(),
            c => reading.push(c),
        }
    }
    reading.end_simple();
    reading.simples
}

/// A command line, as far as it was read.
#[derive(Default)]
struct Reading {
    simples: Vec<Simple>,
    simple: Simple,
    word: Option<String>,
    /// Whether the next word is the file of a redirection.
    redirects: bool,
}

impl Reading {
    fn begin_word(&mut self) {
        self.word.get_or_insert_default();
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        let is_block = matches!(word.as_str(), "{" | "}");
        if !std::mem::take(&mut self.redirects) && !is_block {
            self.simple.push(word);
        }
    }

    /// A number right before the operator is which stream it is of.
    fn begin_redirection(&mut self) {
        self.word.take_if(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        self.end_word();
        self.redirects = true;
    }

    fn end_simple(&mut self) {
        self.end_word();
        self.redirects = false;
        if !self.simple.is_empty() {
            self.simples.push(std::mem::take(&mut self.simple));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight(receipt: &str, line: &str) -> Sighting {
        Commands::Visible(vec![CommandRun { line: line.to_owned(), succeeded: true }]).sight(receipt)
    }

    #[test]
    fn a_receipt_is_found_however_the_program_shows_its_command() {
        for line in [
            "cargo test -p core",
            "  cargo   test -p core ",
            "/bin/bash -lc 'cargo test -p core'",
            "bash -lc \"cargo test -p core\"",
            "[\"bash\",\"-lc\",\"cargo test -p core\"]",
            "/bin/bash -lc 'cd crates && cargo test -p core 2>&1 | tail -5'",
            "cd /tmp/x && RUST_LOG=debug time cargo test -p core > out.txt",
            "cargo fmt; cargo test -p 'core'",
            "cargo fmt\ncargo test -p core",
            "(cargo test -p core)",
            "if cargo test -p core; then echo fine; fi",
            "timeout 60 cargo test -p core # as asked",
            "/usr/bin/cargo test -p core &> out.txt",
            "sh -c \"bash -c 'cargo test -p core'\"",
        ] {
            assert_eq!(sight("cargo test -p core", line), Sighting::Succeeded, "{line}");
        }
    }

    #[test]
    fn a_receipt_may_say_where_it_ran_and_how_it_went() {
        for receipt in [
            "cd crates && cargo test -p core",
            "cargo test -p core (12 passed)",
            "cargo test -p core -> ok",
            "cargo test -p core — all green",
            "bash -lc 'cargo test -p core'",
            "cargo fmt && cargo test -p core",
            "cargo test -p core 2>&1",
        ] {
            assert_eq!(sight(receipt, "bash -lc 'cargo fmt && cargo test -p core'"), Sighting::Succeeded, "{receipt}");
        }
    }

    #[test]
    fn another_command_is_not_the_one_that_a_receipt_names() {
        for (receipt, line) in [
            ("cargo test", "cargo test --no-run"),
            ("cargo test", "cargo test -p core"),
            ("cargo test -p core", "cargo test"),
            ("cargo test", "echo cargo test"),
            ("cargo test", "echo 'cargo test'"),
            ("cargo test && cargo fmt", "cargo fmt && cargo test"),
            ("./test/run", "./run"),
            ("make check", "bash -c 'make'"),
        ] {
            assert_eq!(sight(receipt, line), Sighting::NotRun, "{receipt} / {line}");
        }
        assert_eq!(Commands::Visible(Vec::new()).sight("make"), Sighting::NotRun);
        assert_eq!(Commands::Hidden.sight("make"), Sighting::Unknown);
    }

    #[test]
    fn the_last_run_of_a_command_says_how_it_went() {
        let run = |succeeded| CommandRun { line: "make check".to_owned(), succeeded };
        assert_eq!(Commands::Visible(vec![run(false), run(true)]).sight("make check"), Sighting::Succeeded);
        assert_eq!(Commands::Visible(vec![run(true), run(false)]).sight("make check"), Sighting::Failed);
    }

    #[test]
    fn a_command_that_was_too_long_to_keep_may_have_been_any() {
        assert_eq!(sight("make check", "cat > x <<EOF … [900 more characters]"), Sighting::Unknown);
        assert_eq!(sight("make check", "cat > x … [cut: 9000 characters]"), Sighting::Unknown);
        assert_eq!(sight("make check", "make check && cat > x … [900 more characters]"), Sighting::Succeeded);
    }

    #[test]
    fn secrets_in_a_receipt_are_compared_as_they_are_kept() {
        let typed = "curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz012345' https://example.org";
        assert_ne!(redact(typed), typed);
        assert_eq!(sight(typed, &redact(typed)), Sighting::Succeeded);
    }
}
