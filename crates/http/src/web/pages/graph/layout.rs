//! Where the boxes of a graph are: people above agents, agents above jobs, those outside last, each in its own order.
//!
//! Every other row is moved by half a box, so that a line to a row further down passes between boxes. Nothing here depends
//! on edges or waits: a box stays where it is, whatever is sent.

use baton_app::commands::agent::{NodeKind, NodeView};

/// A box, in units of the drawing.
pub(super) const BOX: (f64, f64) = (196.0, 86.0);
/// From one box to the next, and from one row to the next.
const STEP: (f64, f64) = (232.0, 170.0);
/// What is left free around it, for lines that turn there.
const MARGIN: (f64, f64) = (12.0, 62.0);
/// Most boxes beside each other.
const COLUMNS: usize = 4;

/// Where a box is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    /// Its upper left corner.
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) row: usize,
}

/// Where all boxes are, in the order of the nodes, and how large the drawing is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) spots: Vec<Spot>,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Layout {
    pub(super) fn of(nodes: &[NodeView]) -> Self {
        let rows = rows(nodes);
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let mut spots = vec![Spot { x: 0.0, y: 0.0, row: 0 }; nodes.len()];
        for (row, members) in rows.iter().enumerate() {
            let moved = if row % 2 == 1 { STEP.0 / 2.0 } else { 0.0 };
            let indent = ((columns - members.len()) / 2) as f64 * STEP.0 + moved;
            for (column, node) in members.iter().enumerate() {
                let x = MARGIN.0 + indent + column as f64 * STEP.0;
                spots[*node] = Spot { x, y: MARGIN.1 + row as f64 * STEP.1, row };
            }
        }
        let right = spots.iter().map(|spot| spot.x).fold(0.0, f64::max);
        let bottom = spots.iter().map(|spot| spot.y).fold(0.0, f64::max);
        Self { spots, width: right + BOX.0 + MARGIN.0, height: bottom + BOX.1 + MARGIN.1 }
    }
}

/// The nodes of each row, by their place.
fn rows(nodes: &[NodeView]) -> Vec<Vec<usize>> {
    let layers = [NodeKind::Person, NodeKind::Agent, NodeKind::Job, NodeKind::Outside];
    let of_layer = |kind: NodeKind| -> Vec<usize> {
        nodes.iter().enumerate().filter(|(_, node)| node.kind == kind).map(|(place, _)| place).collect()
    };
    let in_rows = |layer: Vec<usize>| -> Vec<Vec<usize>> {
        // As even as it gets: five are three and two, not four and one.
        let count = layer.len().div_ceil(COLUMNS).max(1);
        layer.chunks(layer.len().div_ceil(count).max(1)).map(<[usize]>::to_vec).collect()
    };
    layers.into_iter().map(of_layer).flat_map(in_rows).filter(|row| !row.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn node(number: usize, kind: &str) -> NodeView {
        let connection = json!({ "state": "idle", "stream": "reading", "why": "" });
        let id = format!("agent-{number}");
        let value = json!({ "agent_id": id, "name": id, "kind": kind, "connection": connection, "queued": 0 });
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn boxes_never_overlap_and_stay_within_the_drawing_from_one_agent_to_a_hundred() {
        for count in 0..=100 {
            let nodes: Vec<_> = (0..count).map(|n| node(n, ["agent", "job", "person", "outside"][n % 7 % 4])).collect();
            let layout = Layout::of(&nodes);
            for (place, spot) in layout.spots.iter().enumerate() {
                assert!(spot.x >= 0.0 && spot.x + BOX.0 <= layout.width && spot.y + BOX.1 <= layout.height);
                for other in &layout.spots[..place] {
                    let apart = (spot.x - other.x).abs() >= BOX.0 || (spot.y - other.y).abs() >= BOX.1;
                    assert!(apart, "{count}: {spot:?} {other:?}");
                }
            }
            assert!(layout.width < 1_100.0, "{count}: {}", layout.width);
        }
    }

    #[test]
    fn the_same_agents_are_in_the_same_places_people_first() {
        let nodes = [node(1, "agent"), node(2, "job"), node(3, "person"), node(4, "agent")];
        let layout = Layout::of(&nodes);
        assert_eq!(layout, Layout::of(&nodes));
        assert_eq!(layout.spots.iter().map(|spot| spot.row).collect::<Vec<_>>(), [1, 2, 0, 1]);
        assert!(layout.spots[0].x < layout.spots[3].x, "in turn order");
    }
}
