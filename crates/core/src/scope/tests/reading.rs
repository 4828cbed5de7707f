//! What is understood, how it is shown, and what is refused.

use super::{Conventions, MAC, ScopePath, refused, shown, unix, windows};
use crate::limits;

#[test]
fn a_scope_is_shown_relative_to_the_room_or_else_absolute() {
    let root = unix();
    for (text, expected) in [
        ("src/lib", "src/lib"),
        ("/home/ana/shop/src//lib/", "src/lib"),
        (".", "."),
        ("/home/ana/shop", "."),
        ("*", "*"),
        ("./**/", "*"),
        ("src/components/sessions/*", "src/components/sessions/*"),
        ("src/**/*", "src/*"),
        ("src/*/", "src/*"),
        ("/home/ana/other", "/home/ana/other"),
        ("/", "/"),
        ("/*", "/*"),
        ("/etc/*", "/etc/*"),
        ("app/[id]/{a,b}?.tsx", "app/[id]/{a,b}?.tsx"),
        (r"src\lib", "src/lib"),
        (r"src\\lib\*", "src/lib/*"),
        (r"\home\ana\shop\src", "src"),
        ("C:/src", "C:/src"),
        ("Src", "Src"),
        ("...", "..."),
    ] {
        assert_eq!(shown(text, &root), expected, "{text}");
    }
    assert!(ScopePath::scope("src/*", &root).unwrap().is_wildcard());
    assert!(!ScopePath::scope("src", &root).unwrap().is_wildcard());
}

