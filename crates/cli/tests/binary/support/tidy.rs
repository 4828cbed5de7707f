//! Takes out of a transcript what differs from run to run: ids, times, process ids and places.

/// Prefixes of ids that are made at random. The first room of a transcript is `room_1`, and so on. The agent of a job has
/// its room's behind `@`.
const RANDOM_IDS: [&str; 4] = ["room_", "lease_", "cap_", "@"];

/// Words that come before a span of time, and the characters that end it.
const SPANS: [(&str, &[&str]); 14] = [
    ("runs out in ", &[".", ",", "\n", ":", "  "]),
    ("seen ", &[" ago"]),
    ("ran out ", &[" ago"]),
    ("sent ", &[" ago"]),
    ("(for ", &[")"]),
    ("Delivered ", &[" ago"]),
    ("Seen ", &[" ago"]),
    ("Accepted ", &[" ago"]),
    ("changed ", &[" ago"]),
    ("created ", &[" ago"]),
    ("active ", &[" ago"]),
    ("began ", &[" ago"]),
    ("ended ", &[" ago"]),
    (" ago after ", &[",", ":", "\n"]),
];

/// Tidies texts of one transcript, so that the same id gets the same number throughout.
#[derive(Default)]
pub(crate) struct Tidy {
    places: Vec<(String, &'static str)>,
    ids: Vec<String>,
}

impl Tidy {
    /// Shows `place` as `name` from now on. The deepest place must be named first.
    pub(crate) fn naming(mut self, place: &std::path::Path, name: &'static str) -> Self {
        self.places.push((place.display().to_string(), name));
        self
    }

    pub(crate) fn tidy(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for (place, name) in &self.places {
            text = text.replace(place, name);
        }
        for prefix in RANDOM_IDS {
            text = self.number_ids(&text, prefix);
        }
        for (before, ends) in SPANS {
            text = replace_after(&text, before, |rest| {
                let starts_with_digit = rest.starts_with(|c: char| c.is_ascii_digit());
                let end = ends.iter().filter_map(|end| rest.find(end)).min();
                end.filter(|_| starts_with_digit).map(|end| (end, "SPAN".to_owned()))
            });
        }
        text = replace_after(&text, "process ", |rest| {
            let digits = rest.chars().take_while(char::is_ascii_digit).count();
            (digits > 0).then(|| (digits, "PID".to_owned()))
        });
        without_timestamps(&text)
    }

    fn number_ids(&mut self, text: &str, prefix: &str) -> String {
        replace_after(text, prefix, |rest| {
            let length = rest.chars().take_while(char::is_ascii_alphanumeric).count();
            // Shorter ones are not made at random: `lease_id`, `lease_none`, `room_state`.
            (length >= 12).then(|| {
                let id = format!("{prefix}{}", &rest[..length]);
                let known = self.ids.iter().position(|known| *known == id);
                let place = known.unwrap_or_else(|| {
                    self.ids.push(id);
                    self.ids.len() - 1
                });
                let number = self.ids[..=place].iter().filter(|id| id.starts_with(prefix)).count();
                (length, number.to_string())
            })
        })
    }
}

/// Behind every `before`, replaces as many bytes as `replacement` says with its text.
fn replace_after(text: &str, before: &str, mut replacement: impl FnMut(&str) -> Option<(usize, String)>) -> String {
    let mut done = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(before) {
        let (head, tail) = rest.split_at(at + before.len());
        done.push_str(head);
        rest = tail;
        if let Some((length, with)) = replacement(tail) {
            done.push_str(&with);
            rest = &tail[length..];
        }
    }
    done + rest
}

/// `2026-02-14T18:05:11.000Z` is `TIME`.
fn without_timestamps(text: &str) -> String {
    const SHAPE: &[u8] = b"0000-00-00T00:00:00.000Z";
    let looks_like_one = |window: &[u8]| {
        let pairs = window.iter().zip(SHAPE);
        pairs.into_iter().all(|(c, shape)| if *shape == b'0' { c.is_ascii_digit() } else { c == shape })
    };
    let mut text = text.to_owned();
    while let Some(at) = text.as_bytes().windows(SHAPE.len()).position(looks_like_one) {
        text.replace_range(at..at + SHAPE.len(), "TIME");
    }
    text
}
