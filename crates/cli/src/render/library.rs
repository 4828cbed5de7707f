//! What is kept: cards, parts of the map, plans, files, and what a search found, in a line each.

use baton_app::commands::library::{AnchorView, ArtifactView, CardView, Hit, PlanView};

use super::words::{columns, line};

/// Cards, a line each.
pub(crate) fn card_lines(cards: &[CardView]) -> String {
    let row = |card: &CardView| {
        let tags: String = card.tags.iter().map(|tag| format!(" #{}", line(tag))).collect();
        let links: Vec<String> = [
            card.job.map(|job| job.to_string()),
            card.task.map(|task| task.to_string()),
            card.anchor.as_ref().map(ToString::to_string),
        ]
        .into_iter()
        .flatten()
        .collect();
        let links = if links.is_empty() { String::new() } else { format!("  ({})", links.join(", ")) };
        let pinned = if card.pinned { "  pinned" } else { "" };
        [card.card.to_string(), card.kind.to_string(), format!("{}{tags}{links}{pinned}", line(&card.title))]
    };
    columns(&cards.iter().map(row).collect::<Vec<_>>())
}

/// Parts of the map, a line each.
pub(crate) fn anchor_lines(anchors: &[AnchorView]) -> String {
    let row = |anchor: &AnchorView| [anchor.anchor.to_string(), line(&anchor.title)];
    columns(&anchors.iter().map(row).collect::<Vec<_>>())
}

/// Plans, a line each.
pub(crate) fn plan_lines(plans: &[PlanView]) -> String {
    let row = |plan: &PlanView| [plan.plan.to_string(), plan.created_by.to_string(), line(&plan.title)];
    columns(&plans.iter().map(row).collect::<Vec<_>>())
}

/// Files, a line each.
pub(crate) fn artifact_lines(artifacts: &[ArtifactView]) -> String {
    let row = |file: &ArtifactView| {
        let owners = [file.node.as_ref().map(|node| line(node.as_str())), file.turn.map(|turn| turn.to_string())];
        let gone = file.dropped_at.map(|_| "given up".to_owned());
        let of: Vec<String> = owners.into_iter().chain([gone]).flatten().collect();
        [file.reference.to_string(), format!("{} bytes", file.bytes), line(&file.name), of.join("  ")]
    };
    columns(&artifacts.iter().map(row).collect::<Vec<_>>())
}

/// What was found, with the words in their place.
pub(crate) fn hit_lines(hits: &[Hit]) -> String {
    let hit = |hit: &Hit| {
        let snippet = line(&hit.snippet);
        let below = if snippet.is_empty() { String::new() } else { format!("    {snippet}\n") };
        format!("{}  {}\n{below}", line(&hit.reference.to_string()), line(&hit.title))
    };
    hits.iter().map(hit).collect()
}
