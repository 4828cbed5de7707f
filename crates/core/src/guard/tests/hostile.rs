use super::{super::read_shell, ShellEffect, read, unknown, write, write_and_more};

#[test]
fn blanks_of_other_scripts_separate_nothing() {
    unknown(&["ls\u{a0}a", "ls\u{2003}-l", "ls\u{3000}", "\u{feff}ls", "ls\r\n", "l\u{200b}s"]);
    read(&["echo a\u{a0}b"]);
    write(&[("echo x >\u{a0}f", &["\u{a0}f"])]);
}

#[test]
fn text_that_shells_read_differently_is_unknown() {
    unknown(&[
        "echo $'\\' > f #'",
        "echo '\\' ' > f '",
        "echo $'a\\'b'",
        "ls *(e:'rm x':)",
        "cat =(rm x)",
        "echo (rm x)",
        "sort $~x",
        "echo $\"a\"",
        "ls @(a|b)",
        "echo $x[1]",
    ]);
}

#[test]
fn names_that_only_look_like_readers_are_unknown() {
    unknown(&[
        "ls.sh",
        "Ls",
        "catt a",
        "/usr/bin/../../tmp/ls",
        "/bin/x/ls",
        "$'l\\u00e9s'",
        "git-status",
        "./git status",
        "batonx",
        "~/ls",
        "xbaton",
        "baton/x",
    ]);
}

#[test]
fn a_zero_byte_is_unknown() {
    unknown(&["ls\0", "\0"]);
}

#[test]
fn keywords_in_quotes_are_programs() {
    unknown(&["'if' ls", "\\{ ls", "\"for\" x in a", "'[[' a ]]"]);
}

#[test]
fn operators_need_no_blanks() {
    write(&[
        ("ls;rm x", &["x"]),
        ("ls&&rm x", &["x"]),
        ("ls|rm x", &["x"]),
        ("ls&rm x", &["x"]),
        ("(rm x)", &["x"]),
        ("ls>f", &["f"]),
        ("ls 2>f", &["f"]),
        ("ls a2>f", &["f"]),
        ("ls \"2\">f", &["f"]),
    ]);
}

#[test]
fn a_write_is_seen_behind_parts_that_cannot_be_told() {
    write_and_more(&[
        ("make; rm x", &["x"]),
        ("PATH=. rm x", &["x"]),
        ("$C && rm x", &["x"]),
        ("eval x; ls > f", &["f"]),
        ("echo ${x:=y} > f", &["f"]),
        ("git -c a=b status > f", &["f"]),
    ]);
}

#[test]
fn repeated_operators_take_linear_time() {
    for part in [
        "a;",
        "a|",
        "<a ",
        "[[ ",
        "for x in ",
        "cd a;",
        "{ ",
        "!",
        "\\\n",
        "'a' ",
        "$x",
        "rm a ",
        "cat <<E ",
        "if ",
        "git -C a ",
        "`ls` ",
        "${x} ",
        "sudo ",
        "a=b ",
        "env ",
        "é",
    ] {
        let reading = read_shell(&part.repeat(250_000 / part.len()));
        assert!(reading.effect != ShellEffect::Reads || reading.writes.is_empty(), "{part}");
    }
}
