//! The command line of `baton hook`, in the forms that harnesses run.

use serde_json::{Value, json};

use super::{Package, Registration};
use crate::Harness;

/// `baton hook <harness>`, as one harness is to run it.
#[derive(Clone, Debug)]
pub(crate) struct HookCommand {
    program: String,
    arguments: Vec<String>,
    /// Whether the program is looked up in `PATH`, as in files that a team shares.
    is_shared: bool,
    slug: &'static str,
    choices: Choices,
}

/// Options that a person chooses for every hook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choices {
    pub(crate) strict: bool,
    pub(crate) confine: bool,
}

impl Choices {
    fn options(self) -> impl Iterator<Item = &'static str> {
        [(STRICT, self.strict), (CONFINE, self.confine)].into_iter().filter(|(_, is_chosen)| *is_chosen).map(|(o, _)| o)
    }
}

const STRICT: &str = "--strict";
const CONFINE: &str = "--confine";
/// Has a hook wait after a turn.
pub(crate) const PARK: &str = "--park";
/// Has a hook ask the model for a wait of its own.
pub(crate) const STEER: &str = "--steer";

impl HookCommand {
    pub(crate) fn new(registration: &Registration, harness: Harness) -> Self {
        // The name of the variable tells only old versions which kind of store it is; `--store` takes both.
        let store = registration.variables().values().next();
        let store = store.into_iter().flat_map(|store| ["--store".to_owned(), store.clone()]);
        Self {
            program: registration.command().to_owned(),
            arguments: store.chain(["hook".to_owned(), harness.slug().to_owned()]).collect(),
            is_shared: registration.is_shared(),
            slug: harness.slug(),
            choices: Choices::default(),
        }
    }

    /// The command with the options that a person chose.
    pub(crate) fn choosing(self, package: &Package) -> Self {
        Self { choices: Choices { strict: package.strict, confine: package.confine }, ..self }
    }

    pub(crate) const fn choices(&self) -> Choices {
        self.choices
    }

    /// The words without the options that a person chose.
    pub(crate) fn bare_words(&self) -> Vec<String> {
        std::iter::once(&self.program).chain(&self.arguments).cloned().collect()
    }

    /// The command of a handler, read from one of the forms in which Baton writes it. A reader that is mistaken does no harm:
    /// the command is written again and compared.
    pub(crate) fn of_handler(handler: &Value, harness: Harness) -> Option<Self> {
        let line = handler["command"].as_str()?;
        let words = match handler["args"].as_array() {
            Some(arguments) => {
                let arguments = arguments.iter().map(|word| word.as_str().map(str::to_owned));
                std::iter::once(Some(line.to_owned())).chain(arguments).collect::<Option<_>>()?
            }
            None => words_of(line)?,
        };
        Self::of_words(words, harness)
    }

    pub(crate) fn of_words(words: Vec<String>, harness: Harness) -> Option<Self> {
        let mut words = words.into_iter();
        let program = words.next()?;
        let is_shared = !program.starts_with('/');
        let (chosen, arguments): (Vec<String>, Vec<String>) = words.partition(|word| word == STRICT || word == CONFINE);
        let has = |option: &str| chosen.iter().any(|word| word == option);
        let choices = Choices { strict: has(STRICT), confine: has(CONFINE) };
        Some(Self { program, arguments, is_shared, slug: harness.slug(), choices })
    }

    pub(crate) fn with(&self, option: &str) -> Self {
        let mut longer = self.clone();
        longer.arguments.push(option.to_owned());
        longer
    }

    pub(crate) fn program(&self) -> &str {
        &self.program
    }

    pub(crate) fn arguments(&self) -> Vec<String> {
        self.arguments.iter().cloned().chain(self.choices.options().map(str::to_owned)).collect()
    }

    pub(crate) fn is_shared(&self) -> bool {
        self.is_shared
    }

    pub(crate) fn words(&self) -> Vec<String> {
        std::iter::once(self.program.clone()).chain(self.arguments()).collect()
    }