#[test]
fn on_windows_both_separators_are_read_and_a_slash_is_shown() {
    let root = windows();
    for (text, expected) in [
        (r"Src\lib", "Src/lib"),
        (r"c:\USERS\ana\SHOP\Src\*", "Src/*"),
        (r"c:\Users\Bo", "C:/Users/Bo"),
        (r"d:\", "D:/"),
        (r"D:\*", "D:/*"),
        (r"\Windows", "C:/Windows"),
        (r"\\?\D:\x", "D:/x"),
        (r"\\Server\Share", "//Server/Share/"),
        (r"\\?\unc\Server\Share\x\*", "//Server/Share/x/*"),
        (r"\\\src", "C:/src"),
    ] {
        assert_eq!(shown(text, &root), expected, "{text}");
    }
}

#[test]
fn inside_the_room_its_own_spelling_wins() {
    let root = ScopePath::root("/Users/Ana/shop", MAC).unwrap();
    let scope = ScopePath::scope("/users/ANA/Shop/Src", &root).unwrap();
    assert_eq!(scope, ScopePath::scope("Src", &root).unwrap());
}

#[test]
fn a_pattern_is_refused_with_the_directory_to_reserve_instead() {
    let root = unix();
    insta::assert_snapshot!(
        refused("src/*.ts", &root),
        @r#"scope "src/*.ts" has a pattern that is not understood: "*" may only be the whole last part ("src/*" is everything below src). Reserve the directory before it instead: "src""#
    );
    for (text, instead) in [
        ("src/*/x", "src"),
        ("src/lib/co*", "src/lib"),
        ("src/lib/***", "src/lib"),
        ("src/**/test.rs", "src"),
        ("*.md", "."),
        ("/*/x", "/"),
        ("/home/ana/a/b*/c/*", "/home/ana/a"),
        (r"src\lib\*.rs", "src/lib"),
    ] {
        let message = refused(text, &root);
        assert!(message.ends_with(&format!("instead: {instead:?}")), "{text}: {message}");
    }
}

#[test]
fn what_is_no_path_is_refused_and_told_why() {
    let root = unix();
    let texts = ["", " ", "\u{200b}", "src/\0", "src/a\nb", "\u{1b}[31m", "./ ", "src/*.ts\u{7f}"];
    let long = "x".repeat(limits::PATH_BYTES + 1);
    let messages: Vec<_> = texts.into_iter().chain([long.as_str()]).map(|text| refused(text, &root)).collect();
    insta::assert_snapshot!(messages.join("\n"), @r#"
    scope "" must be non-empty
    scope " " must be non-empty
    scope "\u{200b}" must be non-empty
    scope "src/\0" has a control character
    scope "src/a\nb" has a control character
    scope "\u{1b}[31m" has a control character
    scope "./ " must be non-empty
    scope "src/*.ts\u{7f}" has a control character
    scope "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" is 4097 bytes long; at most 4096 are accepted
    "#);
}

#[test]
fn on_windows_what_is_unclear_is_refused_and_told_why() {
    let root = windows();
    let texts = [
        "C:src",
        "c:",
        r"\\server",
        r"\\server\*",
        r"\\server\..\x",
        r"\\.\COM1",
        r"\\?\Volume{1}\x",
        r"\\?\C:",
        r"\\?\UNC\?\x",
        "src/a.ts:12",
        "./C:/x",
    ];
    let messages: Vec<_> = texts.into_iter().map(|text| refused(text, &root)).collect();
    insta::assert_snapshot!(messages.join("\n"), @r#"
    scope "C:src" is unclear: it depends on a current directory of drive C. Begin it with "C:/" if that is meant
    scope "c:" is unclear: it depends on a current directory of drive C. Begin it with "C:/" if that is meant
    scope "\\\\server" begins with two separators but names no share; that takes "//server/share/…"
    scope "\\\\server\\*" begins with two separators but names no share; that takes "//server/share/…"
    scope "\\\\server\\..\\x" begins with two separators but names no share; that takes "//server/share/…"
    scope "\\\\.\\COM1" names a device; give a path on a drive or a share
    scope "\\\\?\\Volume{1}\\x" names a device; give a path on a drive or a share
    scope "\\\\?\\C:" names a device; give a path on a drive or a share
    scope "\\\\?\\UNC\\?\\x" begins with two separators but names no share; that takes "//server/share/…"
    scope "src/a.ts:12" has a ":" in a name; on Windows it only follows the letter of a drive
    scope "./C:/x" has a ":" in a name; on Windows it only follows the letter of a drive
    "#);
}

#[test]
fn a_rooms_own_path_must_be_absolute() {
    let message = |text, conventions| ScopePath::root(text, conventions).unwrap_err().to_string();
    let messages = [
        message("shop", Conventions::UNIX),
        message("", Conventions::UNIX),
        message(r"C:\shop", Conventions::UNIX),
        message("shop", Conventions::WINDOWS),
        message("/shop", Conventions::WINDOWS),
        message("C:shop", Conventions::WINDOWS),
    ];
    insta::assert_snapshot!(messages.join("\n"), @r#"
    room path "shop" must be absolute
    room path "" must be non-empty
    room path "C:\\shop" must be absolute
    room path "shop" must be absolute
    room path "/shop" must be absolute, with its drive
    room path "C:shop" is unclear: it depends on a current directory of drive C. Begin it with "C:/" if that is meant
    "#);
}

#[test]
fn a_file_may_be_called_anything_that_a_file_can_be() {
    let root = unix();
    assert_eq!(ScopePath::file("src/*", &root).unwrap().shown(&root), "src/*");
    assert_eq!(ScopePath::file("a*/b", &root).unwrap().shown(&root), "a*/b");
    assert_eq!(ScopePath::file("src/a\nb", &root).unwrap().shown(&root), "src/a\u{FFFD}b");
    assert_eq!(ScopePath::file(" ", &root).unwrap().shown(&root), " ");
    insta::assert_snapshot!(ScopePath::file("", &root).unwrap_err(), @r#"path "" must be non-empty"#);
    let long = ScopePath::file(&"x".repeat(4097), &root).unwrap_err().problem;
    insta::assert_snapshot!(long, @"is 4097 bytes long; at most 4096 are accepted");
}

#[test]
fn a_room_below_a_directory_with_a_star_can_be_shared_out_but_not_what_is_beside_it() {
    let root = ScopePath::root("/srv/a*b/shop", Conventions::UNIX).unwrap();
    assert_eq!(shown("src/*", &root), "src/*");
    assert_eq!(shown("/srv/a*b/shop/src/*", &root), "src/*");
    assert_eq!(shown("/srv", &root), "/srv");
    for text in ["/srv/a*b", "/srv/a*b/other", "/srv/a*b/shop/x*y"] {
        assert!(refused(text, &root).contains("has a pattern that is not understood"), "{text}");
    }
}

#[test]
fn dots_that_climb_are_refused_wherever_they_stand() {
    for (root, texts) in [
        (unix(), &["..", "../other", "src/..", "src/../lib", r"src\..\lib", r"..\x", "/home/../etc", "src/../*"][..]),
        (windows(), &["..", r"src\..\lib", "src/../lib", r"C:\Users\..\x", r"\\server\share\..\x"][..]),
    ] {
        for text in texts {
            let problem = ScopePath::scope(text, &root).unwrap_err().problem;
            assert!(problem.starts_with("has \"..\" in it, which can lead out of the room."), "{text}: {problem}");
            assert_eq!(ScopePath::file(text, &root).unwrap_err().problem, problem, "{text}");
        }
    }
}

#[test]
fn a_room_in_a_directory_with_a_backslash_keeps_its_name_and_what_is_below_is_read_as_usual() {
    let root = ScopePath::root(r"/srv/a\b/shop", Conventions::UNIX).unwrap();
    assert_eq!(root.absolute(), r"/srv/a\b/shop");
    for text in ["src/lib", r"src\lib", r"/srv/a\b/shop/src/lib", r"/srv/a\b/shop\src\lib"] {
        assert_eq!(shown(text, &root), "src/lib", "{text}");
    }
}
