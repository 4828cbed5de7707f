//! Bodies of heredocs. A body is text for the command; only expansions in it are run.

use super::{
    lexer::{Lexer, PendingHeredoc, Unreadable},
    token::{Token, Word},
};

impl Lexer<'_> {
    /// Reads the body from here on and makes it the target of its redirection.
    pub(super) fn read_body(&mut self, heredoc: &PendingHeredoc, tokens: &mut [Token]) -> Result<(), Unreadable> {
        let mut body = Word::default();
        let mut continues = false;
        loop {
            let line = self.take_line().ok_or(Unreadable)?;
            let line = if heredoc.strips_tabs { line.trim_start_matches('\t') } else { line };
            let is_continued = !heredoc.is_literal && ends_with_escape(line);
            // Joined lines may hide the delimiter or make one, and shells differ in it.
            let candidate = if is_continued { line.trim_end_matches('\\') } else { line };
            if candidate == heredoc.delimiter {
                if continues || is_continued {
                    return Err(Unreadable);
                }
                break;
            }
            if continues && heredoc.delimiter.ends_with(line) {
                return Err(Unreadable);
            }
            continues = is_continued;
            body.text.push_str(line);
            body.text.push('\n');
        }
        if !heredoc.is_literal {
            let text = std::mem::take(&mut body.text);
            Lexer::new(&text, self.depth).expansions(&mut body)?;
            body.text = text;
        }
        if let Some(Token::Redirect(redirect)) = tokens.get_mut(heredoc.index) {
            redirect.target = body;
        }
        Ok(())
    }

    /// Reads text in which only expansions are special.
    fn expansions(&mut self, word: &mut Word) -> Result<(), Unreadable> {
        loop {
            match self.peek() {
                None => return Ok(()),
                Some('\\') => {
                    self.bump();
                    self.bump();
                }
                Some('$') => self.dollar(word, true)?,
                Some('`') => self.backticks(word, true)?,
                Some(_) => {
                    self.bump();
                }
            }
        }
    }
}

fn ends_with_escape(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}
