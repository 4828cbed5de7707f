//! `sed`: its scripts can write files and run programs, and with `-i` it writes its operands.

use std::{iter::Peekable, str::Chars};

use super::{
    arguments::{Arguments, Value},
    scene::Scene,
    token::Word,
};

/// Reads the arguments of `sed`.
pub(super) fn read(words: &[&Word], scene: &mut Scene) {
    if words.iter().any(|word| word.starts_unknown && word.splits && word.expands) {
        scene.unknown();
    }
    let mut words = words.to_vec();
    // BSD's form: the suffix of the copy is a word of its own, and empty.
    if let Some(at) = words.iter().position(|word| word.text == "-i")
        && words.get(at + 1).is_some_and(|suffix| suffix.text.is_empty())
    {
        words.remove(at + 1);
    }
    let arguments = Arguments::read(&words, "e:f:l:i::", &["expression", "file", "line-length"]);
    let mut in_place = false;
    let mut has_script = false;
    for option in &arguments.options {
        match option.name {
            "n" | "E" | "r" | "s" | "u" | "z" if !option.is_long => {}
            "quiet" | "silent" | "regexp-extended" | "posix" | "separate" | "unbuffered" | "null-data" | "sandbox" => {}
            "e" | "expression" => {
                has_script = true;
                let is_plain = match option.value {
                    Some(Value::Attached(script)) => only_edits(script),
                    Some(Value::Next(word)) => is_plain_script(word),
                    None => false,
                };
                scene.is_partial |= !is_plain;
            }
            "i" | "in-place" => {
                in_place = true;
                // The suffix may name a directory.
                scene.is_partial |=
                    matches!(option.value, Some(Value::Attached(suffix)) if suffix.contains(['/', '*']));
            }
            _ => {
                has_script |= option.is("f", "file");
                in_place |= option.is_long && "in-place".starts_with(option.name);
                scene.unknown();
            }
        }
    }
    let mut files = arguments.operands.as_slice();
    if !has_script {
        let Some((script, rest)) = files.split_first() else { return scene.unknown() };
        scene.is_partial |= !is_plain_script(script);
        files = rest;
    }
    if in_place {
        scene.is_partial |= files.is_empty();
        for file in files {
            scene.write(file);
        }
    } else {
        // A name that is not known may be an option.
        scene.is_partial |= words.iter().any(|word| word.may_be_option());
    }
}

fn is_plain_script(word: &Word) -> bool {
    word.literal().is_some_and(only_edits)
}

/// Whether a script has no command that writes a file or runs a program. Commands that are not known here count as such.
fn only_edits(script: &str) -> bool {
    let mut script = script.chars().peekable();
    loop {
        while script.next_if(|next| next.is_ascii_whitespace() || matches!(next, ';' | '{' | '}' | '!' | ',')).is_some()
        {
        }
        let Some(next) = script.next() else { return true };
        let is_plain = match next {
            '0'..='9' | '$' | '+' | '~' | '=' => true,
            'p' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'P' | 'x' | 'z' | 'F' | 'q' | 'Q' | 'l' => true,
            '/' => skip_pattern(&mut script, '/') && skip_flags(&mut script, "IM"),
            's' => skip_substitution(&mut script) && skip_flags(&mut script, "gpiImM0123456789"),
            'y' => skip_substitution(&mut script),
            '#' | ':' | 'b' | 't' | 'T' | 'r' | 'R' | 'a' | 'i' | 'c' => skip_line(&mut script, next),
            _ => false,
        };
        if !is_plain {
            return false;
        }
    }
}

fn skip_substitution(script: &mut Peekable<Chars<'_>>) -> bool {
    let Some(delimiter) = script.next().filter(|delimiter| delimiter.is_ascii_punctuation() && *delimiter != '\\')
    else {
        return false;
    };
    skip_pattern(script, delimiter) && skip_pattern(script, delimiter)
}

/// Skips text up to the delimiter. Programs disagree about one in brackets.
fn skip_pattern(script: &mut Peekable<Chars<'_>>, delimiter: char) -> bool {
    let mut in_brackets = false;
    while let Some(next) = script.next() {
        match next {
            _ if next == delimiter => return !in_brackets,
            '\\' if in_brackets => return false,
            '\\' => {
                script.next();
            }
            // A class, which has a bracket of its own.
            '[' if in_brackets && matches!(script.peek(), Some(':' | '.' | '=')) => {
                let has_delimiter = script.by_ref().take_while(|inner| *inner != ']').any(|inner| inner == delimiter);
                if has_delimiter {
                    return false;
                }
            }
            '[' => {
                in_brackets = true;
                script.next_if_eq(&'^');
                if script.peek() == Some(&']') {
                    return false;
                }
            }
            ']' => in_brackets = false,
            _ => {}
        }
    }
    false
}

/// Skips flags, and says whether the command ends behind them.
fn skip_flags(script: &mut Peekable<Chars<'_>>, flags: &str) -> bool {
    let is_address = flags == "IM";
    while script.next_if(|next| flags.contains(*next)).is_some() {}
    is_address || script.peek().is_none_or(|next| next.is_ascii_whitespace() || matches!(next, ';' | '}'))
}

/// Skips a label, a file's name or text. Programs disagree about where a name ends; the rest is read as commands, which is the worse case.
fn skip_line(script: &mut Peekable<Chars<'_>>, command: char) -> bool {
    let is_name = matches!(command, ':' | 'b' | 't' | 'T' | 'r' | 'R');
    while let Some(next) = script.next() {
        match next {
            '\n' => break,
            ';' | '}' if is_name => break,
            '\\' if command != '#' => {
                script.next();
            }
            _ => {}
        }
    }
    true
}
