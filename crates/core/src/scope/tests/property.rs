//! Random paths, written in random ways, against a comparison that is too simple to be wrong.
//!
//! A [`Given`] knows its components before it is text, so the model never reads a path. How it is written
//! (separators, spare dots, wildcards, case) is drawn apart from what it means.

use proptest::{collection::vec, prelude::*, sample::select};

use super::{Conventions, MAC, Overlap, PathStyle, ScopePath, unix, windows};
use crate::limits;

/// Few enough to meet often, and near enough to each other to be confused.
const NAMES: [&str; 10] = ["home", "ana", "shop", "users", "src", "lib", "library", "li", "[id]", "ärger"];

/// What a path means: where it starts and where it goes.
#[derive(Clone, Debug)]
struct Given {
    start: &'static str,
    names: Vec<&'static str>,
}

fn given(starts: &'static [&'static str]) -> impl Strategy<Value = Given> {
    // Most start in the room, so that they meet.
    let start = prop_oneof![3 => Just(""), 2 => select(starts)];
    (start, vec(select(&NAMES[..]), 0..5)).prop_map(|(start, names)| Given { start, names })
}

fn unix_given() -> impl Strategy<Value = Given> {
    given(&["/", "/home/ana/", "/home/ana/shop/"])
}

fn windows_given() -> impl Strategy<Value = Given> {
    given(&["/", "C:/", "D:/", "C:/users/ana/shop/", "//server/share/", "//server/lib/"])
}

impl Given {
    /// The anchor and components it means, in lower case.
    fn model(&self, style: PathStyle) -> (String, Vec<String>) {
        let room: &[&str] = match style {
            PathStyle::Unix => &["home", "ana", "shop"],
            PathStyle::Windows => &["users", "ana", "shop"],
        };
        let (anchor, from): (&str, &[&str]) = match (style, self.start) {
            (PathStyle::Unix, "") => ("/", room),
            (PathStyle::Unix, "/home/ana/") => ("/", &room[..2]),
            (PathStyle::Unix, "/home/ana/shop/") => ("/", room),
            (PathStyle::Windows, "") => ("C:/", room),
            (PathStyle::Windows, "/") => ("C:/", &[]),
            (PathStyle::Windows, "C:/users/ana/shop/") => ("C:/", room),
            (_, anchor) => (anchor, &[]),
        };
        (anchor.to_owned(), from.iter().chain(&self.names).map(|name| (*name).to_owned()).collect())
    }

    fn plain(&self) -> String {
        // The dot keeps a text that goes nowhere from being empty.
        self.start.to_owned() + &std::iter::once(".").chain(self.names.iter().copied()).collect::<Vec<_>>().join("/")
    }

    /// The same written as `manner` says, drawn from as often as needed.
    fn written(&self, style: PathStyle, manner: &[u8]) -> String {
        let mut draws = manner.iter().copied().cycle();
        let mut draw = move |choices: u8| draws.next().map_or(0, |byte| byte % choices);
        let mut text = self.start.to_owned();
        for step in std::iter::once(".").chain(self.names.iter().copied()) {
            text += ["", "./", "././", ".//"][usize::from(draw(4))];
            text += step;
            text += ["/", "//", "/./", "///"][usize::from(draw(4))];
        }
        text += ["", ".", "*", "**", "*/", "**/*"][usize::from(draw(6))];
        let otherwise = |c: char| match (c, style) {
            ('/', _) => '\\',
            (c, PathStyle::Windows) => c.to_uppercase().next().unwrap_or(c),
            (c, PathStyle::Unix) => c,
        };
        text.chars().map(|c| if draw(2) == 0 { c } else { otherwise(c) }).collect()
    }
}

fn brute_force(a: &(String, Vec<String>), b: &(String, Vec<String>)) -> Overlap {
    let below = |child: &[String], parent: &[String]| child.len() > parent.len() && child[..parent.len()] == *parent;
    if a.0 != b.0 {
        Overlap::Disjoint
    } else if a.1 == b.1 {
        Overlap::Exact
    } else if below(&a.1, &b.1) || below(&b.1, &a.1) {
        Overlap::Partial
    } else {
        Overlap::Disjoint
    }
}

fn scope(text: &str, root: &ScopePath) -> ScopePath {
    ScopePath::scope(text, root).unwrap()
}

