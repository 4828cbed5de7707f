//! Reads a unified diff as git writes it: files, hunks, lines and their numbers.
//!
//! A hunk says how many lines it has, and that is believed before anything that a line looks like: a removed line that
//! begins with `-- ` is no header. What is no diff at all has no files.

/// What happened to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Change {
    #[default]
    Changed,
    New,
    Deleted,
    Renamed,
    Copied,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Where the next lines are: `@@ -1,2 +1,3 @@`.
    Hunk,
    Added,
    Removed,
    Same,
    /// Said about the lines before it: no newline at the end.
    Note,
}

/// A line of a file's diff, without its sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) kind: Kind,
    /// Its number before and after.
    pub(super) old: Option<u32>,
    pub(super) new: Option<u32>,
    pub(super) text: &'a str,
}

/// What changed in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct File<'a> {
    /// Its names before and after, as far as they are told.
    pub(super) old: Option<String>,
    pub(super) new: Option<String>,
    pub(super) change: Change,
    pub(super) binary: bool,
    /// Modes before and after, where they differ.
    pub(super) old_mode: Option<&'a str>,
    pub(super) new_mode: Option<&'a str>,
    pub(super) lines: Vec<Line<'a>>,
    pub(super) added: usize,
    pub(super) removed: usize,
}

/// The files of a diff, in its order.
pub(super) fn read(text: &str) -> Vec<File<'_>> {
    let mut reader = Reader::default();
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        reader.line(line);
    }
    reader.files
}

/// How many lines of a hunk are still to come, and which.
#[derive(Default)]
struct Hunk {
    old_left: u32,
    new_left: u32,
    old: u32,
    new: u32,
}

#[derive(Default)]
struct Reader<'a> {
    files: Vec<File<'a>>,
    hunk: Hunk,
    /// Whether the file at hand was begun by `diff --git`, and has no `---` line of its own yet.
    headed: bool,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: &'a str) {
        if self.within(line) {
            return;
        }
        if let Some(names) = line.strip_prefix("diff --git ") {
            let (old, new) = both(names);
            self.begin(File { old, new, ..File::default() });
            self.headed = true;
        } else if let Some(name) = line.strip_prefix("--- ") {
            if !std::mem::take(&mut self.headed) {
                self.begin(File::default());
            }
            self.old_name(name);
        } else if let Some(file) = self.files.last_mut() {
            match header(file, line) {
                Some((old, new)) => {
                    self.hunk = Hunk { old_left: old.1, new_left: new.1, old: old.0, new: new.0 };
                    file.lines.push(Line { kind: Kind::Hunk, old: None, new: None, text: line });
                }
                None if line.starts_with('\\') => {
                    file.lines.push(Line { kind: Kind::Note, old: None, new: None, text: line });
                }
                None => {}
            }
        }
    }

    fn begin(&mut self, file: File<'a>) {
        self.files.push(file);
        self.hunk = Hunk::default();
    }

    fn old_name(&mut self, name: &str) {
        let Some(file) = self.files.last_mut() else { return };
        match named(name, "a/") {
            Some(name) => file.old = Some(name),
            None => file.change = Change::New,
        }
    }

    /// Takes a line of the hunk at hand, while it has any.
    fn within(&mut self, line: &'a str) -> bool {
        let (hunk, Some(file)) = (&mut self.hunk, self.files.last_mut()) else { return false };
        let (kind, text) = match (line.as_bytes().first(), hunk.old_left, hunk.new_left) {
            (_, 0, 0) => return false,
            (Some(b'+'), _, 1..) => (Kind::Added, &line[1..]),
            (Some(b'-'), 1.., _) => (Kind::Removed, &line[1..]),
            (Some(b' '), 1.., 1..) => (Kind::Same, &line[1..]),
            (None, 1.., 1..) => (Kind::Same, line),
            (Some(b'\\'), ..) => (Kind::Note, line),
            // It is not what the hunk said: the text was cut or put together.
            _ => {
                *hunk = Hunk::default();
                return false;
            }
        };
        let (old, new) = (matches!(kind, Kind::Removed | Kind::Same), matches!(kind, Kind::Added | Kind::Same));
        file.lines.push(Line { kind, old: old.then_some(hunk.old), new: new.then_some(hunk.new), text });
        hunk.old_left -= u32::from(old);
        hunk.new_left -= u32::from(new);
        hunk.old = hunk.old.saturating_add(u32::from(old));
        hunk.new = hunk.new.saturating_add(u32::from(new));
        file.added += usize::from(kind == Kind::Added);
        file.removed += usize::from(kind == Kind::Removed);
        true
    }
}

