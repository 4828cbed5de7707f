use super::{read, unknown};

#[test]
fn programs_that_only_read_are_free() {
    read(&[
        "ls",
        "ls -la src",
        "cat a b",
        "head -n 5 a",
        "tail -f log",
        "grep -rn 'a b' src",
        "wc -l < a",
        "pwd",
        "echo hello",
        "stat a",
        "file a",
        "which cargo",
        "date +%s",
        "true",
        "jq '.a | .b' x.json",
        "tree -L 2",
        "diff a b",
        "du -sh .",
        "/bin/ls",
        "/usr/bin/grep x y",
        "printf '%s\\n' a",
        "basename /a/b",
        "seq 1 3",
        "cut -d: -f1 /etc/passwd",
        "sha256sum a",
        "sleep 1",
    ]);
}

#[test]
fn batons_own_commands_are_free_if_they_only_coordinate() {
    read(&[
        "baton",
        "baton status --json",
        "baton --store /d wait",
        "baton send --to bo --body \"$x\"",
        "/usr/bin/baton take",
        "baton job create x",
    ]);
    unknown(&[
        "/opt/x/baton take",
        "./baton status",
        "~/bin/baton status",
        "baton $x",
        "baton confine --room other -- rm x",
        "baton install --project claude-code",
        "baton install git-hook",
        "baton uninstall --all",
        "baton job apply JOB-1",
        "baton start --yes",
        "baton run",
    ]);
}

#[test]
fn programs_that_are_not_known_or_run_others_are_unknown() {
    unknown(&[
        "python x.py",
        "make",
        "cargo test",
        "npm run build",
        "./ls",
        "bin/cat a",
        "/tmp/ls",
        "awk '{print}' a",
        "tar xf a.tar",
        "less a",
        "man ls",
        "xargs rm",
        "ls | xargs rm",
        "eval ls",
        ". ./env",
        "source env",
        "vim a",
        "perl -e 1",
        "node -e 1",
        "curl http://x",
        "alias ls=rm",
        "trap 'rm x' EXIT",
        "$CMD a",
        "${CMD} a",
        "`cat cmd`",
        "$(cat cmd) a",
        "l? a",
        "{ls,a}",
        "parallel rm",
        "hash -p /tmp/x ls",
        "enable -f x y",
        "ssh host ls",
    ]);
}

#[test]
fn options_that_write_or_run_make_a_reader_unknown() {
    unknown(&[
        "sort -o f a",
        "sort -nof a",
        "sort --output=f a",
        "sort --outp f a",
        "sort --compress-program=x a",
        "sort -T . a",
        "rg --pre x a",
        "rg --pre=x a",
        "rg -z a",
        "find . -delete",
        "find . -exec rm {} +",
        "find . -execdir x ';'",
        "find . -ok rm {} ';'",
        "find . -fprint f",
        "find . -fls f",
        "fd -x rm",
        "fd --exec rm",
        "file -C -m x",
        "tree -o f",
        "tree -H . -R",
        "diff -l a b",
        "iconv -o f a",
        "shuf -o f a",
        "base64 -o f a",
        "printf -v PATH x",
    ]);
}

#[test]
fn words_that_may_become_such_an_option_make_it_unknown() {
    unknown(&[
        "sort $x",
        "sort \"$x\"",
        "sort *",
        "sort {-o,f}",
        "find $x",
        "rg $x a",
        "sort -k -- $x",
        "sort `cat x`",
    ]);
    read(&["sort \"a$x\"", "rg -- $x", "cat $x *", "ls {a,b}", "grep $x a", "git diff HEAD -- *.rs"]);
}

#[test]
fn careful_programs_read_without_these_options() {
    read(&[
        "sort -rn a",
        "sort -k2,2 -t: a",
        "find . -name '*.rs' -type f",
        "find . -maxdepth 2 -print",
        "rg -n --pretty x src",
        "fd rs src",
        "uniq -c",
        "uniq -c a",
        "dd if=a bs=1",
        "ls | sort | uniq -c | sort -rn | head",
    ]);
}

#[test]
fn sed_without_writing_commands_reads() {
    read(&[
        "sed -n 1,5p a",
        "sed -n '/a/,/b/p' a",
        "sed 's/a/b/g' a",
        "sed -e 's|a|b|' -e '$d' a",
        "sed -E 's/[[:space:]]+$//' a",
        "sed '/x/I!d' a",
        "sed ':a;N;$!ba;s/\\n/ /g' a",
        "sed -n '$=' a",
        "sed '1i hello' a",
        "sed --quiet --expression=p a",
        "sed 's/a/b/;s/c/d/p' a",
        "sed y/ab/cd/ a",
    ]);
}

#[test]
fn sed_that_may_write_or_run_is_unknown() {
    unknown(&[
        "sed 's/x/y/e' a",
        "sed 's/x/y/w f' a",
        "sed 's/x/y/gw f' a",
        "sed 'w f' a",
        "sed -n '/x/w f' a",
        "sed 1e a",
        "sed e a",
        "sed 'W f' a",
        "sed -f s a",
        "sed -n \"$x\" a",
        "sed",
        "sed 's/x/y/ w f' a",
        "sed 's/[]/p/p;#]/x/w f' a",
        "sed 's/[/]/w f/' a",
        "sed -e p -e 'w f' a",
        "sed '1!{p;w f\n}' a",
        "sed $x a",
        "sed p $x",
        "sed --debug p a",
        "sed 's/a/b' a",
        "sed -n 'p;e rm x' a",
        "sed 'a\\\nx\nw f' a",
    ]);
}

#[test]
fn shell_builtins_read_unless_they_evaluate() {
    read(&[
        "[ -f a ]",
        "test -d a && echo yes",
        "[ 1 -eq 2 ]",
        "[[ -f a ]]",
        "[[ $x == y* ]]",
        "[[ -f a && -d b ]] && ls",
        ":",
        "set -euo pipefail",
        "exit 1",
        "cd a",
        "cd",
        "pushd a && ls && popd",
        "export A=1",
        "read -r line",
        "unset x",
        "wait",
        "dirs",
    ]);
    unknown(&[
        "[ \"$x\" -eq 1 ]",
        "[[ $x -eq 1 ]]",
        "[[ -v 'a[$(rm x)]' ]]",
        "test -v 'a[$(rm x)]'",
        "[[ a > b ]]",
        "[[ x || rm y ]]",
        "export PATH=.",
        "export A=$x",
        "read 'a[$(rm x)]'",
        "read PATH",
        "unset PATH",
        "printf %d 'a[$(rm x)]'",
        "exit 'a[`rm x`]'",
        "set -- x",
        "set -o allexport x",
        "declare -i x=y",
        "let x=1",
        "[[ a",
        "exit $x",
    ]);
}
