use super::{read, unknown, write, write_and_more};

#[test]
fn redirections_to_files_write() {
    write(&[
        ("echo x > f", &["f"]),
        ("echo x >f", &["f"]),
        ("echo x>f", &["f"]),
        ("echo x >> f", &["f"]),
        ("echo x >| f", &["f"]),
        ("ls &> f", &["f"]),
        ("ls &>> f", &["f"]),
        ("ls 2> f", &["f"]),
        ("ls >& f", &["f"]),
        ("cat <> f", &["f"]),
        (": > f", &["f"]),
        ("> f", &["f"]),
        (">f<g cat", &["f"]),
        ("ls > a > b", &["a", "b"]),
        ("ls >'a b'", &["a b"]),
        ("(ls) > f", &["f"]),
        ("{ ls; } > f", &["f"]),
        ("for i in a b; do echo $i; done > f", &["f"]),
        ("if true; then ls; fi >> f", &["f"]),
        ("exec > f", &["f"]),
        ("ls > '~/f'", &["./~/f"]),
        ("ls 12> f", &["f"]),
        ("baton status > f", &["f"]),
        ("cat > f <<'E'\nrm x\nE\n", &["f"]),
        ("cat <<'E' > f\n> g\nE", &["f"]),
        ("[[ -f a ]] > f", &["f"]),
    ]);
    unknown(&["ls > $F", "ls > \"$D/x\"", "ls > ~/f", "ls >&$F", "ls > $(mktemp)"]);
    write_and_more(&[("ls {fd}> f", &["f"]), ("ls >! f", &["!"]), ("make > f", &["f"])]);
}

#[test]
fn harmless_redirections_read() {
    read(&[
        "ls > /dev/null",
        "ls 2>&1",
        "ls > /dev/null 2>&1",
        "ls &> /dev/null",
        "echo x >&2",
        "echo x > /dev/stderr",
        "ls 2>/dev/null | head",
        "ls 3>&1 1>&2 2>&3",
        "cat < a",
        "cat 0< a",
        "ls 2>&-",
        "cat <<< 'a > b'",
        "cat <<E\n> f\nE",
        "echo '> f' \"> f\" \\> f",
        "echo a # > f",
    ]);
}

#[test]
fn descriptors_that_may_lead_to_a_file_are_unknown() {
    unknown(&[
        "echo x 1< f > /dev/stdout",
        "cat < f 1<&0 > /dev/stdout",
        "cat < f >&0",
        "cat 3< f",
        "cat {fd}< f",
        "cat <&$x",
        "echo x > >(cat)",
    ]);
    write(&[
        ("cat < f > /dev/stdin", &["/dev/stdin"]),
        ("ls > /dev/fd/3", &["/dev/fd/3"]),
        ("ls > /dev/null/x", &["/dev/null/x"]),
    ]);
}

