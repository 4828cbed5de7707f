//! Programs that read, and the options with which they do more.

use super::{
    arguments::{Arguments, may_have},
    assignment,
    token::Word,
};

/// Programs without an option that writes a file or runs a program.
const READERS: [&str; 73] = [
    ":",
    "arch",
    "b2sum",
    "basename",
    "cat",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cut",
    "date",
    "df",
    "dirname",
    "dirs",
    "du",
    "echo",
    "egrep",
    "expand",
    "expr",
    "factor",
    "false",
    "fgrep",
    "fmt",
    "fold",
    "free",
    "getconf",
    "grep",
    "groups",
    "head",
    "hexdump",
    "id",
    "join",
    "jq",
    "locale",
    "ls",
    "md5",
    "md5sum",
    "nl",
    "nproc",
    "numfmt",
    "od",
    "paste",
    "pgrep",
    "pr",
    "printenv",
    "ps",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "seq",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "shasum",
    "sleep",
    "stat",
    "strings",
    "sum",
    "tac",
    "tail",
    "times",
    "tr",
    "true",
    "tsort",
    "tty",
    "type",
    "uname",
    "uptime",
    "wc",
    "which",
];

/// Programs that read unless they have one of these options: letters, and long names.
const CAREFUL: [(&str, &str, &[&str]); 11] = [
    ("base32", "o", &["output"]),
    ("base64", "o", &["output"]),
    // `-l` runs a paginator.
    ("diff", "l", &["paginate"]),
    ("fd", "xX", &["exec", "exec-batch"]),
    ("fdfind", "xX", &["exec", "exec-batch"]),
    ("file", "C", &["compile"]),
    ("iconv", "o", &["output"]),
    ("rg", "z", &["pre", "pre-glob", "hostname-bin", "search-zip"]),
    ("shuf", "o", &["output"]),
    ("sort", "oT", &["output", "compress-program", "temporary-directory"]),
    // `-R` writes pages.
    ("tree", "oR", &[]),
];

/// Whether `program` plainly reads with these arguments.
pub(super) fn reads(program: &str, arguments: &[&Word]) -> bool {
    if READERS.contains(&program) {
        return true;
    }
    if let Some((_, short, long)) = CAREFUL.iter().find(|(name, ..)| *name == program) {
        return !may_have(arguments, short, long);
    }
    // Values that builtins evaluate may have substitutions.
    let hides = arguments.iter().any(|word| word.hides);
    match program {
        "find" | "gfind" => finds(arguments),
        "uniq" => !may_have(arguments, "", &[]) && Arguments::read(arguments, "f:s:w:", &[]).operands.len() <= 1,
        "dd" => !arguments.iter().any(|word| word.may_be_option() || word.text.starts_with("of=")),
        "hostname" | "whoami" => arguments.is_empty(),
        "printf" => {
            !hides && arguments.first().is_some_and(|format| !format.may_be_option() && !format.text.starts_with('-'))
        }
        "exit" | "return" | "break" | "continue" | "shift" => arguments.iter().all(|word| is_number(word)),
        "wait" => arguments.iter().all(|word| is_number(word) || word.text == "-n" || word.text == "$!"),
        "set" => arguments.iter().all(|word| is_shell_option(word)),
        "export" | "local" | "readonly" | "read" | "unset" => !hides && arguments.iter().all(|word| is_variable(word)),
        _ => false,
    }
}

fn finds(arguments: &[&Word]) -> bool {
    !arguments.iter().any(|word| {
        let runs = ["-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf", "-fls"];
        word.may_be_option() || runs.contains(&word.text.as_str())
    })
}

fn is_number(word: &Word) -> bool {
    word.literal().is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_shell_option(word: &Word) -> bool {
    let letters = word.literal().and_then(|text| text.strip_prefix(['-', '+']));
    letters.is_some_and(|letters| letters.chars().all(|letter| "euxfvo".contains(letter)))
        || matches!(word.text.as_str(), "pipefail" | "errexit" | "nounset" | "xtrace" | "noglob")
}

fn is_variable(word: &Word) -> bool {
    let (name, is_whole) = match assignment::split(&word.text) {
        Some((name, value)) => (name, word.bare + value.len() >= word.text.len()),
        None => (word.text.as_str(), word.literal().is_some()),
    };
    matches!(name, "-r" | "-s" | "-rs" | "-x" | "-v")
        || (is_whole && !word.splits && assignment::is_name(name) && !assignment::is_powerful(name))
}