    /// One command of a shell.
    pub(crate) fn line(&self) -> String {
        self.words().iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    /// A line that prints `otherwise`, or nothing, where the program is missing, and succeeds.
    pub(crate) fn line_or(&self, otherwise: Option<&Value>) -> String {
        let test = match self.is_shared {
            true => format!("command -v {} >/dev/null 2>&1", quoted(&self.program)),
            false => format!("[ -x {} ]", quoted(&self.program)),
        };
        let otherwise = otherwise.map(|answer| format!("printf '%s' {}; ", quoted(&answer.to_string())));
        match otherwise {
            Some(answer) => format!("{test} || {{ {answer}exit 0; }}; exec {}", self.line()),
            None => format!("{test} || exit 0; exec {}", self.line()),
        }
    }

    /// Such a line for a harness that runs it with whatever shell the person has.
    pub(crate) fn line_in_sh(&self, otherwise: Option<&Value>) -> String {
        format!("/bin/sh -c {}", quoted(&self.line_or(otherwise)))
    }

    /// The reason for which a strict installation refuses a tool.
    pub(crate) fn unreachable(&self, package: &Package) -> String {
        let (slug, options) = (self.slug, package.hook_options());
        format!(
            "Baton cannot be reached: {} is missing; reinstall it with `baton install {slug}{options}` or remove it with `baton uninstall {slug}`",
            self.program
        )
    }

    /// The refusal in the words of Claude Code and Codex.
    pub(crate) fn refusal(&self, package: &Package) -> Value {
        json!({ "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": self.unreachable(package),
        } })
    }
}

/// Whether a handler of somebody's hooks runs `baton hook` for this harness.
pub(crate) fn is_ours(handler: &Value, slug: &str) -> bool {
    let words = handler["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let line = handler["command"].as_str().unwrap_or_default();
    let line = line.split_whitespace().map(|word| word.trim_matches(['\'', '"', ';']));
    let words: Vec<&str> = line.chain(words).collect();
    words.windows(2).any(|pair| pair == ["hook", slug])
}

/// The words of `baton hook` in a line, whichever form the line has.
fn words_of(line: &str) -> Option<Vec<String>> {
    let words = unquoted(line)?;
    if let [shell, option, inner] = words.as_slice()
        && (shell.as_str(), option.as_str()) == ("/bin/sh", "-c")
    {
        return words_of(inner);
    }
    match line.rsplit_once("; exec ") {
        Some((_, command)) => unquoted(command),
        None => Some(words),
    }
}

/// The words of a line that [`quoted`] made.
fn unquoted(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), None::<String>, false);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            ' ' if !is_quoted => words.extend(word.take()),
            '\\' if !is_quoted => word.get_or_insert_default().push(letters.next()?),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    (!is_quoted).then_some(words)
}

pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+=:,@%".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn command(program: &str) -> HookCommand {
        let store = ("BATON_STORE".to_owned(), "postgres://a@b/c?d=1".to_owned());
        HookCommand::new(&Registration::new(Path::new(program), [], [store]).unwrap(), Harness::Gemini)
    }

    #[test]
    fn a_line_quotes_what_a_shell_would_change() {
        assert_eq!(command("/o p/b'n").line(), r#"'/o p/b'\''n' --store 'postgres://a@b/c?d=1' hook gemini"#);
    }

    #[test]
    fn a_command_is_read_back_from_every_form_in_which_it_is_written() {
        for program in ["/b", "/o p/b'n", "/a; exec /b"] {
            let ours = command(program);
            let refusal = ours.refusal(&Package::default());
            let read = |handler: Value| HookCommand::of_handler(&handler, Harness::Gemini).map(|read| read.words());
            assert_eq!(read(json!({ "command": program, "args": ours.arguments() })), Some(ours.words()));
            let lines = [ours.line(), ours.line_in_sh(None), ours.line_or(None), ours.line_or(Some(&refusal))];
            for line in lines.into_iter().filter(|_| !program.contains("exec")) {
                assert_eq!(read(json!({ "command": line })), Some(ours.words()), "{line}");
            }
        }
        assert!(HookCommand::of_handler(&json!({ "command": "a 'b" }), Harness::Gemini).is_none());
    }

    #[test]
    fn a_handler_is_ours_by_the_command_that_it_runs() {
        let ours = command("/b");
        for line in [
            ours.line(),
            ours.with("--park").line(),
            ours.line_or(None),
            ours.line_in_sh(Some(&ours.refusal(&Package::default()))),
        ] {
            assert!(is_ours(&json!({ "command": line }), "gemini"), "{line}");
            assert!(!is_ours(&json!({ "command": line }), "codex"), "{line}");
        }
        assert!(is_ours(&json!({ "command": "/b", "args": ours.arguments() }), "gemini"));
        assert!(!is_ours(&json!({ "command": "hook", "type": "gemini" }), "gemini"));
    }
}
