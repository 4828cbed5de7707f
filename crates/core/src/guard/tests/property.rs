//! Random commands: nothing panics, and a redirection to a file is never called reading.

use proptest::{collection::vec, prelude::*, sample::select};

use super::super::{ShellEffect, patch_targets, read_shell};

/// Pieces of shell, so that random text gets beyond the first syntax error.
const PIECES: [&str; 60] = [
    " ",
    "\n",
    "\t",
    ";",
    "&",
    "&&",
    "||",
    "|",
    "|&",
    "(",
    ")",
    "{",
    "}",
    "<",
    ">",
    ">>",
    ">&",
    "<&",
    "&>",
    "<>",
    "<<E",
    "<<-'E'",
    "<<<",
    "\nE\n",
    "'",
    "\"",
    "`",
    "$",
    "$(",
    "${",
    "$((",
    "))",
    "$'",
    "\\",
    "\\\n",
    "#",
    "=",
    "~",
    "*",
    "[",
    "[[ ",
    " ]]",
    "!",
    "1",
    "2",
    "ls",
    "echo",
    "rm",
    "f",
    "cd a",
    "git",
    "status",
    "sed -n",
    "s/a/b/",
    "bash -c",
    "if ",
    "for x in ",
    "do ",
    "é",
    "\u{a0}",
];

/// Whole commands that leave no quote, comment or heredoc open.
const COMMANDS: [&str; 16] = [
    "ls",
    "echo a 'b > c' \"d > e\"",
    "cat a 2>&1",
    "git status",
    "x=1 ls",
    "ls > /dev/null",
    "(ls; pwd)",
    "{ ls; }",
    "echo $(pwd)",
    "cat <(ls)",
    "[ -f a ]",
    "! ls",
    "sort a",
    "echo \\> \\\\",
    "sed -n 1p a",
    "cat <<'E'\n> x\nE\nls",
];

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>()) {
        read_shell(&text);
        patch_targets(&text);
    }

    #[test]
    fn no_mix_of_shell_panics(pieces in vec(select(&PIECES[..]), 0..40)) {
        let reading = read_shell(&pieces.concat());
        let writes = reading.moves_tree || !reading.writes.is_empty();
        prop_assert_eq!(reading.effect == ShellEffect::Writes, writes);
        prop_assert_eq!(reading.effect == ShellEffect::Unknown, reading.is_partial && !writes);
        prop_assert_eq!(reading.moves_tree, !reading.trees.is_empty());
    }

    #[test]
    fn a_redirection_to_a_file_is_never_reading(
        before in vec(select(&COMMANDS[..]), 0..4),
        after in vec(select(&COMMANDS[..]), 0..4),
        joint in select(&["; ", "\n", " && ", " || ", " | ", " & "][..]),
        operator in select(&[">", ">>", ">|", "&>", "&>>", "2>", ">&", "<>", "1>", ">\\\n", "> \\\n"][..]),
        blank in select(&["", " ", "\t"][..]),
        file in "[a-z/._$*~'\"é-]{0,6}[a-z]",
    ) {
        let is_balanced = file.matches('\'').count() % 2 == 0 && file.matches('"').count() % 2 == 0;
        let file = if is_balanced { file } else { file.replace(['\'', '"'], "") };
        let middle = format!("echo x {operator}{blank}{file}");
        let command = before.into_iter().chain([middle.as_str()]).chain(after).collect::<Vec<_>>().join(joint);
        prop_assert_ne!(read_shell(&command).effect, ShellEffect::Reads, "{}", command);
    }

    #[test]
    fn a_redirection_to_a_harmless_device_stays_reading(
        before in vec(select(&COMMANDS[..]), 0..4),
        operator in select(&[">", ">>", "2>", "&>"][..]),
        device in select(&["/dev/null", "/dev/stderr", "/dev/stdout", "'/dev/null'"][..]),
    ) {
        let middle = format!("echo x {operator} {device}");
        let command = before.into_iter().chain([middle.as_str()]).collect::<Vec<_>>().join("\n");
        prop_assert_eq!(read_shell(&command).effect, ShellEffect::Reads, "{}", command);
    }
}
