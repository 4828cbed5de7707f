//! One simple command: its redirections, its assignments, and the program that it runs.

use super::{
    super::patch::patch_targets,
    assignment, baton, git, readers,
    scene::Scene,
    script, sed,
    token::{Descriptor, Redirect, RedirectKind, Word},
    wrappers::{self, Wrapped},
    writers,
};

/// Directories whose programs are the ones that their names say.
const SYSTEM: [&str; 7] =
    ["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/", "/opt/homebrew/sbin/"];

/// Reads a command and adds its findings. Says whether it changes the shell's directory.
pub(super) fn read(words: &[&Word], redirects: &[&Redirect], scene: &mut Scene, depth: usize) -> bool {
    for redirect in redirects {
        read_redirect(redirect, scene);
    }
    let mut words = skip_assignments(words, scene);
    let mut is_external = false;
    while let Some((first, arguments)) = words.split_first() {
        let Some(program) = program(first) else {
            scene.unknown();
            return false;
        };
        match wrappers::unwrap(program, arguments, scene) {
            Wrapped::No => return run(program, arguments, redirects, scene, depth, is_external),
            Wrapped::ByShell(rest) => words = rest,
            Wrapped::ByProgram(rest) => {
                is_external = true;
                words = rest;
            }
        }
    }
    false
}

fn run(
    program: &str,
    arguments: &[&Word],
    redirects: &[&Redirect],
    scene: &mut Scene,
    depth: usize,
    is_external: bool,
) -> bool {
    match program {
        "baton" => baton::read(arguments, scene),
        "cd" | "chdir" | "pushd" | "popd" if is_external => scene.unknown(),
        "cd" | "chdir" | "pushd" | "popd" => {
            change_directory(program, arguments, scene);
            return true;
        }
        "bash" | "sh" | "dash" | "zsh" | "ksh" => run_shell(arguments, scene, depth),
        "apply_patch" | "applypatch" => apply_patch(arguments, redirects, scene),
        "git" => git::read(arguments, scene),
        "sed" | "gsed" => sed::read(arguments, scene),
        "test" | "[" => scene.is_partial |= !is_plain_test(arguments),
        _ if writers::read(program, arguments, scene) => {}
        _ => scene.is_partial |= !readers::reads(program, arguments),
    }
    false
}

/// The name of the program, if the word says which one it is.
fn program(word: &Word) -> Option<&str> {
    let text = word.literal()?;
    let base = text.rsplit_once('/').map_or(text, |(_, base)| base);
    // A program elsewhere may be anybody's, whatever it is called.
    let is_known = !text.contains('/') || SYSTEM.iter().any(|directory| text.strip_prefix(directory) == Some(base));
    is_known.then_some(base)
}

/// The words behind the assignments before a command.
pub(super) fn skip_assignments<'a, 'b>(words: &'b [&'a Word], scene: &mut Scene) -> &'b [&'a Word] {
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        let Some((name, value)) = assignment::split(&word.text) else { break };
        // The name and the equals sign must be unquoted.
        if word.bare + value.len() < word.text.len() {
            break;
        }
        scene.is_partial |= assignment::is_powerful(name) || word.hides;
        rest = after;
    }
    rest
}

fn read_redirect(redirect: &Redirect, scene: &mut Scene) {
    let target = &redirect.target;
    let number = target.literal().map(|text| text.trim_end_matches('-'));
    let is_descriptor = number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    // Standard input may be a file, which `/dev/stdout` would then write.
    let is_input = number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte == b'0'));
    match redirect.kind {
        RedirectKind::Output => scene.write_output(target),
        RedirectKind::DuplicateOutput if !is_descriptor => scene.write_output(target),
        RedirectKind::DuplicateOutput | RedirectKind::DuplicateInput => scene.is_partial |= is_input || !is_descriptor,
        // A file behind descriptor 1 or 2 is written through `/dev/stdout` or `/dev/stderr`.
        RedirectKind::Input => {
            scene.is_partial |= !matches!(redirect.descriptor, Descriptor::Default | Descriptor::Number(0));
        }
        RedirectKind::Heredoc { .. } | RedirectKind::HereString => {}
    }
    scene.is_partial |= redirect.descriptor == Descriptor::Variable;
}

fn change_directory(program: &str, arguments: &[&Word], scene: &mut Scene) {
    let is_option = |word: &&&Word| matches!(word.literal(), Some("-P" | "-L" | "--"));
    let operands: Vec<&Word> = arguments.iter().filter(|word| !is_option(word)).copied().collect();
    match (program, operands.as_slice()) {
        ("cd" | "chdir", []) => scene.enter_known("~"),
        ("cd" | "chdir", [word]) if word.text == "-" => scene.enter_known("$OLDPWD"),
        ("cd" | "chdir" | "pushd", [word]) if !word.text.starts_with(['-', '+']) => scene.enter(word),
        _ => scene.directory.is_unsure = true,
    }
}

/// Reads the text of `sh -c text`.
fn run_shell(arguments: &[&Word], scene: &mut Scene, depth: usize) {
    let mut takes_text = false;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        let is_option = !word.starts_unknown && text.len() > 1 && text.starts_with(['-', '+']);
        if !is_option {
            if takes_text {
                scene.is_partial |= word.expands || word.is_process;
                return script::read(text, scene, depth + 1);
            }
            break;
        }
        match text {
            "--" | "--login" | "--norc" | "--noprofile" | "--posix" => continue,
            _ if text.starts_with("--") => break,
            _ => {}
        }
        let letters = text.get(1..).unwrap_or_default();
        takes_text |= letters.contains('c');
        // An interactive shell has aliases and a history.
        scene.is_partial |= letters.contains(|letter| !"celuxfvo".contains(letter));
        if letters.contains('o') {
            words.next();
        }
    }
    scene.unknown();
}

fn apply_patch(arguments: &[&Word], redirects: &[&Redirect], scene: &mut Scene) {
    let is_text =
        |redirect: &&&Redirect| matches!(redirect.kind, RedirectKind::Heredoc { .. } | RedirectKind::HereString);
    let texts = arguments.iter().copied().chain(redirects.iter().filter(is_text).map(|redirect| &redirect.target));
    let mut has_target = false;
    for text in texts {
        scene.is_partial |= text.expands;
        for path in patch_targets(&text.text) {
            has_target = true;
            scene.write_path(&path);
        }
    }
    scene.is_partial |= !has_target;
}

/// Whether a condition only compares. Arithmetic in one runs substitutions that a value has.
pub(super) fn is_plain_test(words: &[&Word]) -> bool {
    let is_arithmetic =
        |word: &&Word| matches!(word.text.as_str(), "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-v" | "-R");
    let is_number = |word: &&Word| word.literal().is_some_and(|text| !text.contains('['));
    !words.iter().any(|word| word.hides) && (!words.iter().any(is_arithmetic) || words.iter().all(is_number))
}
