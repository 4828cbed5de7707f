//! Tokens of a shell command.

/// A piece of a command.
#[derive(Debug)]
pub(super) enum Token {
    Word(Word),
    Control(Control),
    Redirect(Redirect),
}

/// An operator between commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    Semicolon,
    Newline,
    Background,
    And,
    Or,
    Pipe,
    Open,
    Close,
}

/// A word after quote removal. Expansions stay as they are written.
#[derive(Debug, Default)]
pub(super) struct Word {
    pub(super) text: String,
    /// The bytes at the beginning of `text` that are literal and unquoted.
    pub(super) bare: usize,
    pub(super) quoted: bool,
    /// A variable or substitution is part of it.
    pub(super) expands: bool,
    /// The shell may make several words of it.
    pub(super) splits: bool,
    /// Its first character is not known.
    pub(super) starts_unknown: bool,
    /// A quoted part has the text of a substitution, which arithmetic would run.
    pub(super) hides: bool,
    /// `<(…)` or `>(…)` is part of it.
    pub(super) is_process: bool,
    /// An expansion may do more than expand, or shells disagree about the word.
    pub(super) is_opaque: bool,
    /// The commands of its substitutions.
    pub(super) scripts: Vec<Vec<Token>>,
}

impl Word {
    /// The text, if the word has no quotes and nothing to expand: keywords are such words.
    pub(super) fn keyword(&self) -> Option<&str> {
        (self.bare == self.text.len() && !self.quoted && !self.expands).then_some(&self.text)
    }

    /// The text, if the shell passes on exactly this one.
    pub(super) fn literal(&self) -> Option<&str> {
        (!self.expands && !self.splits && !self.is_process && !self.is_opaque).then_some(&self.text)
    }

    /// Whether it may become an option, or several words.
    pub(super) const fn may_be_option(&self) -> bool {
        self.splits || self.starts_unknown
    }
}

/// A redirection of a file descriptor.
#[derive(Debug)]
pub(super) struct Redirect {
    pub(super) descriptor: Descriptor,
    pub(super) kind: RedirectKind,
    pub(super) target: Word,
}

/// The descriptor before a redirection's operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Descriptor {
    Default,
    Number(u32),
    /// `{name}>`: the shell chooses one.
    Variable,
}

/// The operator of a redirection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RedirectKind {
    /// `<`
    Input,
    /// `>`, `>>`, `>|`, `&>`, `&>>`, `<>`
    Output,
    /// `<&`
    DuplicateInput,
    /// `>&`, which writes a file if its target is no descriptor
    DuplicateOutput,
    /// `<<` and `<<-`; the target's text is the body
    Heredoc { strips_tabs: bool },
    /// `<<<`
    HereString,
}
