//! Shows a diff: each file on its own, with counts, numbers and signs, within bounds.

use maud::{Markup, html};

use super::read::{Change, File, Kind, Line, read};

/// How much of a diff is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::web) enum Extent {
    /// As the thing that a page is about.
    Page,
    /// As one of many things on it.
    Glance,
}

/// Longest part of a line that is shown, in characters.
const LINE_CHARS: usize = 400;
/// A file with no more lines than this is open from the start.
const OPEN_LINES: usize = 60;

/// What is still shown of a diff.
struct Left {
    files: usize,
    lines: usize,
    bytes: usize,
}

impl Left {
    fn of(extent: Extent) -> Self {
        match extent {
            Extent::Page => Self { files: 100, lines: 900, bytes: 80_000 },
            Extent::Glance => Self { files: 12, lines: 120, bytes: 10_000 },
        }
    }

    /// How many lines of a file fit.
    fn take(&mut self, lines: &[Line<'_>]) -> usize {
        let fits = |line: &&Line<'_>| {
            let cost = weight(line.text);
            let fits = self.lines > 0 && self.bytes >= cost;
            if fits {
                (self.lines, self.bytes) = (self.lines - 1, self.bytes - cost);
            }
            fits
        };
        lines.iter().take_while(fits).count()
    }
}

/// What a line costs on a page, about: what has to be escaped is longer there.
fn weight(text: &str) -> usize {
    text.chars().take(LINE_CHARS).map(|char| if char.is_ascii_alphanumeric() { 1 } else { 3 }).sum()
}

/// A unified diff, file by file. `whole` says how to get all of it, and is shown where something is left out.
pub(in crate::web) fn diff(text: &str, extent: Extent, whole: &Markup) -> Markup {
    let files = read(text);
    if files.is_empty() {
        return no_diff(text, extent, whole);
    }
    let (added, removed) = (files.iter().map(|file| file.added).sum(), files.iter().map(|file| file.removed).sum());
    let mut left = Left::of(extent);
    let shown = files.len().min(left.files);
    html! {
        div.diff {
            p.diff-sum {
                (files.len()) @if files.len() == 1 { " file, " } @else { " files, " } (counts(added, removed))
            }
            @for file in &files[..shown] {
                @let fitting = left.take(&file.lines);
                (one(file, fitting, whole))
            }
            @if shown < files.len() {
                p.diff-cut { (files.len() - shown) " more files are not shown. " (whole) }
            }
        }
    }
}

fn no_diff(text: &str, extent: Extent, whole: &Markup) -> Markup {
    let max = Left::of(extent).bytes / 4;
    let part: String = text.chars().take(max).collect();
    html! {
        div.diff {
            @if text.trim().is_empty() { p.quiet { "Nothing changed." } }
            @else { pre tabindex="0" { (plain(&part)) } }
            @if part.len() < text.len() { p.diff-cut { "The rest is not shown. " (whole) } }
        }
    }
}

fn one(file: &File<'_>, fitting: usize, whole: &Markup) -> Markup {
    let cut = file.lines.len() - fitting;
    html! {
        details.diff-file open[file.lines.len() <= OPEN_LINES] {
            summary {
                span.diff-name { (name(file)) }
                @if let Some(word) = word(file) { " " span.badge { (word) } }
                @if let (Some(old), Some(new)) = (file.old_mode, file.new_mode) { " " span.quiet { "mode " (plain(old)) " → " (plain(new)) } }
                " " (counts(file.added, file.removed))
            }
            @if file.binary { p.quiet { "Binary: it is not shown." } }
            @else if file.lines.is_empty() { p.quiet { "No line differs." } }
            @if fitting > 0 {
                pre.diff-lines tabindex="0" dir="ltr" { code { @for line in &file.lines[..fitting] { (shown(line)) } } }
            }
            @if cut > 0 { p.diff-cut { (cut) " more lines of this file are not shown. " (whole) } }
        }
    }
}

/// What a file is called, and was.
fn name(file: &File<'_>) -> Markup {
    let (old, new) = match (&file.old, &file.new) {
        (Some(old), Some(new)) if old != new => (Some(old), new),
        (Some(name), None) | (_, Some(name)) => (None, name),
        (None, None) => return html! { "a file without a name" },
    };
    html! {
        @if let Some(old) = old { code { bdi { (plain(old)) } } " → " }
        code { bdi { (plain(new)) } }
    }
}

