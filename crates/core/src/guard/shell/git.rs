//! `git`: verbs that read, verbs that move the working tree or the index, and all others.

use super::{arguments::may_have, scene::Scene, token::Word};

/// Verbs that read, unless an option of [`RUNS`] is with them.
const READS: [&str; 30] = [
    "annotate",
    "blame",
    "cat-file",
    "check-attr",
    "check-ignore",
    "check-mailmap",
    "cherry",
    "count-objects",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "for-each-ref",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "range-diff",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-branch",
    "show-ref",
    "status",
    "var",
    "version",
    "whatchanged",
];

/// Verbs that move the working tree or the index, whatever comes with them.
const MOVES: [&str; 26] = [
    "add",
    "am",
    "apply",
    "checkout",
    "checkout-index",
    "cherry-pick",
    "citool",
    "clean",
    "commit",
    "filter-branch",
    "gui",
    "merge",
    "merge-index",
    "mergetool",
    "mv",
    "pull",
    "quiltimport",
    "read-tree",
    "rebase",
    "reset",
    "restore",
    "revert",
    "rm",
    "stage",
    "switch",
    "update-index",
];

/// Options that write a file or run a program.
const RUNS: [&str; 6] = ["output", "ext-diff", "textconv", "open-files-in-pager", "filters", "exec"];

/// Reads the arguments of `git`.
pub(super) fn read(words: &[&Word], scene: &mut Scene) {
    let outside = scene.directory.clone();
    let mut words = words;
    while let Some((first, rest)) = words.split_first() {
        let Some(text) = first.literal() else {
            scene.unknown();
            break;
        };
        words = rest;
        match text {
            "-C" => {
                let Some((directory, rest)) = rest.split_first() else {
                    scene.unknown();
                    break;
                };
                scene.enter(directory);
                words = rest;
            }
            "--no-pager" | "-P" | "--no-optional-locks" | "--no-replace-objects" | "--literal-pathspecs" => {}
            "--version" | "-v" => break,
            // A setting can be a program to run.
            "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env" => {
                scene.unknown();
                words = rest.get(1..).unwrap_or_default();
            }
            _ if text.starts_with('-') => scene.unknown(),
            verb => {
                read_verb(verb, rest, scene);
                break;
            }
        }
    }
    scene.directory = outside;
}

fn read_verb(verb: &str, words: &[&Word], scene: &mut Scene) {
    let first = words.iter().find(|word| !word.text.starts_with('-')).and_then(|word| word.literal());
    let moves = match verb {
        _ if MOVES.contains(&verb) => !is_rehearsal(verb, words),
        "stash" => !matches!(subcommand(words), Some("list" | "show" | "drop" | "clear" | "create" | "store")),
        "worktree" => matches!(first, Some("add" | "remove" | "move")),
        "submodule" => {
            !matches!(first, None | Some("status" | "summary" | "foreach" | "sync" | "init" | "absorbgitdirs"))
        }
        "sparse-checkout" => !matches!(first, None | Some("list" | "check-rules")),
        "bisect" => !matches!(first, None | Some("log" | "terms" | "view" | "visualize" | "help")),
        "subtree" => !matches!(first, None | Some("split" | "push")),
        _ => false,
    };
    if moves && is_about_index(verb, words) {
        return scene.move_index();
    }
    if moves {
        return scene.move_tree();
    }
    let subcommand = subcommand(words);
    let reads = match verb {
        _ if READS.contains(&verb) => true,
        "grep" => !may_have(words, "O", &[]),
        // A part of a subcommand could be anything.
        _ if words.iter().any(|word| word.literal().is_none()) => false,
        "branch" => lists(
            words,
            &["-a", "-r", "-v", "-vv", "-l", "-av", "-avv", "-rv", "--all", "--remotes", "--verbose", "--show-current"],
        ),
        "tag" => lists(words, &["-l", "-n", "-n1"]),
        "stash" => matches!(subcommand, Some("list" | "show")),
        "worktree" | "sparse-checkout" => subcommand == Some("list"),
        "submodule" => matches!(subcommand, None | Some("status" | "summary")) && first == subcommand,
        "bisect" => matches!(subcommand, Some("log" | "terms")),
        "reflog" => matches!(subcommand, None | Some("show" | "list" | "exists")),
        "notes" => words.is_empty() || matches!(subcommand, Some("list" | "show")),
        "remote" => {
            matches!(words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>()[..], [] | ["-v"] | ["get-url", _])
        }
        "config" => shows_config(words),
        "symbolic-ref" => matches!(words, [name] if !name.text.starts_with('-')),
        // Without `--apply` these only tell about the patch; the moving form was decided on above.
        _ => MOVES.contains(&verb),
    };
    scene.is_partial |= !reads || may_have(words, "", &RUNS);
}

