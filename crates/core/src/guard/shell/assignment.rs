//! Variables that change how commands are found or behave.

/// Parts of such names. Upper case, since zsh ties `path` to `PATH`.
const POWERFUL: [&str; 31] = [
    "PATH", "LD_", "DYLD", "GIT", "IFS", "BASH", "ENV", "PAGER", "EDITOR", "VISUAL", "BROWSER", "HOME", "SHELL", "OPT",
    "CONFIG", "PRELOAD", "PROMPT", "LESS", "CMD", "COMMAND", "WRAPPER", "PWD", "ARGS", "FLAGS", "INPUTRC", "GREP",
    "XDG", "DOTDIR", "AUDIT", "FUNC", "PERL5",
];

/// Name and value of an assignment.
pub(super) fn split(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    is_name(name).then_some((name, value))
}

pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a variable of this name may make a reading command do something else.
pub(super) fn is_powerful(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    POWERFUL.iter().any(|part| name.contains(part))
        || matches!(name.as_str(), "PS0" | "PS1" | "PS2" | "PS3" | "PS4" | "NULLCMD")
}