fn word(file: &File<'_>) -> Option<&'static str> {
    match file.change {
        Change::New => Some("new"),
        Change::Deleted => Some("deleted"),
        Change::Renamed => Some("renamed"),
        Change::Copied => Some("copied"),
        Change::Changed => None,
    }
}

fn counts(added: usize, removed: usize) -> Markup {
    html! { span.diff-counts { span.is-added { "+" (added) } " " span.is-removed { "−" (removed) } } }
}

/// A line with its numbers, which cannot be marked, and its sign, which can.
fn shown(line: &Line<'_>) -> Markup {
    let (class, sign) = match line.kind {
        Kind::Added => ("is-added", "+"),
        Kind::Removed => ("is-removed", "-"),
        Kind::Same => ("is-same", " "),
        Kind::Hunk => ("is-hunk", ""),
        Kind::Note => ("is-note", ""),
    };
    let long = line.text.chars().nth(LINE_CHARS).is_some();
    let part: String = line.text.chars().take(LINE_CHARS).collect();
    html! {
        span class=(class) data-old=[line.old] data-new=[line.new] { (sign) (plain(&part)) @if long { " …" } "\n" }
    }
}

/// Text in which nothing is hidden: characters that change how others are shown, or show nothing, are named.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\t' | '\n' => plain.push(char),
            '\0'..='\x1f' => plain.push(char::from_u32(0x2400 + u32::from(char)).unwrap_or('\u{fffd}')),
            '\x7f' => plain.push('␡'),
            '\u{80}'..='\u{9f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}' => {
                plain.push_str(&format!("<U+{:04X}>", u32::from(char)));
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> String {
        diff(text, Extent::Page, &html! { "All of it: elsewhere." }).into_string()
    }

    #[test]
    fn a_file_has_its_counts_numbers_and_signs() {
        let shown = page("diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -7,2 +7,2 @@\n same\n-old\n+new\n");
        assert!(shown.contains("1 file, <span class=\"diff-counts\"><span class=\"is-added\">+1</span> <span class=\"is-removed\">−1</span>"));
        assert!(shown.contains("<details class=\"diff-file\" open>"), "{shown}");
        assert!(shown.contains("<span class=\"is-same\" data-old=\"7\" data-new=\"7\"> same\n</span>"), "{shown}");
        assert!(shown.contains("<span class=\"is-removed\" data-old=\"8\">-old\n</span>"), "{shown}");
        assert!(shown.contains("<span class=\"is-added\" data-new=\"8\">+new\n</span>"), "{shown}");
        assert!(!shown.contains("elsewhere"), "nothing was left out");
    }

    #[test]
    fn names_and_lines_are_text_whatever_they_look_like() {
        let name = "<img src=x onerror=alert(1)>";
        let text = format!(
            "diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1,2 @@ </pre><script>\n-</span><script>x</script>\n\
             +\u{202e}evil\x1b[31m\r\n+\u{200b}\n"
        );
        let shown = page(&text);
        assert!(!shown.contains("<script") && !shown.contains("<img"), "{shown}");
        assert!(shown.contains("&lt;img src=x onerror=alert(1)&gt;"), "{shown}");
        assert!(shown.contains("+&lt;U+202E&gt;evil␛[31m␍\n") && shown.contains("+&lt;U+200B&gt;\n"), "{shown}");
    }

    #[test]
    fn what_a_file_went_through_is_said_in_a_word() {
        let shown = page(
            "diff --git a/a b/b\nold mode 100644\nnew mode 100755\nrename from a\nrename to b\n\
             diff --git a/p b/p\nnew file mode 100644\nBinary files /dev/null and b/p differ\n",
        );
        assert!(shown.contains("<bdi>a</bdi></code> → <code><bdi>b</bdi>"), "{shown}");
        for words in [">renamed<", "mode 100644 → 100755", "No line differs.", ">new<", "Binary: it is not shown."] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
    }

    #[test]
    fn a_long_diff_is_cut_and_says_how_to_get_all_of_it() {
        let file = |name: usize, lines: usize| {
            let body = "+<&\"'>\n".repeat(lines);
            format!("diff --git a/f{name} b/f{name}\n--- a/f{name}\n+++ b/f{name}\n@@ -0,0 +1,{lines} @@\n{body}")
        };
        let shown = page(&file(1, 100_000));
        assert!(shown.len() < 120_000, "{}", shown.len());
        assert!(shown.contains("more lines of this file are not shown. All of it: elsewhere."));
        assert!(
            shown.contains("+100000") && shown.contains("<details class=\"diff-file\">"),
            "counted whole, and folded"
        );
        let many: String = (0..300).map(|name| file(name, 1)).collect();
        let shown = page(&many);
        assert!(shown.len() < 120_000 && shown.contains("200 more files are not shown."), "{}", shown.len());
        let wide = page(&file(1, 1).replace("+<&", &format!("+{}", "<".repeat(1_000_000))));
        assert!(wide.len() < 10_000 && wide.contains(" …\n"), "{}", wide.len());
    }

    #[test]
    fn what_is_no_diff_is_shown_as_it_is_and_nothing_says_so() {
        assert!(page("just <b>words</b>").contains("<pre tabindex=\"0\">just &lt;b&gt;words"));
        assert!(page(" \n").contains("Nothing changed."));
    }
}
