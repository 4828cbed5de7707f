//! Our lines of shell, and how they go into a script and out of it.

use crate::install::Registration;

/// The first of our lines.
pub const BEGIN: &str = "# >>> baton >>>";
/// The last of them.
pub const END: &str = "# <<< baton <<<";

/// What a hook that has nothing else begins with.
pub(crate) const SHEBANG: &str = "#!/bin/sh\n";

/// The shells that understand our lines.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];

/// The lines that run the guard as it was registered.
///
/// They run in a subshell, so the script around them keeps its variables, and they take care of every status
/// themselves, since that script may stop at the first failure.
pub(crate) fn block(registration: &Registration) -> String {
    let program = quoted(registration.command());
    let mut store = String::new();
    for name in registration.unwanted_variables().filter(|_| !registration.variables().is_empty()) {
        store.push_str(&format!("  unset {name}\n"));
    }
    for (name, value) in registration.variables() {
        store.push_str(&format!("  export {name}={}\n", quoted(value)));
    }
    format!(
        r#"{BEGIN}
# Refuses a commit that touches what another active agent has reserved. `baton uninstall git-hook` removes this.
(
  baton={program}
  [ -x "$baton" ] || baton=$(command -v baton) || exit 0
{store}  refused=0
  "$baton" scope check --staged --active-only </dev/null >/dev/null || refused=$?
  [ "$refused" -ne 3 ] || {{
    echo "baton: the commit is refused. Leave these paths out, or override it with: git commit --no-verify" >&2
    exit 1
  }}
  [ "$refused" -eq 0 ] || echo "baton: the commit goes on without being checked, for the reason above." >&2 || :
) || exit 1
{END}
"#
    )
}

/// One word to a shell, whatever is in it.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Whether the first line hands the file to a shell.
pub(crate) fn is_shell_script(text: &str) -> bool {
    let first = text.split('\n').next().and_then(|line| line.strip_prefix("#!"));
    // To the system a carriage return is part of the name, and no shell is called that.
    let Some(line) = first.filter(|line| !line.ends_with('\r')) else { return false };
    let mut words = line.split_ascii_whitespace();
    let name = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let program = match words.next().map(name).as_deref() {
        Some("env") => words.find(|word| !word.starts_with('-') && !word.contains('=')).map(name),
        program => program.map(str::to_owned),
    };
    program.is_some_and(|program| SHELLS.contains(&program.as_str()))
}

/// A script in three parts: before our lines, our lines, after them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    pub(crate) before: &'a str,
    pub(crate) block: &'a str,
    pub(crate) after: &'a str,
}

/// Finds our lines. The error is the number of a line that begins them when nothing ends them.
pub(crate) fn split(text: &str) -> Result<Option<Parts<'_>>, usize> {
    let mut begin = None;
    let mut offset = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        match (line.trim_end(), begin) {
            (BEGIN, None) => begin = Some((offset, index + 1)),
            (END, Some((start, _))) => {
                let end = offset + line.len();
                return Ok(Some(Parts { before: &text[..start], block: &text[start..end], after: &text[end..] }));
            }
            _ => {}
        }
        offset += line.len();
    }
    begin.map_or(Ok(None), |(_, line)| Err(line))
}

/// The script with our lines: in the place of older ones, else after its first line.
pub(crate) fn with_block(text: &str, block: &str) -> Result<String, usize> {
    if let Some(parts) = split(text)? {
        return Ok(format!("{}{block}{}", parts.before, parts.after));
    }
    let (first, rest) = text.split_at(text.find('\n').map_or(text.len(), |end| end + 1));
    let newline = if first.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{first}{newline}{block}{rest}"))
}

/// Whether a script does nothing: it has a first line for a shell at most.
pub(crate) fn is_idle(text: &str) -> bool {
    let rest = if text.starts_with("#!") { text.split_once('\n').map_or("", |(_, rest)| rest) } else { text };
    rest.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_line_for_a_shell_is_known_from_any_other() {
        for shell in
            ["#!/bin/sh", "#! /bin/sh -e\n", "#!/usr/bin/env bash", "#!/usr/bin/env -S zsh -f\n", "#!/opt/bin/dash\n\n"]
        {
            assert!(is_shell_script(shell), "{shell}");
        }
        for other in [
            "",
            "echo",
            "#!/usr/bin/env python3",
            "#!/usr/bin/perl",
            "#!",
            "#!/usr/bin/env",
            "#!/bin/sh\r\n",
            "\u{feff}#!/bin/sh",
        ] {
            assert!(!is_shell_script(other), "{other}");
        }
    }

    #[test]
    fn lines_go_in_after_the_first_and_come_out_without_a_trace() {
        let block = format!("{BEGIN}\nx\n{END}\n");
        for text in ["#!/bin/sh\n", "#!/bin/sh\r\nset -e\r\n\r\nmake check", "#!/bin/bash\n\n# >>> other >>>\nexit 0\n"]
        {
            let with = with_block(text, &block).unwrap();
            let parts = split(&with).unwrap().unwrap();
            assert_eq!((parts.before.lines().count(), parts.block), (1, block.as_str()));
            assert_eq!(format!("{}{}", parts.before, parts.after), text);
            let newer = format!("{BEGIN}\ny\nz\n{END}\n");
            assert_eq!(with_block(&with, &newer).unwrap(), with_block(text, &newer).unwrap());
        }
        assert_eq!(with_block("#!/bin/sh", &block).unwrap(), format!("#!/bin/sh\n{block}"));
        assert_eq!(with_block(&format!("#!/bin/sh\n\n{BEGIN}\nexit 0\n"), &block), Err(3));
    }
}
