//! Quotes and expansions inside words.

use super::{
    lexer::{self, Lexer, Unreadable},
    token::Word,
};

impl Word {
    /// Adds a character that is neither quoted nor part of an expansion.
    pub(super) fn push_bare(&mut self, plain: char, next: Option<char>) {
        let is_first = self.text.is_empty() && !self.quoted;
        // A brace that stands alone opens a group.
        let opens_braces = plain == '{' && !(is_first && matches!(next, None | Some(' ' | '\t' | '\n' | ';')));
        if matches!(plain, '*' | '?' | '[') || opens_braces {
            self.splits = self.splits || plain != '[' || next.is_some_and(|next| !next.is_ascii_whitespace());
            self.starts_unknown |= is_first && self.splits;
        }
        if self.bare == self.text.len() && !self.quoted && !self.expands {
            self.bare += plain.len_utf8();
        }
        self.text.push(plain);
    }

    pub(super) fn push_quoted(&mut self, character: char) {
        self.quoted = true;
        self.hides |= matches!(character, '$' | '`');
        self.text.push(character);
    }

    /// Adds an expansion as it is written.
    pub(super) fn expand(&mut self, written: &str, in_quotes: bool) {
        self.starts_unknown |= self.text.is_empty();
        self.expands = true;
        self.splits |= !in_quotes;
        self.text.push_str(written);
    }
}

