//! The address of a page: which page, of what, and what its query says.

use form_urlencoded::Serializer;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::pages::{PAGES, Render};

/// What stays as it is in a segment of a path.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b':');

/// Longest query, in fields.
const FIELDS_MAX: usize = 32;

/// Where somebody looks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct At {
    path: String,
    params: Vec<(&'static str, String)>,
    query: Vec<(String, String)>,
}

impl At {
    /// Reads an address of this server, and finds its page.
    pub(crate) fn read(address: &str) -> Option<(Self, Render)> {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let (params, render) = PAGES.iter().find_map(|(pattern, render)| Some((matches(pattern, path)?, *render)))?;
        let query = form_urlencoded::parse(query.as_bytes()).into_owned().filter(|(_, value)| !value.is_empty());
        Some((Self { path: path.to_owned(), params, query: query.take(FIELDS_MAX).collect() }, render))
    }

    /// What stands in the path in place of `{name}`.
    pub(crate) fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    /// A field of the query.
    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// A field of the query that is a number, or a word that its type knows.
    pub(crate) fn parsed<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.query(name)?.parse().ok()
    }

    /// The path alone.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The whole address.
    pub(crate) fn address(&self) -> String {
        self.with(&[])
    }

    /// The same address with these fields set, or left out where the value is empty.
    pub(crate) fn with(&self, fields: &[(&str, &str)]) -> String {
        let kept = self.query.iter().filter(|(key, _)| !fields.iter().any(|(name, _)| key == name));
        let kept = kept.map(|(key, value)| (key.as_str(), value.as_str()));
        let given = fields.iter().copied().filter(|(_, value)| !value.is_empty());
        let query = Serializer::new(String::new()).extend_pairs(kept.chain(given)).finish();
        if query.is_empty() { self.path.clone() } else { format!("{}?{query}", self.path) }
    }
}

/// A path of this server, whatever is in its segments: `path(&["rooms", id])`.
pub(crate) fn path(segments: &[&str]) -> String {
    segments.iter().map(|segment| format!("/{}", utf8_percent_encode(segment, SEGMENT))).collect()
}

/// A path with a query.
pub(crate) fn path_with(segments: &[&str], fields: &[(&str, &str)]) -> String {
    At { path: path(segments), ..At::default() }.with(fields)
}

/// What stands in the places that a pattern leaves open, if the path is such a one.
fn matches(pattern: &'static str, path: &str) -> Option<Vec<(&'static str, String)>> {
    let mut params = Vec::new();
    let mut segments = path.trim_start_matches('/').split('/');
    for expected in pattern.trim_start_matches('/').split('/') {
        let segment = percent_decode_str(segments.next()?).decode_utf8().ok()?;
        match expected.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
            Some(name) if !segment.is_empty() => params.push((name, segment.into_owned())),
            Some(_) => return None,
            None if segment == expected => {}
            None => return None,
        }
    }
    segments.next().is_none().then_some(params)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_and_written_again_whatever_is_in_it() {
        let odd = "human:ana:pts/0 <b>&?#";
        let address = path_with(&["rooms", "room_1", "agents", odd], &[("tab", "a&b"), ("none", "")]);
        let (at, _) = At::read(&address).unwrap();
        assert_eq!((at.param("room"), at.param("agent")), ("room_1", odd));
        assert_eq!((at.query("tab"), at.query("none")), (Some("a&b"), None));
        assert_eq!(at.address(), address);
        assert_eq!(At::read(&at.with(&[("tab", "")])).unwrap().0.query("tab"), None);
    }

    #[test]
    fn what_is_no_page_is_none() {
        for address in ["/nothing", "/rooms//", "/rooms/a/b/c/d", "//evil.example", "rooms", ""] {
            let found = At::read(address).map(|(at, _)| at.path().to_owned());
            assert!(matches!(found.as_deref(), None | Some("rooms" | "")), "{address}: {found:?}");
        }
    }
}