/// First line and number of lines.
type Span = (u32, u32);

/// Takes a line of a file's header, or says what hunk it begins.
fn header<'a>(file: &mut File<'a>, line: &'a str) -> Option<(Span, Span)> {
    let names = [("rename from ", Change::Renamed), ("copy from ", Change::Copied)];
    if let Some((name, change)) = names.iter().find_map(|(word, change)| Some((line.strip_prefix(word)?, *change))) {
        (file.old, file.change) = (named(name, ""), change);
    } else if let Some(name) = line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to ")) {
        file.new = named(name, "");
    } else if let Some(name) = line.strip_prefix("+++ ") {
        match named(name, "b/") {
            Some(name) => file.new = Some(name),
            None => file.change = Change::Deleted,
        }
    } else if line.starts_with("new file mode ") {
        file.change = Change::New;
    } else if line.starts_with("deleted file mode ") {
        file.change = Change::Deleted;
    } else if let Some(mode) = line.strip_prefix("old mode ") {
        file.old_mode = Some(mode);
    } else if let Some(mode) = line.strip_prefix("new mode ") {
        file.new_mode = Some(mode);
    } else if line.starts_with("Binary files ") || line == "GIT binary patch" {
        file.binary = true;
    }
    hunk(line)
}

/// `@@ -1,2 +1,3 @@ fn main() {`
fn hunk(line: &str) -> Option<(Span, Span)> {
    let (spans, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = spans.split_once(" +")?;
    Some((span(old)?, span(new)?))
}

fn span(text: &str) -> Option<Span> {
    let (first, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((first.parse().ok()?, count.parse().ok()?))
}

/// A file's name as `---` and `+++` tell it: without its side, and nothing where there is no file.
fn named(text: &str, side: &str) -> Option<String> {
    let name = match text.starts_with('"') {
        true => unquoted(text).map_or_else(|| text.to_owned(), |(name, _)| name),
        // What follows a tab is a time, or nothing: git puts a tab after names that have blanks.
        false => text.split('\t').next().unwrap_or(text).to_owned(),
    };
    (name != "/dev/null").then(|| name.strip_prefix(side).map_or_else(|| name.clone(), str::to_owned))
}

/// Both names of a `diff --git` line. Where they are not quoted and have blanks, they can be told apart only if they are
/// the same; if they are not, other lines of the header name them.
fn both(names: &str) -> (Option<String>, Option<String>) {
    if let Some((old, rest)) = unquoted(names) {
        return (named(&old, "a/"), named(rest.trim_start(), "b/"));
    }
    if let Some((old, new)) = names.split_once(" \"") {
        return (named(old, "a/"), named(&format!("\"{new}"), "b/"));
    }
    let middle = names.len() / 2;
    let halves = (names.get(..middle), names.get(middle..).and_then(|rest| rest.strip_prefix(' ')));
    let (Some(old), Some(new)) = halves else { return (None, None) };
    let same = old.strip_prefix("a/").unwrap_or(old) == new.strip_prefix("b/").unwrap_or(new);
    if same { (named(old, "a/"), named(new, "b/")) } else { (None, None) }
}

/// A name in quotes as git writes it, and what follows it.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut bytes = Vec::new();
    let mut rest = inner.bytes().enumerate();
    while let Some((at, byte)) = rest.next() {
        match byte {
            b'"' => return Some((String::from_utf8_lossy(&bytes).into_owned(), &inner[at + 1..])),
            b'\\' => bytes.push(escaped(&mut rest)?),
            other => bytes.push(other),
        }
    }
    None
}

/// The byte that stands after a backslash.
fn escaped(rest: &mut impl Iterator<Item = (usize, u8)>) -> Option<u8> {
    let mut next = || rest.next().map(|(_, byte)| byte);
    Some(match next()? {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        first @ b'0'..=b'3' => {
            let digits = [first, next()?, next()?];
            digits
                .iter()
                .all(|digit| (b'0'..=b'7').contains(digit))
                .then(|| digits.iter().fold(0_u8, |value, digit| value.wrapping_mul(8).wrapping_add(digit - b'0')))?
        }
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files as `change old -> new +added -removed`, and lines as `old new sign text`.
    fn told(text: &str) -> String {
        let mut told = String::new();
        for file in read(text) {
            let (old, new) = (file.old.as_deref().unwrap_or("?"), file.new.as_deref().unwrap_or("?"));
            told += &format!("{:?} {old} -> {new} +{} -{}", file.change, file.added, file.removed);
            told += if file.binary { " binary\n" } else { "\n" };
            for line in file.lines {
                let number = |number: Option<u32>| number.map_or(".".to_owned(), |number| number.to_string());
                told += &format!("  {} {} {:?} {}\n", number(line.old), number(line.new), line.kind, line.text);
            }
        }
        told
    }

    #[test]
    fn lines_are_numbered_and_a_hunk_is_believed_before_what_a_line_looks_like() {
        let text = "diff --git a/notes.sql b/notes.sql\nindex 1..2 100644\n--- a/notes.sql\n+++ b/notes.sql\n\
                    @@ -3,3 +3,3 @@ select\n one\n--- two\n+++ three\n \n@@ -9 +9,0 @@\n-last\n\\ No newline at end of file\n";
        assert_eq!(
            told(text),
            "Changed notes.sql -> notes.sql +1 -2\n  . . Hunk @@ -3,3 +3,3 @@ select\n  3 3 Same one\n  4 . Removed -- two\n  \
             . 4 Added ++ three\n  5 5 Same \n  . . Hunk @@ -9 +9,0 @@\n  9 . Removed last\n  . . Note \\ No newline at end of file\n"
        );
    }

    #[test]
    fn new_deleted_renamed_copied_and_binary_files_are_told_apart() {
        let text = "diff --git a/n b/n\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n\
                    diff --git a/d b/d\ndeleted file mode 100644\n--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
                    diff --git a/old name b/new name\nsimilarity index 100%\nrename from old name\nrename to new name\n\
                    diff --git a/c b/e\ncopy from c\ncopy to e\n\
                    diff --git a/p.png b/p.png\nindex 1..2\nBinary files a/p.png and b/p.png differ\n\
                    diff --git a/q b/q\nnew file mode 100644\nindex 0..1\nGIT binary patch\nliteral 4\nLc$@\n\n\
                    diff --git a/empty file b/empty file\nnew file mode 100644\nindex 0..0\n";
        assert_eq!(
            told(text),
            "New n -> n +1 -0\n  . . Hunk @@ -0,0 +1 @@\n  . 1 Added x\nDeleted d -> d +0 -1\n  . . Hunk @@ -1 +0,0 @@\n  \
             1 . Removed x\nRenamed old name -> new name +0 -0\nCopied c -> e +0 -0\nChanged p.png -> p.png +0 -0 binary\n\
             New q -> q +0 -0 binary\nNew empty file -> empty file +0 -0\n"
        );
    }

    #[test]
    fn names_are_read_whatever_is_in_them() {
        let text = "diff --git \"a/t\\tab\\303\\244\\\"<b>\" \"b/t\\tab\\303\\244\\\"<b>\"\n--- \"a/t\\tab\\303\\244\\\"<b>\"\n\
                    +++ \"b/t\\tab\\303\\244\\\"<b>\"\n@@ -1 +1 @@\n-a\n+b\n\
                    diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n@@ -1 +1 @@\n-a\n+b\n\
                    diff --git a/x \"b/\\377\"\nrename from x\nrename to \"\\377\"\n";
        let names: Vec<_> = read(text).into_iter().map(|file| (file.old, file.new)).collect();
        let name = |name: &str| Some(name.to_owned());
        let odd = "t\tabä\"<b>";
        assert_eq!(names, [(name(odd), name(odd)), (name("a b"), name("a b")), (name("x"), name("\u{fffd}"))]);
    }

    #[test]
    fn a_diff_without_headers_of_git_and_one_that_was_cut_are_read_as_far_as_they_go() {
        let text = "--- one\t2026-01-01\n+++ one\t2026-01-02\n@@ -1,9 +1,9 @@\n same\n+more\n--- two\n+++ two\n@@ -1 +1 @@\n-a\n+b";
        // The first hunk claims more lines than it has, so what follows it is taken for its own: nothing is lost.
        assert_eq!(told(text).matches("Removed").count(), 2);
        let plain = "--- one\n+++ one\n@@ -1 +1 @@\n-a\n+b\n--- two\n+++ two\n@@ -1 +1 @@\n-a\n+b";
        assert_eq!(read(plain).len(), 2);
    }

    #[test]
    fn what_is_no_diff_has_no_files_and_nothing_makes_it_stumble() {
        assert!(read("").is_empty() && read("fn main() {}\n+ a\n- b\n").is_empty());
        for text in [
            "diff --git ",
            "diff --git \"",
            "diff --git \"\\",
            "diff --git \"\\3",
            "diff --git ä b/ä",
            "--- ",
            "--- a\n@@ -4294967295,4294967295 +4294967295,4294967295 @@\n a\n a",
            "--- a\n@@ -99999999999 +1 @@\n a",
            "--- a\n@@ - + @@",
            "--- \"\\377\\377",
        ] {
            told(text);
        }
    }
}
