use super::{super::patch_targets, own, unknown, write, write_and_more};

#[test]
fn a_patch_names_the_files_that_it_adds_updates_moves_and_deletes() {
    let patch = "*** Begin Patch\n*** Add File: a.rs\n+x\n*** Update File: src/b.rs\n*** Move to: src/c.rs\n@@\n-a\n+b\n\
                 *** Delete File: d e.rs\n*** Update File: a.rs\n@@\n-x\n+y\n*** End Patch\n";
    assert_eq!(patch_targets(patch), own(&["a.rs", "src/b.rs", "src/c.rs", "d e.rs"]));
}

#[test]
fn content_that_looks_like_a_header_is_no_target() {
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n *** Add File: context\n+*** Add File: new\n-*** Delete File: old\n*** End Patch";
    assert_eq!(patch_targets(patch), own(&["a"]));
}

#[test]
fn headers_may_be_indented_and_lines_may_end_as_on_windows() {
    assert_eq!(
        patch_targets("  *** Begin Patch\r\n  *** Add File: a\r\n+x\r\n  *** Delete File:b\r\n"),
        own(&["a", "b"])
    );
}

#[test]
fn text_without_a_patch_has_no_targets() {
    assert_eq!(patch_targets(""), own(&[]));
    assert_eq!(patch_targets("*** Add File:\n*** Begin Patch\nhello"), own(&[]));
}

#[test]
fn a_patch_in_a_command_is_read() {
    const PATCH: &str = "*** Begin Patch\n*** Add File: a\n+x > y\n*** Delete File: b\n*** End Patch";
    for command in [
        format!("apply_patch <<'E'\n{PATCH}\nE\n"),
        format!("applypatch <<E\n{PATCH}\nE"),
        format!("apply_patch '{PATCH}'"),
        format!("apply_patch <<< \"{PATCH}\""),
        format!("bash -lc \"apply_patch <<'E'\n{PATCH}\nE\n\""),
    ] {
        write(&[(&command, &["a", "b"])]);
    }
    write(&[(&format!("cd src/x && apply_patch <<'E'\n{PATCH}\nE"), &["src/x/a", "src/x/b"])]);
    write_and_more(&[(&format!("apply_patch <<E\n{PATCH} $x\nE"), &["a", "b"])]);
}

#[test]
fn a_patch_that_is_not_there_to_read_is_unknown() {
    unknown(&[
        "apply_patch",
        "apply_patch < p",
        "apply_patch \"$P\"",
        "cat p | apply_patch",
        "apply_patch <<E\nhello\nE",
    ]);
}
