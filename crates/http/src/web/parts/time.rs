//! Times: how long ago or how long until, with the moment itself when one points at it. Scripts keep them current.

use baton_core::time::{Timestamp, Ttl};
use maud::{Markup, html};

use crate::web::look::Look;

/// How long ago something was.
pub(in crate::web) fn ago(look: &Look<'_>, at: Timestamp) -> Markup {
    let words = match look.now.as_millis() - at.as_millis() {
        ..1_000 => "just now".to_owned(),
        _ => format!("{} ago", rough(look.now.since(at))),
    };
    html! { time datetime=(at) title=(at) data-ago=(at.as_millis()) { (words) } }
}

/// A span without the seconds of what is longer than a minute: what is past need not be watched.
fn rough(span: Ttl) -> Ttl {
    const MINUTE_MS: u64 = 60_000;
    let ms = span.as_millis();
    if ms < MINUTE_MS { span } else { Ttl::from_millis(ms - ms % MINUTE_MS) }
}

/// How long until something ends, or how long ago it did. A browser counts down to the server's own deadline.
pub(in crate::web) fn until(look: &Look<'_>, at: Timestamp) -> Markup {
    let words = match at > look.now {
        true => format!("{} left", at.since(look.now)),
        false => format!("over for {}", look.now.since(at)),
    };
    html! { time.until datetime=(at) title=(at) data-until=(at.as_millis()) { (words) } }
}
