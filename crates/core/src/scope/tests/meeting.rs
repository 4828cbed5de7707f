//! Which scopes overlap.

use super::{
    Conventions, MAC,
    Overlap::{self, Disjoint, Exact, Partial},
    ScopePath, overlap, unix, windows,
};

fn check(root: &ScopePath, expected: &[(&str, &str, Overlap)]) {
    for (a, b, class) in expected {
        assert_eq!(overlap(a, b, root), *class, "{a} vs {b}");
        assert_eq!(overlap(b, a, root), *class, "{b} vs {a}");
    }
}

#[test]
fn the_required_examples_of_section_5_3() {
    check(
        &unix(),
        &[
            ("src/*", "src/lib/parser.ts", Partial),
            ("src/lib", "src/lib/parser.ts", Partial),
            ("src/lib/parser.ts", "src/lib/parser.ts", Exact),
            ("src/lib", "src/components", Disjoint),
        ],
    );
}

#[test]
fn components_are_compared_and_not_the_beginnings_of_names() {
    check(
        &unix(),
        &[
            ("src/lib", "src/library", Disjoint),
            ("src/lib/*", "src/library", Disjoint),
            ("src/lib", "src/lib.rs", Disjoint),
            ("/", "/src", Partial),
            ("/", "/*", Exact),
            ("/", ".", Partial),
            ("src", "/src", Disjoint),
        ],
    );
}

#[test]
fn a_wildcard_is_its_directory() {
    check(
        &unix(),
        &[
            ("src/*", "src", Exact),
            ("src/**", "src", Exact),
            ("src/**/*", "src/*", Exact),
            ("src/**", "src/lib/deep/down.rs", Partial),
            ("*", ".", Exact),
            ("**", "src", Partial),
        ],
    );
}

#[test]
fn separators_spare_slashes_and_dots_make_no_difference() {
    check(
        &unix(),
        &[
            ("src//lib", "src/lib", Exact),
            ("src/lib///", "src/lib", Exact),
            ("./src/./lib", "src/lib", Exact),
            (r"src\lib", "src/lib", Exact),
            (r".\src\/lib\*", "src/lib", Exact),
            (r"src\lib", "src/library", Disjoint),
            ("/home/ana/shop/src", "src", Exact),
            ("//home/ana/shop//src", "src", Exact),
            (r"\home\ana\shop\src", "src", Exact),
            ("/home", "src", Partial),
            ("/home/ana/other", "src", Disjoint),
        ],
    );
}

#[test]
fn case_counts_where_the_machine_says_so() {
    check(&unix(), &[("Src", "src", Disjoint)]);
    check(&windows(), &[("Src/Ärger", r"sRC\äRGER", Exact), (r"c:\users\ANA\Shop\src", "Src", Exact)]);
    let mac = ScopePath::root("/Users/Ana/shop", MAC).unwrap();
    check(&mac, &[("Src", "src", Exact), ("/users/ana/SHOP/src/lib", "Src", Partial), ("ΟΔΟΣ", "οδοσ", Exact)]);
}

#[test]
fn on_windows_drives_and_shares_are_worlds_of_their_own() {
    check(
        &windows(),
        &[
            (r"src\lib", "src/lib", Exact),
            (r"C:\src", "c:/src/", Exact),
            (r"C:\src", "/src", Exact),
            (r"\src", "src", Disjoint),
            (r"C:\src", r"D:\src", Disjoint),
            (r"C:\", "src", Partial),
            (r"D:\", "src", Disjoint),
            (r"\\server\share\x", "//SERVER/Share/X", Exact),
            (r"\\server\share", "//server/share/x/*", Partial),
            (r"\\server\share\x", r"\\server\other\x", Disjoint),
            (r"\\server\share", r"\\nas\share", Disjoint),
            (r"\\?\C:\src", r"C:\src", Exact),
            (r"\\?\UNC\server\share\x", r"\\server\share\x", Exact),
        ],
    );
}

#[test]
fn a_room_on_a_share_is_where_rooted_and_relative_scopes_hang() {
    let root = ScopePath::root(r"\\nas\work\shop", Conventions::WINDOWS).unwrap();
    check(&root, &[("src", "//nas/work/shop/src", Exact), (r"\shop", ".", Exact), (r"C:\", ".", Disjoint)]);
}

#[test]
fn a_scope_contains_itself_and_what_is_below_and_a_file_may_have_a_star_in_its_name() {
    let root = unix();
    let scope = ScopePath::scope("src/*", &root).unwrap();
    for (file, inside) in
        [("src", true), ("src/*", true), ("src/a*b.rs", true), ("src*", false), ("/home/ana/src", false)]
    {
        assert_eq!(scope.contains(&ScopePath::file(file, &root).unwrap()), inside, "{file}");
    }
}

#[test]
fn the_classes_are_written_as_the_contract_has_them() {
    for (class, text) in [(Exact, "exact"), (Partial, "partial"), (Disjoint, "disjoint")] {
        assert_eq!(class.as_str(), text);
        assert_eq!(serde_json::to_value(class).unwrap(), text);
    }
}
