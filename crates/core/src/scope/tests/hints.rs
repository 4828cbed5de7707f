//! The commands that lead on. Whoever is refused can paste them into a shell.

use super::scene::Scene;
use crate::{limits, scope::Came};

fn hint(scope: &str, file: &str, idle_minutes: u64) -> String {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.reserve("ana", &[scope]).unwrap();
    scene.later(idle_minutes);
    scene.hint("ben", file, Came::Short)
}

/// The words that a shell makes of a line: enough of one for single quotes and `\'`.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => quoted = !quoted,
            '\\' if !quoted => word.extend(letters.next()),
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            letter => {
                assert!(quoted || !"\"$`;&|<>(){}[]*?!#~".contains(letter), "a shell would act on {letter} in {line}");
                word.push(letter);
            }
        }
    }
    assert!(!quoted, "{line}");
    words.push(word);
    words
}

#[test]
fn an_active_owner_is_asked_and_others_are_displaced() {
    insta::assert_snapshot!(hint("src", "src/lib/parser.ts", 0), @"baton block --to ana --subject 'I need src/lib/parser.ts' --blocker 'src/lib/parser.ts is in your scope src' --request 'Release src, or tell me when you are done there'");
    let around = hint("src/lib", "src", 0);
    assert!(around.contains("--blocker 'src covers your scope src/lib'"), "{around}");
    insta::assert_snapshot!(hint("src", "src/lib/parser.ts", 15), @"baton scope reserve /repo/src/lib/parser.ts --takeover-stale");
    insta::assert_snapshot!(hint("src", "src/lib/parser.ts", 30), @"baton scope reserve /repo/src/lib/parser.ts --takeover-stale");
}

#[test]
fn who_came_through_is_shown_the_new_state() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.reserve("ana", &["src"]).unwrap();
    scene.later(15);
    assert_eq!(scene.hint("ben", "src/x", Came::Through), "baton scope status");
}

#[test]
fn a_shell_reads_every_path_as_one_word() {
    for path in ["a b", "it's", "say \"hi\"", "$HOME", "`id`; rm", "q?[x]{y}", "#1", "~", "ärger", "--all", "-x"] {
        let displace = words(&hint(path, path, 15));
        // Absolute, so that no option is made of it and it means the same in every directory.
        assert_eq!(displace[3], format!("/repo/{path}"), "{displace:?}");
        assert_eq!(displace[4..], ["--takeover-stale"]);
        let ask = words(&hint(path, path, 0));
        assert_eq!(ask.len(), 10, "{ask:?}");
        assert_eq!(ask[5], format!("I need {path}"));
    }
}

#[test]
fn a_file_that_no_scope_can_name_is_reached_through_the_scope_it_is_in() {
    for file in ["src/a*b", "src/line\nbreak"] {
        assert_eq!(hint("src", file, 15), "baton scope reserve /repo/src --takeover-stale", "{file:?}");
    }
}

#[test]
fn a_message_about_a_long_path_still_has_a_subject_that_is_accepted() {
    let path = format!("{}x", "directory/".repeat(30));
    let ask = words(&hint(&path, &path, 0));
    assert!(ask[5].len() <= limits::SUBJECT_BYTES, "{ask:?}");
    assert!(ask[7].contains(&path), "the blocker has it whole");
}