#[test]
fn programs_that_write_name_their_files() {
    write(&[
        ("rm f", &["f"]),
        ("rm -rf a b", &["a", "b"]),
        ("rm -- -f", &["-f"]),
        ("/bin/rm f", &["f"]),
        ("rmdir d", &["d"]),
        ("touch a b", &["a", "b"]),
        ("touch -d now -r ref a", &["a"]),
        ("mkdir -p a/b", &["a/b"]),
        ("mkdir -m 755 d", &["d"]),
        ("cat a | tee b", &["b"]),
        ("tee -a b c < a", &["b", "c"]),
        ("cp a b", &["b"]),
        ("cp -r a b c", &["c"]),
        ("cp -t d a b", &["d"]),
        ("cp -rt d a", &["d"]),
        ("cp --target-directory=d a", &["d"]),
        ("cp --target d a", &["d"]),
        ("mv a b", &["b", "a"]),
        ("mv -t d a", &["d", "a"]),
        ("chmod +x f", &["f"]),
        ("chmod 644 f g", &["f", "g"]),
        ("chmod -x f", &["f"]),
        ("chmod -R 755 d", &["d"]),
        ("chmod --reference=r f", &["f"]),
        ("chown -R me d", &["d"]),
        ("truncate -s 0 f", &["f"]),
        ("dd if=a of=b", &["b"]),
        ("sed -i s/a/b/ f g", &["f", "g"]),
        ("sed -i '' s/a/b/ f", &["f"]),
        ("sed -i.bak -e s/a/b/ f", &["f"]),
        ("sed -Ei 's/a/b/' f", &["f"]),
        ("sed --in-place s/a/b/ f", &["f"]),
        ("sed -n -i p f", &["f"]),
        ("install -m 755 a b", &["b"]),
        ("install -d a b", &["a", "b"]),
        ("rsync -av a/ b/", &["b/"]),
        ("uniq a b", &["b"]),
        ("unlink f", &["f"]),
        ("cp *.rs d", &["d"]),
    ]);
    write_and_more(&[
        ("patch f p", &["f"]),
        ("patch -o g f", &["g", "f"]),
        ("sed -i 's/a/b/w g' f", &["f"]),
        ("sed -i 's/a/b/e' f", &["f"]),
        ("ln -s a b", &["b"]),
        ("ln -s /x/a", &["a"]),
        ("cp -l a b", &["b"]),
        ("cp -as a b", &["b"]),
        ("rm $x *.o", &["*.o"]),
        ("rsync -e x a b", &["b"]),
        ("rsync --log-file=l a b", &["b"]),
        ("rm a; make", &["a"]),
        ("make && rm a", &["a"]),
    ]);
    unknown(&[
        "rm \"$D\"/x",
        "cp a b $x",
        "patch -p1 < p",
        "rm",
        "cp a",
        "mv",
        "rsync a host:b",
        "chmod 644",
        "tee >(cat)",
        "patch -d d f",
    ]);
    read(&["ls | tee", "ls | tee /dev/stderr"]);
}

#[test]
fn paths_are_joined_to_the_directory_before() {
    write(&[
        ("cd a && rm x", &["a/x"]),
        ("cd a && cd b && rm x /y", &["a/b/x", "/y"]),
        ("cd /a/ && rm x", &["/a/x"]),
        ("cd a/ && rm ../x", &["a/../x"]),
        ("(cd a && rm x) && rm y", &["a/x", "y"]),
        ("(cd a; ls); rm y", &["y"]),
        ("cd a && (ls; rm x)", &["a/x"]),
        ("cd a && { ls; rm x; }", &["a/x"]),
        ("cd 'a b' && rm x", &["a b/x"]),
        ("pushd a && rm x", &["a/x"]),
        ("cd a &&\nrm x", &["a/x"]),
        ("command cd a && rm x", &["a/x"]),
        ("cd -- a && rm x", &["a/x"]),
        ("bash -c 'cd a' && rm x", &["x"]),
        ("cd a && bash -c 'rm x'", &["a/x"]),
        ("cd a && echo $(rm x)", &["a/x"]),
        ("cd a > f && ls > g", &["f", "a/g"]),
        ("cd a && ls | tee x", &["a/x"]),
        ("cd a; rm /x", &["/x"]),
    ]);
    unknown(&["cd && rm x", "cd - && rm x", "cd $D && rm x", "cd ~/p && rm x", "cd a && rm $x ~/y \"$z/w\""]);
}

#[test]
fn a_directory_that_may_not_have_been_entered_is_unsure() {
    write_and_more(&[
        ("cd a; rm x", &["a/x"]),
        ("cd a\nrm x", &["a/x"]),
        ("cd a || exit 1; rm x", &["a/x"]),
        ("cd a | rm x", &["x"]),
        ("cd a & rm x", &["x"]),
        ("true || cd a && rm x", &["a/x"]),
        ("! cd a && rm x", &["a/x"]),
        ("if true; then cd a; fi; rm x", &["a/x"]),
        ("popd && rm x", &["x"]),
        ("for i in 1 2; do rm x; cd a; done", &["x"]),
        ("cd a b && rm x", &["x"]),
        ("env cd a && rm x", &["x"]),
        ("{ cd a; } && rm x", &["a/x"]),
    ]);
}

#[test]
fn a_device_is_harmless_as_output_only() {
    write(&[
        ("rm /dev/null", &["/dev/null"]),
        ("mv a /dev/null", &["/dev/null", "a"]),
        ("chmod 600 /dev/null", &["/dev/null"]),
        ("cp a /dev/stdout", &["/dev/stdout"]),
        ("touch /dev/null", &["/dev/null"]),
    ]);
}
