//! Words on lines, where there is room for them. What finds none is in the line's title, and in the lists below.

use super::{
    curve::Curve,
    layout::{BOX, Spot},
};

/// How wide a character is, about, and how high a line of text.
const LETTER: (f64, f64) = (6.4, 15.0);
/// Where on a line words are tried, and how far above or below it.
const ALONG: [f64; 5] = [0.5, 0.36, 0.64, 0.24, 0.76];
const ASIDE: [f64; 3] = [-11.0, 21.0, -26.0];

/// A rectangle: left, top, right, bottom.
type Area = [f64; 4];

/// What is taken already: by boxes, and by other words.
pub(super) struct Labels {
    taken: Vec<Area>,
}

impl Labels {
    pub(super) fn among(spots: &[Spot]) -> Self {
        Self { taken: spots.iter().map(|spot| [spot.x, spot.y, spot.x + BOX.0, spot.y + BOX.1]).collect() }
    }

    /// Where words about a line can stand, by the middle of their base line.
    pub(super) fn place(&mut self, line: &Curve, words: &str) -> Option<(f64, f64)> {
        let half = words.chars().count() as f64 * LETTER.0 / 2.0;
        let places = ALONG.iter().flat_map(|along| ASIDE.map(|aside| (line.at(*along), aside)));
        for ((x, y), aside) in places {
            let y = y + aside;
            let area = [x - half, y - LETTER.1 + 3.0, x + half, y + 4.0];
            if area[0] >= 0.0 && area[1] >= 0.0 && !self.taken.iter().any(|taken| overlap(taken, &area)) {
                self.taken.push(area);
                return Some((x, y));
            }
        }
        None
    }
}

fn overlap(one: &Area, other: &Area) -> bool {
    one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::pages::graph::curve::Lane;

    #[test]
    fn words_never_lie_on_boxes_or_on_each_other() {
        let spots = [
            Spot { x: 12.0, y: 62.0, row: 0 },
            Spot { x: 244.0, y: 62.0, row: 0 },
            Spot { x: 128.0, y: 232.0, row: 1 },
        ];
        let mut labels = Labels::among(&spots);
        let mut placed = 0;
        for (from, to) in [(0, 1), (1, 0), (0, 2), (2, 1), (1, 2), (2, 0), (0, 1), (0, 2)] {
            let line = Curve::between(spots[from], spots[to], Lane::Edge);
            placed += usize::from(labels.place(&line, "envelope: have a look at").is_some());
        }
        assert!((3..8).contains(&placed), "{placed}");
        for (place, one) in labels.taken.iter().enumerate() {
            assert!(!labels.taken[..place].iter().any(|other| overlap(one, other)), "{one:?}");
        }
    }
}
