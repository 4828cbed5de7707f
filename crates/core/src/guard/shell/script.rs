//! The commands of a script, in order, and the directory of each.
//!
//! Conditions and loops are not followed: every command in them counts as run. A `cd` counts for the commands that run only after it
//! succeeded (`&&`); for later ones the directory is unsure.

use super::{
    assignment, command,
    lexer::{self, DEPTH_MAX},
    scene::{Directory, Scene},
    token::{Control, Redirect, Token, Word},
};

/// How many groups and subshells may be open at once.
const FRAMES_MAX: usize = 64;

/// Reads `text` and adds its findings. Its own changes of directory end with it.
pub(super) fn read(text: &str, scene: &mut Scene, depth: usize) {
    let (tokens, is_complete) = lexer::tokens(text, depth);
    scene.is_partial |= !is_complete;
    let directory = scene.directory.clone();
    walk(&tokens, scene, depth);
    scene.directory = directory;
}

/// A group or subshell that is open.
struct Frame {
    /// Set for a subshell, whose directory is its own.
    directory: Option<Directory>,
    chain: Chain,
}

/// Commands between separators.
#[derive(Clone, Copy, Default)]
struct Chain {
    /// The directory changed, which may have failed.
    moved: bool,
    /// The next command may run because the one before failed.
    is_alternative: bool,
}

struct Walk<'a> {
    scene: &'a mut Scene,
    depth: usize,
    chain: Chain,
    frames: Vec<Frame>,
    has_cd: bool,
}

/// The rest of a script cannot be read.
struct Stop;

fn walk(tokens: &[Token], scene: &mut Scene, depth: usize) {
    let has_cd = tokens.iter().any(
        |token| matches!(token, Token::Word(word) if matches!(word.text.as_str(), "cd" | "pushd" | "popd" | "chdir")),
    );
    let mut walk = Walk { scene, depth, chain: Chain::default(), frames: Vec::new(), has_cd };
    let is_read = walk.run(tokens).is_ok() && walk.frames.is_empty();
    scene.is_partial |= !is_read;
}

