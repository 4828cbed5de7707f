//! Programs that write, and which of their arguments name the files.

use super::{
    arguments::{Arguments, Value},
    scene::Scene,
    token::Word,
};

/// Notes the files that `program` writes. Says no if it is not one of these programs.
pub(super) fn read(program: &str, words: &[&Word], scene: &mut Scene) -> bool {
    match program {
        "rm" | "rmdir" | "unlink" | "shred" | "sponge" => each(&Arguments::read(words, "", &[]).operands, scene),
        "tee" => tee(words, scene),
        "touch" => each(&Arguments::read(words, "d:r:t:", &["date", "reference", "time"]).operands, scene),
        "truncate" => each(&Arguments::read(words, "s:r:", &["size", "reference"]).operands, scene),
        "mkdir" | "mkfifo" => each(&Arguments::read(words, "m:", &["mode"]).operands, scene),
        "mv" => {
            let arguments = Arguments::read(words, "t:S:", &["target-directory", "suffix"]);
            destination(&arguments, scene);
            each(&arguments.operands, scene);
        }
        "cp" => {
            let arguments = Arguments::read(words, "t:S:", &["target-directory", "suffix"]);
            // A second name of a file is written like the first.
            scene.is_partial |= arguments.has("l", "link") || arguments.has("s", "symbolic-link");
            destination(&arguments, scene);
        }
        "ln" => link(words, scene),
        "install" | "ginstall" => install(words, scene),
        "chmod" => chmod(words, scene),
        "chown" | "chgrp" => {
            let arguments = Arguments::read(words, "", &["reference", "from"]);
            let skipped = usize::from(!arguments.has("", "reference"));
            each(arguments.operands.get(skipped..).unwrap_or_default(), scene);
        }
        "dd" => return dd(words, scene),
        "uniq" => return uniq(words, scene),
        "rsync" => rsync(words, scene),
        "patch" | "gpatch" => patch(words, scene),
        _ => return false,
    }
    true
}

/// Notes every one of `operands`. Without any, the program would do something that is not known here.
fn each(operands: &[&Word], scene: &mut Scene) {
    scene.is_partial |= operands.is_empty();
    for word in operands {
        scene.write(word);
    }
}

fn value(value: Option<Value<'_>>, scene: &mut Scene) {
    match value {
        Some(Value::Attached(path)) => scene.write_path(path),
        Some(Value::Next(word)) => scene.write(word),
        None => scene.unknown(),
    }
}

fn tee(words: &[&Word], scene: &mut Scene) {
    for word in Arguments::read(words, "", &[]).operands {
        scene.write_output(word);
    }
}

/// Notes the directory behind `-t`, or else the last operand.
fn destination(arguments: &Arguments<'_>, scene: &mut Scene) {
    // A variable may hold options, or further files.
    scene.is_partial |= arguments.operands.iter().any(|word| word.expands && word.splits);
    let mut targets = arguments.options.iter().filter(|option| option.is("t", "target-directory")).peekable();
    if targets.peek().is_some() {
        return targets.for_each(|option| value(option.value, scene));
    }
    match arguments.operands.as_slice() {
        [_, .., last] => scene.write(last),
        [only] if only.splits => scene.write(only),
        _ => scene.unknown(),
    }
}

fn link(words: &[&Word], scene: &mut Scene) {
    let arguments = Arguments::read(words, "t:S:", &["target-directory", "suffix"]);
    // A later part, or another command, may write through the link.
    scene.unknown();
    match arguments.operands.as_slice() {
        // The link is made here, with the name of the file.
        [only] if !arguments.has("t", "target-directory") => match only.text.rsplit('/').next() {
            Some(name) if only.literal().is_some() && !name.is_empty() => scene.write_path(name),
            _ => scene.unknown(),
        },
        _ => destination(&arguments, scene),
    }
}

fn install(words: &[&Word], scene: &mut Scene) {
    let long = ["target-directory", "suffix", "mode", "owner", "group", "strip-program"];
    let arguments = Arguments::read(words, "t:S:m:o:g:", &long);
    scene.is_partial |= arguments.has("", "strip-program");
    if arguments.has("d", "directory") {
        each(&arguments.operands, scene);
    } else {
        destination(&arguments, scene);
    }
}

fn chmod(words: &[&Word], scene: &mut Scene) {
    let is_mode = |word: &&Word| {
        let letters = word.text.strip_prefix('-').unwrap_or_default();
        !letters.is_empty() && letters.chars().all(|letter| "rwxXst,+-=ugoa".contains(letter) && letter != '-')
    };
    let arguments = Arguments::read(words, "", &["reference"]);
    let has_mode = arguments.has("", "reference") || words.iter().any(is_mode);
    each(arguments.operands.get(usize::from(!has_mode)..).unwrap_or_default(), scene);
}

fn dd(words: &[&Word], scene: &mut Scene) -> bool {
    let mut outputs = words.iter().filter_map(|word| word.text.strip_prefix("of=")).peekable();
    if outputs.peek().is_none() {
        return false;
    }
    for path in outputs {
        if path != "/dev/null" {
            scene.write_path(path);
        }
    }
    scene.is_partial |= words.iter().any(|word| word.may_be_option());
    true
}

fn uniq(words: &[&Word], scene: &mut Scene) -> bool {
    let arguments = Arguments::read(words, "f:s:w:", &["skip-fields", "skip-chars", "check-chars"]);
    let [_, output] = arguments.operands.as_slice() else { return false };
    scene.write(output);
    true
}

fn rsync(words: &[&Word], scene: &mut Scene) {
    let long = ["exclude", "include", "exclude-from", "include-from", "filter"];
    let arguments = Arguments::read(words, "e:f:B:M:T:", &long);
    // Other options name further files, or programs.
    let is_plain = arguments.options.iter().all(|option| {
        if option.is_long {
            let plain =
                ["archive", "delete", "exclude", "include", "recursive", "verbose", "checksum", "dry-run", "progress"];
            plain.contains(&option.name)
        } else {
            "avzrlptgoDhnPiuxHAXSc".contains(option.name)
        }
    });
    scene.is_partial |= !is_plain;
    match arguments.operands.as_slice() {
        [_, .., last] if !last.text.contains(':') => scene.write(last),
        _ => scene.unknown(),
    }
}

fn patch(words: &[&Word], scene: &mut Scene) {
    let long = ["input", "output", "strip", "directory", "fuzz", "reject-file", "prefix", "suffix", "basename-prefix"];
    let arguments = Arguments::read(words, "i:o:p:d:F:r:D:B:Y:z:V:g:", &long);
    // Without an operand the patch itself names its files, and rejected parts are files too.
    scene.unknown();
    if arguments.has("d", "directory") {
        return;
    }
    for output in arguments.options.iter().filter(|option| option.is("o", "output")) {
        value(output.value, scene);
    }
    if let Some(original) = arguments.operands.first() {
        scene.write(original);
    }
}
