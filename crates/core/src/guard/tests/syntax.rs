use super::{super::read_shell, read, unknown, write, write_and_more};

#[test]
fn every_command_of_a_list_counts() {
    read(&[
        "ls; pwd",
        "ls && pwd || true",
        "ls | wc -l",
        "ls |& wc",
        "ls & pwd",
        "ls\npwd\n",
        "(ls; pwd)",
        "{ ls; pwd; }",
        "! ls",
        "",
        "  \n",
        "# rm x",
    ]);
    write(&[
        ("git status; rm x", &["x"]),
        ("ls && rm x", &["x"]),
        ("ls || rm x", &["x"]),
        ("ls | rm x", &["x"]),
        ("ls & rm x", &["x"]),
        ("ls\nrm x", &["x"]),
        ("(rm x)", &["x"]),
        ("{ rm x; }", &["x"]),
        ("! rm x", &["x"]),
        ("rm a;rm b&&rm c", &["a", "b", "c"]),
    ]);
}

#[test]
fn every_command_of_a_condition_or_loop_counts() {
    read(&[
        "if [ -f a ]; then cat a; else ls; fi",
        "while read -r l; do echo \"$l\"; done < a",
        "for f in *.rs; do wc -l \"$f\"; done",
        "until true; do sleep 1; done",
    ]);
    write(&[("if ls; then rm x; fi", &["x"]), ("while true; do touch x; done", &["x"])]);
    unknown(&[
        "for f in a b; do rm $f; done",
        "case x in a) rm f;; esac",
        "select x in a; do ls; done",
        "for ((i=0;i<3;i++)); do ls; done",
        "for PATH in .; do ls; done",
        "f() { rm x; }",
        "function f { ls; }",
        "coproc ls",
    ]);
}

#[test]
fn words_are_what_the_shell_makes_of_quotes() {
    write(&[
        ("e\"c\"ho x > f", &["f"]),
        ("\\rm f", &["f"]),
        ("\"rm\" f", &["f"]),
        ("'rm' f", &["f"]),
        ("r\\\nm f", &["f"]),
        ("ec\\\nho x > f", &["f"]),
        ("$'\\x72m' f", &["f"]),
        ("$'rm' $'a\\tb'", &["a\tb"]),
        ("$'\\162\\155' f", &["f"]),
        ("rm 'a'\"b\"c", &["abc"]),
        ("rm \"a\\\"b\"", &["a\"b"]),
        ("rm a\\ b", &["a b"]),
        ("echo x >\\\n> f", &["f"]),
        ("rm 'it'\\''s'", &["it's"]),
        ("rm é\u{a0}ü", &["é\u{a0}ü"]),
        ("rm a#b", &["a#b"]),
    ]);
    read(&[
        "ec\\\nho x",
        "e\"c\"ho x",
        "'ls' \"-la\"",
        "echo \"a;rm x\"",
        "echo 'a\n> b'",
        "echo \"\\$(rm x)\"",
        "echo '$(rm x)'",
        "echo \\`rm x\\`",
    ]);
}

#[test]
fn text_that_ends_too_early_is_unknown() {
    unknown(&[
        "echo 'a",
        "echo \"a",
        "echo $(ls",
        "echo `ls",
        "rm f 'a",
        "echo ${x",
        "cat <<E\nx",
        "cat <<E",
        "(ls",
        "{ ls",
        "ls )",
        "ls; }",
        "echo \\",
        "ls >",
        "ls > ;",
        "$'a",
    ]);
    write_and_more(&[("rm x\necho 'a", &["x"])]);
}

#[test]
fn commands_in_substitutions_count() {
    read(&[
        "echo $(ls)",
        "echo \"$(git status)\"",
        "echo `pwd`",
        "cat <(ls)",
        "diff <(ls a) <(ls b)",
        "echo \"$(echo \"$(ls)\")\"",
        "echo ${x:-$(ls)}",
        "echo $((1 + 2))",
        "cat < <(ls)",
    ]);
    write(&[
        ("cat <(rm x)", &["x"]),
        ("echo \"$(rm x)\"", &["x"]),
        ("echo `rm x`", &["x"]),
        ("echo \"`rm x`\"", &["x"]),
        ("echo $(echo $(rm x))", &["x"]),
        ("echo `echo \\`rm x\\``", &["x"]),
        ("echo ${x:-$(rm x)}", &["x"]),
        ("A=$(rm x)", &["x"]),
        ("for i in $(rm x); do ls; done", &["x"]),
        ("cat <<E\n$(rm x)\nE", &["x"]),
        ("cat <<E\n`rm x`\nE", &["x"]),
        ("cat <<< $(rm x)", &["x"]),
        ("ls $\\\n(rm x)", &["x"]),
        ("[[ -f $(rm x) ]]", &["x"]),
        ("ls > /dev/null$(rm x)", &["x", "/dev/null$(rm x)"]),
        ("baton tell \"$(rm x)\"", &["x"]),
        ("cat <\\\n(rm x)", &["x"]),
        ("echo $( (rm x) )", &["x"]),
    ]);
    unknown(&[
        "echo $(make)",
        "echo `python x`",
        "cat <(make)",
        "echo $((x))",
        "echo $((a[0]))",
        "echo ${x:=y}",
        "echo ${!x}",
        "echo ${x@P}",
        "echo ${a[0]}",
        "echo ${ rm x; }",
        "echo $[1+1]",
        "echo \"$\\\n(rm x)\"",
    ]);
}