/// Whether the verb changes the index or the branch, and no file of the working tree.
fn is_about_index(verb: &str, words: &[&Word]) -> bool {
    let words: Option<Vec<&str>> = words.iter().map(|word| word.literal()).collect();
    match verb {
        "add" | "stage" | "commit" | "update-index" => true,
        "checkout" => matches!(words.as_deref(), Some(["-b" | "-B", _])),
        "switch" => matches!(words.as_deref(), Some(["-c" | "-C", _])),
        _ => false,
    }
}

/// The first word, if it is no option.
fn subcommand<'a>(words: &[&'a Word]) -> Option<&'a str> {
    words.first().and_then(|word| word.literal()).filter(|text| !text.starts_with('-'))
}

/// Whether the verb only tells what it would do.
fn is_rehearsal(verb: &str, words: &[&Word]) -> bool {
    // Options with a value could hide one of these, so that all must be known.
    let flags = [
        "-n",
        "--dry-run",
        "-v",
        "-A",
        "--all",
        "-u",
        "-f",
        "-d",
        "-x",
        "-X",
        "-r",
        "-q",
        "-nd",
        "-ndx",
        "-nfd",
        "-nx",
    ];
    let options: Vec<&str> = words
        .iter()
        .map(|word| word.text.as_str())
        .take_while(|text| *text != "--")
        .filter(|text| text.starts_with('-'))
        .collect();
    match verb {
        _ if words.iter().any(|word| word.may_be_option()) => false,
        _ if matches!(options.as_slice(), ["--help"]) && words.len() == 1 => true,
        "commit" => matches!(options.as_slice(), ["--dry-run"]) && words.len() == 1,
        "add" | "rm" | "mv" | "clean" => {
            options.iter().all(|option| flags.contains(option))
                && options.iter().any(|option| option.starts_with("-n") || *option == "--dry-run")
        }
        "apply" => {
            !options.is_empty()
                && options.iter().all(|option| matches!(*option, "--check" | "--stat" | "--numstat" | "--summary"))
        }
        _ => false,
    }
}

/// Whether `git branch` or `git tag` only lists.
fn lists(words: &[&Word], flags: &[&str]) -> bool {
    let filters = ["--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"];
    let is_listing = |text: &str| filters.contains(&text) || text == "-l";
    let is_known = |text: &str| {
        is_listing(text) || flags.contains(&text) || text.starts_with("--sort=") || text.starts_with("--format=")
    };
    let has_filter = words.iter().any(|word| is_listing(&word.text));
    words.iter().all(|word| {
        let is_option = word.text.starts_with('-');
        !word.may_be_option() && if is_option { is_known(&word.text) } else { has_filter }
    })
}

fn shows_config(words: &[&Word]) -> bool {
    let shows = ["--get", "--get-all", "--get-regexp", "--list", "-l", "list", "get"];
    let scopes = ["--global", "--local", "--system", "--show-origin", "--show-scope", "--name-only", "-z"];
    let mut words = words.iter().map(|word| word.text.as_str()).skip_while(|text| scopes.contains(text));
    words.next().is_some_and(|first| shows.contains(&first))
        && words.all(|text| !text.starts_with('-') || scopes.contains(&text))
}