impl Walk<'_> {
    fn run(&mut self, tokens: &[Token]) -> Result<(), Stop> {
        let mut at = 0;
        let mut before = None;
        while let Some(token) = tokens.get(at) {
            if let Token::Control(control) = token {
                self.control(*control, before)?;
                before = Some(*control);
                at += 1;
                continue;
            }
            let rest = tokens.get(at..).unwrap_or_default();
            if let Token::Word(word) = token {
                if word.keyword() == Some("[[") {
                    at += self.condition(rest)?;
                    continue;
                }
                if self.keyword(word)? {
                    at += 1;
                    continue;
                }
            }
            let length = rest.iter().position(|token| matches!(token, Token::Control(_))).unwrap_or(rest.len());
            let after = rest.get(length).and_then(|token| match token {
                Token::Control(control) => Some(*control),
                _ => None,
            });
            // A function is defined, or a list assigned.
            if after == Some(Control::Open) {
                return Err(Stop);
            }
            let in_pipe = before == Some(Control::Pipe) || matches!(after, Some(Control::Pipe | Control::Background));
            self.command(rest.get(..length).unwrap_or_default(), in_pipe);
            before = None;
            at += length;
        }
        Ok(())
    }

    fn control(&mut self, control: Control, before: Option<Control>) -> Result<(), Stop> {
        match control {
            Control::Newline if matches!(before, Some(Control::And | Control::Or | Control::Pipe)) => {}
            Control::Semicolon | Control::Newline | Control::Background => {
                self.scene.directory.is_unsure |= self.chain.moved;
                self.chain = Chain::default();
            }
            Control::Or => {
                self.scene.directory.is_unsure |= self.chain.moved;
                self.chain.is_alternative = true;
            }
            Control::And | Control::Pipe => {}
            Control::Open => {
                let directory = Some(self.scene.directory.clone());
                self.open(directory)?;
            }
            Control::Close => {
                let Some(Frame { directory: Some(directory), chain }) = self.frames.pop() else { return Err(Stop) };
                self.scene.directory = directory;
                self.chain = chain;
            }
        }
        Ok(())
    }

    fn open(&mut self, directory: Option<Directory>) -> Result<(), Stop> {
        if self.frames.len() >= FRAMES_MAX {
            return Err(Stop);
        }
        self.frames.push(Frame { directory, chain: self.chain });
        self.chain.moved = false;
        Ok(())
    }

    /// Takes a word that the shell itself understands where a command is expected. Says no for any other.
    fn keyword(&mut self, word: &Word) -> Result<bool, Stop> {
        match word.keyword() {
            Some("if" | "then" | "elif" | "else" | "fi" | "do" | "done") => {}
            Some("while" | "until") => self.scene.directory.is_unsure |= self.has_cd,
            Some("!") => self.chain.is_alternative = true,
            Some("{") => self.open(None)?,
            Some("}") => {
                let Some(Frame { directory: None, chain }) = self.frames.pop() else { return Err(Stop) };
                self.chain.moved |= chain.moved;
                self.chain.is_alternative |= chain.is_alternative;
            }
            Some("case" | "esac" | "select" | "function" | "coproc" | "in") => return Err(Stop),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Reads `[[ … ]]` and says how many tokens it has.
    fn condition(&mut self, tokens: &[Token]) -> Result<usize, Stop> {
        let is_end = |token: &Token| matches!(token, Token::Word(word) if word.keyword() == Some("]]"));
        let length = tokens.iter().position(is_end).ok_or(Stop)? + 1;
        let mut words = Vec::new();
        let mut is_joined = false;
        for token in tokens.get(1..length).unwrap_or_default() {
            match token {
                Token::Word(word) => {
                    self.look_into(word);
                    // A shell without this form runs the command that it sees behind `||`.
                    self.scene.is_partial |= is_joined && !word.text.starts_with('-');
                    is_joined = false;
                    words.push(word);
                }
                Token::Control(Control::And | Control::Or | Control::Newline) => is_joined = true,
                Token::Control(_) => return Err(Stop),
                // A comparison here, a redirection elsewhere.
                Token::Redirect(redirect) => {
                    self.look_into(&redirect.target);
                    self.scene.unknown();
                }
            }
        }
        self.scene.is_partial |= !command::is_plain_test(&words);
        Ok(length)
    }

    fn command(&mut self, tokens: &[Token], in_pipe: bool) {
        let mut words = Vec::new();
        let mut redirects = Vec::new();
        for token in tokens {
            match token {
                Token::Word(word) => {
                    self.look_into(word);
                    words.push(word);
                }
                Token::Redirect(redirect) => {
                    self.look_into(&redirect.target);
                    redirects.push(redirect);
                }
                Token::Control(_) => {}
            }
        }
        if words.first().and_then(|word| word.keyword()) == Some("for") {
            return self.each(&words, &redirects);
        }
        let before = self.scene.directory.clone();
        let moved = command::read(&words, &redirects, self.scene, self.depth);
        if moved && in_pipe {
            self.scene.directory = before;
            self.scene.directory.is_unsure = true;
        } else if moved {
            self.chain.moved = true;
            self.scene.directory.is_unsure |= self.chain.is_alternative;
        }
    }

    /// Reads `for name in words`.
    fn each(&mut self, words: &[&Word], redirects: &[&Redirect]) {
        let name = words.get(1).and_then(|word| word.literal());
        let is_plain = name.is_some_and(|name| assignment::is_name(name) && !assignment::is_powerful(name));
        let has_list = words.get(2).is_none_or(|word| word.keyword() == Some("in"));
        let hides = words.iter().any(|word| word.hides);
        self.scene.is_partial |= !is_plain || !has_list || hides || !redirects.is_empty();
        self.scene.directory.is_unsure |= self.has_cd;
    }

    /// Reads the substitutions of a word.
    fn look_into(&mut self, word: &Word) {
        self.scene.is_partial |= word.is_opaque;
        for script in &word.scripts {
            if self.depth >= DEPTH_MAX {
                return self.scene.unknown();
            }
            let directory = self.scene.directory.clone();
            walk(script, self.scene, self.depth + 1);
            self.scene.directory = directory;
        }
    }
}
