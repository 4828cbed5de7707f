//! Tokens from text: operators, words and redirections, in one pass.
//!
//! Quotes and expansions inside words are in [`super::quotes`], bodies of heredocs in [`super::heredoc`].

use super::token::{Control, Descriptor, Redirect, RedirectKind, Token, Word};

/// How deep substitutions, and shells that run shells, may be nested.
pub(super) const DEPTH_MAX: usize = 8;

/// The text is not a command that can be read: it ends too early, or uses a form that is not known here.
#[derive(Debug)]
pub(super) struct Unreadable;

/// Position in the text of a command.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    pub(super) depth: usize,
    /// Heredocs of surrounding commands whose bodies are still to come.
    pending_outside: usize,
}

/// Where a run of tokens ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Text,
    Parenthesis,
}

/// The tokens of `text`, and whether that is all of it. Lines before one that cannot be read are kept, since a shell runs them.
pub(super) fn tokens(text: &str, depth: usize) -> (Vec<Token>, bool) {
    let mut tokens = Vec::new();
    if depth > DEPTH_MAX || text.contains('\0') {
        return (tokens, false);
    }
    let complete = Lexer::new(text, depth).run(End::Text, &mut tokens).is_ok();
    if !complete {
        let newline = tokens.iter().rposition(|token| matches!(token, Token::Control(Control::Newline)));
        tokens.truncate(newline.unwrap_or(0));
    }
    (tokens, complete)
}

impl<'a> Lexer<'a> {
    pub(super) const fn new(text: &'a str, depth: usize) -> Self {
        Self { text, at: 0, depth, pending_outside: 0 }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Takes `expected` if it is next.
    pub(super) fn take(&mut self, expected: char) -> bool {
        self.skip_continuations();
        let is_next = self.peek() == Some(expected);
        if is_next {
            self.at += expected.len_utf8();
        }
        is_next
    }

    /// Takes text up to `end`, which is taken too.
    pub(super) fn take_until(&mut self, end: char) -> Result<&'a str, Unreadable> {
        let (before, _) = self.rest().split_once(end).ok_or(Unreadable)?;
        self.at += before.len() + end.len_utf8();
        Ok(before)
    }

    /// Takes a line without its end. There is none at the end of the text.
    pub(super) fn take_line(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let line = rest.split('\n').next().filter(|_| !rest.is_empty())?;
        self.at = (self.at + line.len() + 1).min(self.text.len());
        Some(line)
    }

    /// The text from `start` to here.
    pub(super) fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    pub(super) const fn position(&self) -> usize {
        self.at
    }

