//! Options and operands of a program, as getopt tells them apart.

use super::token::Word;

/// The arguments of a program.
#[derive(Default)]
pub(super) struct Arguments<'a> {
    pub(super) operands: Vec<&'a Word>,
    pub(super) options: Vec<Choice<'a>>,
}

/// An option with its value.
pub(super) struct Choice<'a> {
    /// Without dashes. Long names may be abbreviated.
    pub(super) name: &'a str,
    pub(super) is_long: bool,
    pub(super) value: Option<Value<'a>>,
}

/// The value of an option.
#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    Attached(&'a str),
    Next(&'a Word),
}

impl Choice<'_> {
    /// Whether this is the option with the letter `short`, or may be the one called `long`.
    pub(super) fn is(&self, short: &str, long: &str) -> bool {
        if self.is_long { long.starts_with(self.name) } else { self.name == short }
    }
}

impl<'a> Arguments<'a> {
    /// Tells `words` apart. `short` has the letters of options that take a value, as getopt writes them: `t:`, or `i::` if only a value in
    /// the same word counts. `long` are the names of such options.
    pub(super) fn read(words: &[&'a Word], short: &str, long: &[&str]) -> Self {
        let mut arguments = Self::default();
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            let text = word.text.as_str();
            if text == "--" {
                arguments.operands.extend(words);
                break;
            }
            if let Some(name) = text.strip_prefix("--") {
                let (name, value) = match name.split_once('=') {
                    Some((name, value)) => (name, Some(Value::Attached(value))),
                    None if long.iter().any(|long| long.starts_with(name)) => (name, words.next().map(Value::Next)),
                    None => (name, None),
                };
                arguments.options.push(Choice { name, is_long: true, value });
                continue;
            }
            let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
                arguments.operands.push(word);
                continue;
            };
            for (at, letter) in letters.char_indices() {
                let end = at + letter.len_utf8();
                let name = letters.get(at..end).unwrap_or_default();
                let after = short.split_once(letter).map_or("", |(_, after)| after);
                let takes_value = after.starts_with(':');
                let attached = letters.get(end..).filter(|rest| takes_value && !rest.is_empty()).map(Value::Attached);
                let value = match attached {
                    None if takes_value && !after.starts_with("::") => words.next().map(Value::Next),
                    attached => attached,
                };
                arguments.options.push(Choice { name, is_long: false, value });
                if takes_value {
                    break;
                }
            }
        }
        arguments
    }

    pub(super) fn has(&self, short: &str, long: &str) -> bool {
        self.options.iter().any(|option| option.is(short, long))
    }
}

/// Whether one of `words` is, may be, or may become one of the options with the letters `short` and the names `long`.
pub(super) fn may_have(words: &[&Word], short: &str, long: &[&str]) -> bool {
    let mut before = "";
    let mut only_operands = false;
    words.iter().any(|word| {
        // Behind an option `--` may be its value.
        only_operands |= word.text == "--" && !before.starts_with('-');
        before = &word.text;
        if word.may_be_option() {
            return !only_operands;
        }
        if let Some(name) = word.text.strip_prefix("--") {
            let name = name.split_once('=').map_or(name, |(name, _)| name);
            return !name.is_empty() && long.iter().any(|long| long.starts_with(name));
        }
        word.text.strip_prefix('-').is_some_and(|letters| letters.contains(|letter| short.contains(letter)))
    })
}