impl Lexer<'_> {
    pub(super) fn single_quoted(&mut self, word: &mut Word) -> Result<(), Unreadable> {
        self.bump();
        let text = self.take_until('\'')?;
        word.quoted = true;
        word.hides |= text.contains("$(") || text.contains('`');
        // Some shells take a backslash before the closing quote as an escape.
        word.is_opaque |= text.ends_with('\\');
        word.text.push_str(text);
        Ok(())
    }

    pub(super) fn double_quoted(&mut self, word: &mut Word) -> Result<(), Unreadable> {
        self.bump();
        word.quoted = true;
        loop {
            match self.peek().ok_or(Unreadable)? {
                '"' => {
                    self.bump();
                    return Ok(());
                }
                '\\' => {
                    self.bump();
                    match self.bump().ok_or(Unreadable)? {
                        '\n' => {}
                        special @ ('$' | '`' | '"' | '\\') => word.push_quoted(special),
                        other => word.text.extend(['\\', other]),
                    }
                }
                '$' => self.dollar(word, true)?,
                '`' => self.backticks(word, true)?,
                plain => {
                    self.bump();
                    word.text.push(plain);
                }
            }
        }
    }

    /// Reads what follows a dollar sign: a variable, a substitution, arithmetic, a string, or nothing.
    pub(super) fn dollar(&mut self, word: &mut Word, in_quotes: bool) -> Result<(), Unreadable> {
        let start = self.position();
        self.bump();
        if in_quotes && self.rest().starts_with("\\\n") {
            return Err(Unreadable);
        }
        if !in_quotes {
            self.skip_continuations();
        }
        match self.peek() {
            Some('(') if self.rest().starts_with("((") => word.is_opaque |= self.arithmetic()?,
            Some('(') => {
                self.bump();
                let script = self.nested()?;
                word.scripts.push(script);
            }
            Some('{') => self.parameter(word, in_quotes)?,
            Some('[') => return Err(Unreadable),
            Some('\'') if !in_quotes => return self.escaped_string(word),
            Some('"') if !in_quotes => {
                word.is_opaque = true;
                return self.double_quoted(word);
            }
            Some(first) if first.is_ascii_alphanumeric() || first == '_' => {
                while self.peek().is_some_and(|next| next.is_ascii_alphanumeric() || next == '_') {
                    self.bump();
                }
                // A subscript in some shells, which is arithmetic.
                word.is_opaque |= self.peek() == Some('[');
            }
            Some('@' | '*' | '#' | '?' | '-' | '$' | '!') => {
                self.bump();
            }
            // Some shells have modifiers here.
            Some('=' | '~' | '^' | '+' | ':') if !in_quotes => {
                self.bump();
            }
            _ => {
                word.quoted |= in_quotes;
                word.text.push('$');
                return Ok(());
            }
        }
        word.expand(self.since(start), in_quotes);
        Ok(())
    }

    /// Reads `((…))`, and says whether it has names: their values are evaluated, and may hold substitutions.
    fn arithmetic(&mut self) -> Result<bool, Unreadable> {
        let (mut open, mut has_names) = (0_usize, false);
        loop {
            match self.bump().ok_or(Unreadable)? {
                '(' => open += 1,
                ')' if open > 1 => open -= 1,
                ')' => return Ok(has_names),
                '0'..='9' | ' ' | '+' | '-' | '*' | '/' | '%' | '<' | '>' | '=' | '!' | '&' | '|' | '^' | '?' | ':' => {
                }
                name if name.is_ascii_alphabetic() || name == '_' => has_names = true,
                '$' if self.peek().is_some_and(|next| next.is_ascii_alphanumeric()) => has_names = true,
                _ => return Err(Unreadable),
            }
        }
    }

    /// Reads `{…}` after a dollar sign.
    fn parameter(&mut self, word: &mut Word, in_quotes: bool) -> Result<(), Unreadable> {
        self.bump();
        // Some shells run commands in these.
        if matches!(self.peek(), None | Some(' ' | '\t' | '\n' | '|' | '(')) {
            return Err(Unreadable);
        }
        if self.depth >= lexer::DEPTH_MAX {
            return Err(Unreadable);
        }
        self.depth += 1;
        let start = self.position();
        let mut nested = Word::default();
        loop {
            match self.peek().ok_or(Unreadable)? {
                '}' => break,
                '\\' => {
                    self.bump();
                    self.bump();
                    nested.is_opaque = true;
                }
                '\'' if in_quotes => return Err(Unreadable),
                '\'' => self.single_quoted(&mut nested)?,
                '"' => self.double_quoted(&mut nested)?,
                '$' => self.dollar(&mut nested, in_quotes)?,
                '`' => self.backticks(&mut nested, in_quotes)?,
                _ => {
                    self.bump();
                }
            }
        }
        word.is_opaque |= nested.is_opaque || nested.quoted || nested.hides || !only_expands(self.since(start));
        word.scripts.append(&mut nested.scripts);
        self.bump();
        self.depth -= 1;
        Ok(())
    }

    /// Reads a substitution in backticks.
    pub(super) fn backticks(&mut self, word: &mut Word, in_quotes: bool) -> Result<(), Unreadable> {
        let start = self.position();
        self.bump();
        let mut script = String::new();
        loop {
            match self.bump().ok_or(Unreadable)? {
                '`' => break,
                '\\' => match self.bump().ok_or(Unreadable)? {
                    special @ ('`' | '\\' | '$') => script.push(special),
                    '"' if in_quotes => script.push('"'),
                    other => script.extend(['\\', other]),
                },
                plain => script.push(plain),
            }
        }
        let (tokens, is_complete) = lexer::tokens(&script, self.depth + 1);
        if !is_complete {
            return Err(Unreadable);
        }
        word.scripts.push(tokens);
        word.expand(self.since(start), in_quotes);
        Ok(())
    }

    /// Reads `'…'` after a dollar sign, in which backslashes are escapes.
    fn escaped_string(&mut self, word: &mut Word) -> Result<(), Unreadable> {
        self.bump();
        word.quoted = true;
        loop {
            let plain = match self.bump().ok_or(Unreadable)? {
                '\'' => return Ok(()),
                '\\' => match self.bump().ok_or(Unreadable)? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'a' => '\u{7}',
                    'b' => '\u{8}',
                    'e' | 'E' => '\u{1b}',
                    'f' => '\u{c}',
                    'v' => '\u{b}',
                    same @ ('\\' | '"' | '?') => same,
                    'x' => self.digits(16, 2).ok_or(Unreadable)?,
                    'u' => self.digits(16, 4).ok_or(Unreadable)?,
                    'U' => self.digits(16, 8).ok_or(Unreadable)?,
                    first @ '0'..='7' => self.octal(first).ok_or(Unreadable)?,
                    // An escaped quote ends the string in shells without this form.
                    other => {
                        word.is_opaque = true;
                        other
                    }
                },
                plain => plain,
            };
            word.push_quoted(plain);
        }
    }

    /// The ASCII character with the number that follows. Others depend on the locale.
    fn digits(&mut self, radix: u32, length_max: usize) -> Option<char> {
        let mut number = 0_u32;
        for _ in 0..length_max {
            let Some(digit) = self.peek().and_then(|next| next.to_digit(radix)) else { break };
            self.bump();
            number = number.checked_mul(radix)?.checked_add(digit)?;
        }
        u8::try_from(number).ok().filter(|byte| byte.is_ascii() && *byte != 0).map(char::from)
    }

    fn octal(&mut self, first: char) -> Option<char> {
        let mut number = first.to_digit(8)?;
        for _ in 0..2 {
            let Some(digit) = self.peek().and_then(|next| next.to_digit(8)) else { break };
            self.bump();
            number = number * 8 + digit;
        }
        u8::try_from(number).ok().filter(|byte| byte.is_ascii() && *byte != 0).map(char::from)
    }
}

/// Whether `${body}` only has a value. Other forms assign, look up indirectly, or evaluate.
fn only_expands(body: &str) -> bool {
    let name = body.strip_prefix('#').filter(|name| !name.is_empty()).unwrap_or(body);
    let rest = name.trim_start_matches(|part: char| part.is_ascii_alphanumeric() || part == '_');
    let has_name = rest.len() < name.len();
    let operators = [":-", "-", ":+", "+", ":?", "?", "#", "%", "/", "^", ","];
    has_name && (rest.is_empty() || operators.iter().any(|operator| rest.starts_with(operator)))
        || matches!(body, "@" | "*" | "#" | "?" | "$" | "!")
}