    pub(super) fn skip_continuations(&mut self) {
        while self.rest().starts_with("\\\n") {
            self.at += 2;
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            self.skip_continuations();
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('#') => return self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }

    /// The commands up to the parenthesis that closes a substitution, which is taken too.
    pub(super) fn nested(&mut self) -> Result<Vec<Token>, Unreadable> {
        if self.depth >= DEPTH_MAX {
            return Err(Unreadable);
        }
        self.depth += 1;
        let mut tokens = Vec::new();
        self.run(End::Parenthesis, &mut tokens)?;
        self.depth -= 1;
        Ok(tokens)
    }

    fn run(&mut self, end: End, tokens: &mut Vec<Token>) -> Result<(), Unreadable> {
        let mut open = 0_usize;
        let mut pending: Vec<PendingHeredoc> = Vec::new();
        loop {
            self.skip_blanks();
            let control = match self.peek() {
                None if end == End::Text && pending.is_empty() => return Ok(()),
                None => return Err(Unreadable),
                Some('\n') => {
                    self.bump();
                    if self.pending_outside > 0 {
                        return Err(Unreadable);
                    }
                    for heredoc in std::mem::take(&mut pending) {
                        self.read_body(&heredoc, tokens)?;
                    }
                    Control::Newline
                }
                Some(';') => {
                    self.bump();
                    // `;;` and its kin belong to `case`.
                    if self.take(';') || self.take('&') {
                        return Err(Unreadable);
                    }
                    Control::Semicolon
                }
                Some('|') => {
                    self.bump();
                    if self.take('|') {
                        Control::Or
                    } else {
                        self.take('&');
                        Control::Pipe
                    }
                }
                Some('&') => {
                    self.bump();
                    if self.take('&') {
                        Control::And
                    } else if self.take('>') {
                        self.take('>');
                        tokens.push(self.redirect_to(Descriptor::Default, RedirectKind::Output)?);
                        continue;
                    } else {
                        Control::Background
                    }
                }
                Some('(') => {
                    self.bump();
                    // Arithmetic, or a subshell at the beginning of another; only the shell's parser knows.
                    if self.take('(') {
                        return Err(Unreadable);
                    }
                    open += 1;
                    Control::Open
                }
                Some(')') => {
                    self.bump();
                    if end == End::Parenthesis && open == 0 {
                        return if pending.is_empty() { Ok(()) } else { Err(Unreadable) };
                    }
                    open = open.checked_sub(1).ok_or(Unreadable)?;
                    Control::Close
                }
                Some(_) => {
                    self.pending_outside += pending.len();
                    let token = self.word_or_redirect()?;
                    self.pending_outside -= pending.len();
                    if let Token::Redirect(Redirect { kind: RedirectKind::Heredoc { strips_tabs }, target, .. }) =
                        &token
                    {
                        pending.push(PendingHeredoc::new(tokens.len(), target, *strips_tabs)?);
                    }
                    tokens.push(token);
                    continue;
                }
            };
            tokens.push(Token::Control(control));
        }
    }

    fn word_or_redirect(&mut self) -> Result<Token, Unreadable> {
        let word = self.word()?;
        if !matches!(self.peek(), Some('<' | '>')) {
            return if word.text.is_empty() && !word.quoted { Err(Unreadable) } else { Ok(Token::Word(word)) };
        }
        let descriptor = match word.keyword() {
            Some("") => Descriptor::Default,
            Some(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                Descriptor::Number(number.parse().map_err(|_| Unreadable)?)
            }
            Some(name) if name.starts_with('{') && name.ends_with('}') => Descriptor::Variable,
            _ => return Ok(Token::Word(word)),
        };
        self.redirect(descriptor)
    }

    fn redirect(&mut self, descriptor: Descriptor) -> Result<Token, Unreadable> {
        let kind = if self.take('>') {
            if self.take('&') {
                RedirectKind::DuplicateOutput
            } else {
                let _appends_or_forces = self.take('>') || self.take('|');
                RedirectKind::Output
            }
        } else if self.take('<') && self.take('<') {
            if self.take('<') {
                RedirectKind::HereString
            } else {
                RedirectKind::Heredoc { strips_tabs: self.take('-') }
            }
        } else if self.take('&') {
            RedirectKind::DuplicateInput
        } else if self.take('>') {
            RedirectKind::Output
        } else {
            RedirectKind::Input
        };
        self.redirect_to(descriptor, kind)
    }

    fn redirect_to(&mut self, descriptor: Descriptor, kind: RedirectKind) -> Result<Token, Unreadable> {
        self.skip_blanks();
        let target = self.word()?;
        if target.text.is_empty() && !target.quoted {
            return Err(Unreadable);
        }
        Ok(Token::Redirect(Redirect { descriptor, kind, target }))
    }

    fn word(&mut self) -> Result<Word, Unreadable> {
        let mut word = Word::default();
        loop {
            self.skip_continuations();
            match self.peek() {
                None | Some(' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')') => return Ok(word),
                Some('<' | '>') => {
                    let start = self.at;
                    self.bump();
                    if !self.take('(') {
                        self.at = start;
                        return Ok(word);
                    }
                    let script = self.nested()?;
                    word.scripts.push(script);
                    // The shell puts one path here.
                    (word.is_process, word.expands) = (true, true);
                    word.text.push_str(self.since(start));
                }
                Some('\\') => {
                    self.bump();
                    word.push_quoted(self.bump().ok_or(Unreadable)?);
                }
                Some('\'') => self.single_quoted(&mut word)?,
                Some('"') => self.double_quoted(&mut word)?,
                Some('$') => self.dollar(&mut word, false)?,
                Some('`') => self.backticks(&mut word, false)?,
                Some(plain) => {
                    self.bump();
                    word.push_bare(plain, self.peek());
                }
            }
        }
    }
}

/// A heredoc whose body comes after the end of the line.
pub(super) struct PendingHeredoc {
    /// Its redirection's place among the tokens.
    pub(super) index: usize,
    pub(super) delimiter: String,
    pub(super) strips_tabs: bool,
    pub(super) is_literal: bool,
}

impl PendingHeredoc {
    fn new(index: usize, target: &Word, strips_tabs: bool) -> Result<Self, Unreadable> {
        // Shells disagree about delimiters with a dollar sign.
        if target.expands || target.is_opaque || target.text.contains('\n') {
            return Err(Unreadable);
        }
        Ok(Self { index, delimiter: target.text.clone(), strips_tabs, is_literal: target.quoted })
    }
}
