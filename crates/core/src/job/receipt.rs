//! Receipts of commands, looked up among the commands that were seen to run.
//!
//! A receipt is written by an agent, a command line is printed by its program: one says `cargo test`, the other
//! `/bin/bash -lc 'cd core && cargo test 2>&1 | tail'`. Both are read as a shell reads them, into simple commands of plain
//! words, and compared as these. A receipt was seen if all of its simple commands are in one command line, in their order, and
//! the status of the line is theirs. Of `make check | tail`, `make check || true` and `if false; then make check; fi` nobody
//! can tell how the command went, or whether it ran.

use crate::redact::redact;

/// The tools by which agent programs run a command line: Codex's and Claude Code's.
pub const SHELL_TOOLS: [&str; 2] = ["shell", "Bash"];

/// How deep a shell may be called by a shell. Deeper ones are compared as they are written.
const SHELLS_DEEP: usize = 3;
const SHELLS: [&str; 5] = ["bash", "sh", "zsh", "dash", "ksh"];
/// Words that stand before a command without being a part of it.
const PREFIXES: [&str; 12] =
    ["!", "command", "do", "elif", "else", "env", "exec", "if", "nohup", "sudo", "then", "time"];
/// Words that decide whether other commands run, or turn a status around.
const STEERING: [&str; 25] = [
    "!", "alias", "break", "builtin", "case", "continue", "coproc", "do", "done", "elif", "else", "esac", "eval",
    "exec", "exit", "fi", "for", "function", "if", "return", "select", "then", "trap", "until", "while",
];
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
    /// Commands are not shown, one was too long to be kept whole, or the line that it was in does not tell how it went.
    Unknown,
}

impl Commands {
    /// Looks for the command of a receipt.
    pub fn sight(&self, receipt: &str) -> Sighting {
        let Self::Visible(runs) = self else { return Sighting::Unknown };
        // Command lines are kept without secrets, and so they are compared without.
        let receipt = redact(receipt);
        let candidates: Vec<Vec<Simple>> = readings(&receipt).collect();
        let found = runs.iter().rev().find_map(|run| {
            let ran = parse(&run.line, 0);
            let clear: Vec<&Ran> = ran.iter().filter(|ran| ran.is_clear).collect();
            let all: Vec<&Ran> = ran.iter().collect();
            let has = |ran: &[&Ran]| candidates.iter().any(|wanted| is_within(wanted, ran));
            if has(&clear) { Some((run, true)) } else { has(&all).then_some((run, false)) }
        });
        match found {
            Some((_, false)) => Sighting::Unknown,
            Some((run, true)) if run.succeeded => Sighting::Succeeded,
            Some((_, true)) => Sighting::Failed,
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
        let all: Vec<Simple> = parse(text, 0).into_iter().map(|ran| ran.words).collect();
        let told: Vec<Simple> = all.iter().filter(|simple| !is_setting(simple)).cloned().collect();
        if told.is_empty() { all } else { told }
    })
}

fn is_setting(simple: &Simple) -> bool {
    simple.first().is_some_and(|program| SETTINGS.contains(&program.as_str()))
}