/// The overlap is the model's, whichever is asked and however both are written.
fn check_overlap(root: &ScopePath, [a, b]: [&Given; 2], [manner_a, manner_b]: [&[u8]; 2]) {
    let style = root.conventions.style;
    let expected = brute_force(&a.model(style), &b.model(style));
    let plain = [scope(&a.plain(), root), scope(&b.plain(), root)];
    let written = [scope(&a.written(style, manner_a), root), scope(&b.written(style, manner_b), root)];
    for [a, b] in [&plain, &written] {
        assert_eq!(a.overlap(b), expected, "{a:?} vs {b:?}");
        assert_eq!(b.overlap(a), expected, "{b:?} vs {a:?}");
    }
    for (plain, written) in plain.iter().zip(&written) {
        assert_eq!(plain.overlap(written), Overlap::Exact, "{plain:?} vs {written:?}");
    }
}

/// Whatever is accepted is the same when it is read again from what is stored.
fn check_round_trip(text: &str, root: &ScopePath) {
    if let Ok(path) = ScopePath::scope(text, root) {
        assert_eq!(ScopePath::scope(&path.shown(root), root), Ok(path), "{text:?}");
    }
    if let Ok(path) = ScopePath::file(text, root) {
        let shown = path.shown(root);
        assert!(!shown.contains(char::is_control), "{text:?}");
        // What a drive adds may make it longer than a caller could write it.
        if shown.len() <= limits::PATH_BYTES {
            assert_eq!(ScopePath::file(&shown, root), Ok(path), "{text:?}");
        }
    }
}

fn check_transitive(root: &ScopePath, [a, b, c]: [&Given; 3]) {
    let [a, b, c] = [a, b, c].map(|given| scope(&given.plain(), root));
    if a.contains(&b) && b.contains(&c) {
        assert!(a.contains(&c), "{a:?} contains {b:?} contains {c:?}");
    }
}

/// Text made of what means something in a path, and some that means nothing.
fn odd_text() -> impl Strategy<Value = String> {
    let pieces = select(
        &["/", "//", "\\", "\\\\", ".", "..", "*", "**", "?", ":", "C:", "unc", " ", "a", "A", "é", "\0", "\u{200b}"][..],
    );
    prop_oneof![4 => vec(pieces, 0..9).prop_map(|pieces| pieces.concat()), 1 => any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn overlap_agrees_with_brute_force_however_a_path_is_written(
        a in unix_given(), b in unix_given(), manners in [vec(any::<u8>(), 1..20), vec(any::<u8>(), 1..20)],
    ) {
        check_overlap(&unix(), [&a, &b], [&manners[0], &manners[1]]);
    }

    #[test]
    fn on_windows_neither_backslashes_nor_case_change_an_overlap(
        a in windows_given(), b in windows_given(), manners in [vec(any::<u8>(), 1..20), vec(any::<u8>(), 1..20)],
    ) {
        check_overlap(&windows(), [&a, &b], [&manners[0], &manners[1]]);
    }

    #[test]
    fn what_is_shown_reads_as_the_same_path(
        a in unix_given(), b in windows_given(), manner in vec(any::<u8>(), 1..20),
    ) {
        check_round_trip(&a.written(PathStyle::Unix, &manner), &unix());
        check_round_trip(&b.written(PathStyle::Windows, &manner), &windows());
    }

    #[test]
    fn what_lies_inside_the_inside_lies_inside(
        a in [unix_given(), unix_given(), unix_given()], b in [windows_given(), windows_given(), windows_given()],
    ) {
        check_transitive(&unix(), a.each_ref());
        check_transitive(&windows(), b.each_ref());
    }

    #[test]
    fn no_text_panics_and_all_that_is_accepted_can_be_stored(root in odd_text(), text in odd_text()) {
        for (conventions, usual) in [(Conventions::UNIX, "/a/"), (MAC, "/A/é"), (Conventions::WINDOWS, "C:/a/")] {
            check_round_trip(&text, &ScopePath::root(usual, conventions).unwrap());
            for root in [root.clone(), format!("{usual}{root}"), format!("//a/a/{root}")] {
                if let Ok(root) = ScopePath::root(&root, conventions) {
                    check_round_trip(&text, &root);
                }
            }
        }
    }
}
