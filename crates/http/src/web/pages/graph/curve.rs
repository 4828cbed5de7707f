//! How lines run between boxes.

use super::layout::{BOX, Spot};

/// Which side of a box a line takes: what goes between agents and who waits for whom do not lie on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    Edge,
    Wait,
}

/// A line from one box to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Curve([(f64, f64); 4]);

impl Curve {
    pub(super) fn between(from: Spot, to: Spot, lane: Lane) -> Self {
        let aside = match lane {
            Lane::Edge => -26.0,
            Lane::Wait => 26.0,
        };
        let middle = |spot: Spot| spot.x + BOX.0 / 2.0 + aside;
        if from.row == to.row {
            // Around the boxes between them: edges below, waits above.
            let bend = 34.0 + 9.0 * ((from.x - to.x).abs() / BOX.0).min(3.0);
            let (y, bend) = match lane {
                Lane::Edge => (from.y + BOX.1, bend),
                Lane::Wait => (from.y, -bend),
            };
            let lean = if from.x < to.x { 18.0 } else { -18.0 };
            let (start, end) = (middle(from) - aside + lean, middle(to) - aside - lean);
            return Self([(start, y), (start, y + bend), (end, y + bend), (end, y)]);
        }
        let down = from.row < to.row;
        let (start, end) = if down { (from.y + BOX.1, to.y) } else { (from.y, to.y + BOX.1) };
        let reach = (end - start) * 0.45;
        Self([(middle(from), start), (middle(from), start + reach), (middle(to), end - reach), (middle(to), end)])
    }

    /// The line as SVG writes it.
    pub(super) fn path(&self) -> String {
        let [a, b, c, d] = self.0;
        format!("M{:.0} {:.0}C{:.0} {:.0} {:.0} {:.0} {:.0} {:.0}", a.0, a.1, b.0, b.1, c.0, c.1, d.0, d.1)
    }

    /// A point on it, from 0 at its beginning to 1 at its end.
    pub(super) fn at(&self, t: f64) -> (f64, f64) {
        let weights = [(1.0 - t).powi(3), 3.0 * t * (1.0 - t).powi(2), 3.0 * t * t * (1.0 - t), t.powi(3)];
        let sum =
            |of: fn(&(f64, f64)) -> f64| self.0.iter().zip(weights).map(|(point, weight)| of(point) * weight).sum();
        (sum(|point| point.0), sum(|point| point.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: Spot = Spot { x: 0.0, y: 0.0, row: 0 };
    const BESIDE: Spot = Spot { x: 240.0, y: 0.0, row: 0 };
    const DOWN: Spot = Spot { x: 120.0, y: 170.0, row: 1 };

    #[test]
    fn a_line_begins_and_ends_at_the_borders_of_its_boxes() {
        let curve = Curve::between(UP, DOWN, Lane::Edge);
        assert_eq!((curve.at(0.0).1, curve.at(1.0).1), (BOX.1, DOWN.y));
        let back = Curve::between(DOWN, UP, Lane::Edge);
        assert_eq!((back.at(0.0).1, back.at(1.0).1), (DOWN.y, BOX.1));
    }

    #[test]
    fn lines_in_a_row_go_around_it_edges_below_and_waits_above() {
        assert!(Curve::between(UP, BESIDE, Lane::Edge).at(0.5).1 > BOX.1);
        assert!(Curve::between(UP, BESIDE, Lane::Wait).at(0.5).1 < 0.0);
    }
}