/// Whether all of `wanted` are among `ran`, in their order. Nothing is within nothing.
fn is_within(wanted: &[Simple], ran: &[&Ran]) -> bool {
    let mut ran = ran.iter();
    !wanted.is_empty() && wanted.iter().all(|wanted| ran.any(|ran| is_same(wanted, &ran.words)))
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

/// A simple command of a command line that ran.
struct Ran {
    words: Simple,
    /// Whether the status of the whole line is also this command's: it ran, and went well if the line did.
    is_clear: bool,
}

/// The simple commands of a command line, those of a shell that it calls in place of that.
fn parse(line: &str, depth: usize) -> Vec<Ran> {
    let argv = line.trim_start().starts_with('[').then(|| serde_json::from_str::<Simple>(line.trim()).ok()).flatten();
    let Reading { mut parts, mut is_plain, .. } = match argv {
        Some(argv) => Reading { parts: vec![(argv, After::End)], is_plain: true, ..Reading::default() },
        None => split(line),
    };
    for (words, _) in &mut parts {
        is_plain &= unprefix(words);
    }
    parts.retain(|(words, _)| !words.is_empty());
    // The status of a sequence is that of its last command, and of a chain of `&&` that of each.
    let is_break = |(place, (_, after)): (usize, &(Simple, After))| *after == After::Next && place + 1 < parts.len();
    let chain = parts.iter().enumerate().rposition(is_break).map_or(0, |place| place + 1);
    let is_chain = parts[chain..].iter().all(|(_, after)| matches!(after, After::And | After::Next | After::End));
    let ran = parts.into_iter().enumerate().flat_map(|(place, (words, _))| {
        let is_clear = is_plain && is_chain && place >= chain;
        unwrapped(Ran { words, is_clear }, depth)
    });
    ran.collect()
}

/// Takes away what only stands before a simple command: `RUST_LOG=debug time cargo test`, `timeout 60 make`. Tells whether
/// no word steers what else runs.
fn unprefix(simple: &mut Simple) -> bool {
    let mut is_plain = true;
    loop {
        let Some(word) = simple.first().map(String::as_str) else { return is_plain };
        is_plain &= !STEERING.contains(&word);
        match word {
            _ if PREFIXES.contains(&word) || is_assignment(word) => drop(simple.remove(0)),
            "timeout" if simple.len() > 2 && !simple[1].starts_with('-') => drop(simple.drain(..2)),
            // With `-n` a shell reads on and runs nothing.
            "set" => return is_plain && !simple[1..].iter().any(|word| word.starts_with('-') && word.contains('n')),
            _ => return is_plain,
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
fn unwrapped(ran: Ran, depth: usize) -> Vec<Ran> {
    let is_shell = ran.words.first().is_some_and(|program| SHELLS.contains(&file_name(program)));
    let is_script_flag = |word: &&String| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c');
    let Some(flag) = ran.words.iter().skip(1).position(|word| is_script_flag(&word)).map(|place| place + 1) else {
        return vec![ran];
    };
    match ran.words.get(flag + 1) {
        Some(script) if is_shell && depth < SHELLS_DEEP => {
            let is_usual = |word: &String| word.bytes().skip(1).all(|byte| b"ceilux".contains(&byte));
            let is_clear = ran.is_clear && ran.words[1..=flag].iter().all(is_usual);
            let inner = parse(script, depth + 1).into_iter();
            inner.map(|inner| Ran { is_clear: is_clear && inner.is_clear, ..inner }).collect()
        }
        Some(_) | None => vec![ran],
    }
}

/// Splits a command line as a shell does: at operators, then into words without their quotes. Redirections and comments go.
fn split(line: &str) -> Reading {
    let mut reading = Reading { is_plain: true, ..Reading::default() };
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
            '#' if reading.word.is_none() => while chars.next_if(|c| *c != '\n').is_some() {},
            '>' | '<' => {
                // What follows `<<` is a text.
                reading.is_plain &= c == '>' || chars.peek() != Some(&'<');
                reading.begin_redirection();
                while chars.next_if(|c| matches!(c, '>' | '<' | '&' | '|' | '-')).is_some() {}
                while chars.next_if(|c| *c == ' ').is_some() {}
            }
            // `&>` sends both streams somewhere.
            '&' if chars.peek() == Some(&'>') => {}
            '&' if chars.next_if_eq(&'&').is_some() => reading.end_simple(After::And),
            ';' | '\n' => reading.end_simple(After::Next),
            '|' | '&' => reading.end_simple(After::Other),
            '(' | ')' | '`' => {
                reading.is_plain = false;
                reading.end_simple(After::Other);
            }
            c if c.is_whitespace() => reading.end_word(),
            c => reading.push(c),
        }
    }
    reading.end_simple(After::End);
    reading
}

/// The operator after a simple command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum After {
    /// `&&`
    And,
    /// `;` or a new line
    Next,
    /// `|`, `||` or `&`: the status of the line says nothing about this command.
    Other,
    #[default]
    End,
}

/// A command line, as far as it was read.
#[derive(Default)]
struct Reading {
    parts: Vec<(Simple, After)>,
    simple: Simple,
    word: Option<String>,
    /// Whether the next word is the file of a redirection.
    redirects: bool,
    /// Whether there is nothing but simple commands between operators: no blocks, conditions, functions or texts.
    is_plain: bool,
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
        self.is_plain &= !is_block;
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

    fn end_simple(&mut self, after: After) {
        self.end_word();
        self.redirects = false;
        match (self.simple.is_empty(), self.parts.last_mut()) {
            (false, _) => self.parts.push((std::mem::take(&mut self.simple), after)),
            // `&&` at the end of a line goes on in the next one; `||` is two operators here.
            (true, Some((_, last))) if after == After::Other => *last = after,
            (true, _) => {}
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
            "/bin/bash -lc 'cd crates && cargo test -p core 2>&1'",
            "cd /tmp/x && RUST_LOG=debug time cargo test -p core > out.txt",
            "cargo fmt; cargo test -p 'core'",
            "cargo fmt\ncargo test -p core",
            "set -eu\ncargo fmt &&\ncargo test -p core;",
            "timeout 60 cargo test -p core # as asked",
            "/usr/bin/cargo test -p core &> out.txt",
            "sh -c \"bash -c 'cargo test -p core'\"",
        ] {
            assert_eq!(sight("cargo test -p core", line), Sighting::Succeeded, "{line}");
        }
    }

    #[test]
    fn a_line_whose_status_is_not_the_commands_tells_nothing_about_it() {
        for line in [
            "make check || true",
            "true || make check",
            "make check; true",
            "make check\necho fine",
            "make check | tail -5",
            "make check |& cat",
            "! make check",
            "time ! make check",
            "make check &",
            "make check & true",
            "(make check)",
            "{ make check; } 2>&1",
            "if false; then make check; fi",
            "for i in; do make check; done",
            "while false\ndo make check\ndone",
            "case x in y) make check;; esac",
            "exit 0; make check",
            "true && exit 0 && make check",
            "command exit 0; make check",
            "trap 'exit 0' EXIT; make check",
            "f() {\nmake check\n}",
            "function f {\nmake check\n}",
            "make() { true; }; make check",
            "alias make=true; make check",
            "cat <<EOF\nmake check\nEOF",
            "set -n; make check",
            "bash -n -c 'make check'",
            "bash -c 'make check || true'",
            "bash -c 'make check' || true",
            "sh -c 'exit 0; make check'",
            "[\"bash\",\"-lc\",\"make check | cat\"]",
        ] {
            assert_eq!(sight("make check", line), Sighting::Unknown, "{line}");
        }
        assert_eq!(sight("make check", "true # ; make check"), Sighting::NotRun);
        // An earlier line that tells is not the last word about it.
        let run = |line: &str, succeeded| CommandRun { line: line.to_owned(), succeeded };
        let runs = vec![run("make check", true), run("make check || true", true)];
        assert_eq!(Commands::Visible(runs).sight("make check"), Sighting::Unknown);
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
