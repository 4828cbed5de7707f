//! What waits for a person.

use baton_app::commands::agent::{Need, NeedKind};
use baton_core::time::Timestamp;

use super::words::{ago, block, line};

/// Needs, each with what is asked and what to type.
pub(crate) fn needs_page(needs: &[Need], now: Timestamp) -> String {
    if needs.is_empty() {
        return "Nothing needs you.\n".to_owned();
    }
    needs.iter().map(|need| need_lines(need, now)).collect::<Vec<_>>().join("\n")
}

fn need_lines(need: &Need, now: Timestamp) -> String {
    let place = need.room_name.as_deref().or(need.canonical_path.as_deref()).unwrap_or(need.room_id.as_str());
    let reference = match need.kind {
        NeedKind::Stuck if need.status.is_none() => format!("turn {}", need.reference),
        NeedKind::Ack | NeedKind::Response | NeedKind::Incursion => format!("#{}", need.reference),
        _ => need.reference.clone(),
    };
    let head = format!("{:<9} {reference}  {}", need.kind.as_str(), line(&need.title));
    let from = format!("{}, {}, in {}", line(&need.who.name), ago(need.since, now), line(place));
    let mut text = format!("{head}\n{}", block("from", &from));
    if need.words.trim() != need.title.trim() {
        text.push_str(&block("says", &need.words));
    }
    if let Some(other) = &need.other {
        text.push_str(&block(if need.kind == NeedKind::Incursion { "owner" } else { "answer to" }, &line(&other.name)));
    }
    if let Some(to) = &need.to {
        text.push_str(&block("sent to", to.as_str()));
    }
    text + &block("next", &need.command)
}