#[test]
fn bodies_of_heredocs_are_text() {
    read(&[
        "cat <<E\nrm x\nE\n",
        "cat <<'E'\n$(rm x)\nE",
        "cat <<\\E\n`rm x`\nE",
        "cat <<E\"O\"F\n$(rm x)\nEOF",
        "cat <<-E\n\trm x\n\tE\nls",
        "cat <<A <<B\na\nA\nb\nB\nls",
        "cat <<E | wc\nx\nE",
        "cat <<E\n'\nE",
        "cat <<E\n\\$(rm x)\nE",
        "echo \"$(cat <<'E'\n)\nE\n)\"",
    ]);
    write(&[
        ("cat <<E\nx\nE\nrm x", &["x"]),
        ("cat <<'E' && rm x\ny\nE", &["x"]),
        ("cat <<E\nE \nE\nrm x", &["x"]),
        ("cat <<'E'\nx\\\nE\nrm x", &["x"]),
        ("cat <<A <<B\nB\nA\nrm y\nB\nrm x", &["x"]),
    ]);
    unknown(&[
        "cat <<E\nx\\\nE\nE",
        "cat <<E\nE\\\n\nls",
        "cat <<EF\nE\\\nF\nls",
        "cat <<$x\na\n$x",
        "bash <<E\nrm x\nE",
        "cat <<E $(ls\n)\nE",
        "python - <<'E'\nprint(1)\nE",
    ]);
}

#[test]
fn assignments_read_unless_the_variable_is_powerful() {
    read(&["FOO=1 ls", "a=b c=\"$d\" ls", "x=1", "x=$(pwd)", "LC_ALL=C sort a", "x+=1 ls", "env FOO=1 ls"]);
    unknown(&[
        "PATH=. ls",
        "path=. ls",
        "LD_PRELOAD=x ls",
        "GIT_EXTERNAL_DIFF=x git diff",
        "IFS=x ls",
        "BASH_ENV=x ls",
        "PAGER=x git log",
        "HOME=. git status",
        "RIPGREP_CONFIG_PATH=x rg a",
        "x='a[$(rm x)]' ls",
        "a[1]=x ls",
        "a=(b c)",
        "F\"OO\"=1 ls",
        "env PATH=. ls",
        "env \"PATH=.\" ls",
        "env FOO=$x ls",
        "ENV=x sh -c ls",
    ]);
}

#[test]
fn wrappers_are_looked_through() {
    read(&[
        "sudo ls",
        "env",
        "env ls",
        "env -i A=1 ls",
        "nice -n 5 ls",
        "nice -5 ls",
        "time ls",
        "time -p ls",
        "timeout 5 ls",
        "timeout -k 1 -s KILL 5s ls",
        "command ls",
        "command -v x",
        "command -V rm",
        "exec ls",
        "builtin echo x",
        "stdbuf -oL grep x a",
        "stdbuf --output=L ls",
        "setsid ls",
        "sudo -u me env A=1 nice ls",
        "exec 2>&1",
        "bash -c 'ls; pwd'",
        "bash -lc \"git status\"",
        "sh -c 'echo \"a b\"'",
        "bash -e -o pipefail -c ls",
        "bash -c 'bash -c ls'",
        "/bin/bash -c ls",
        "bash -c 'echo $1' x y",
    ]);
    write(&[
        ("sudo rm x", &["x"]),
        ("env A=1 rm x", &["x"]),
        ("timeout 5 rm x", &["x"]),
        ("command rm x", &["x"]),
        ("exec rm x", &["x"]),
        ("nice rm x", &["x"]),
        ("time rm x", &["x"]),
        ("bash -c 'rm x'", &["x"]),
        ("bash -lc 'echo a > x'", &["x"]),
        ("sh -c \"cd a && rm x\"", &["a/x"]),
        ("bash -c \"bash -c 'rm x'\"", &["x"]),
        ("sudo -n env nice -n 1 timeout 1 rm x", &["x"]),
    ]);
    write_and_more(&[("nohup rm x", &["x"]), ("bash -c \"echo $x > f\"", &["f"]), ("bash -ic 'rm x'", &["x"])]);
    unknown(&[
        "sudo -i",
        "sudo -e f",
        "sudo -s ls",
        "env -S 'rm x'",
        "env -C d ls",
        "time -o f ls",
        "timeout -x 5 ls",
        "timeout ls",
        "timeout $x ls",
        "bash",
        "bash x.sh",
        "bash -s",
        "ls | sh",
        "bash -c \"$x\"",
        "bash -c",
        "bash --rcfile x -c ls",
        "nohup ls",
        "fish -c ls",
        "sudo $x",
        "command $x",
        "exec -a",
    ]);
}

#[test]
fn long_and_deep_commands_are_unknown() {
    let nested = |depth: usize| format!("{}ls{}", "echo $(".repeat(depth), ")".repeat(depth));
    read(&[&nested(8)]);
    unknown(&[
        &nested(9),
        &nested(10_000),
        &"(".repeat(100_000),
        &"( ".repeat(100_000),
        &"${a:-".repeat(50_000),
        &"`".repeat(99_999),
        &"echo `".repeat(1001),
    ]);
    let long = format!("echo {}", "a".repeat(256 * 1024));
    unknown(&[&long]);
    read(&[&long[..256 * 1024]]);
}

#[test]
fn findings_stay_small() {
    let command =
        format!("cd {} && rm {}", "d".repeat(4000), (0..40_000).map(|number| format!("{number} ")).collect::<String>());
    let reading = read_shell(&command);
    assert!(reading.is_partial && reading.writes.len() <= 1024 && reading.writes.iter().all(|path| path.len() <= 4096));
}
