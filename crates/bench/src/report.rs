//! What the rows found, as a table for people and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::{
    rows::{Row, Setting},
    trouble::Outcome,
};

/// A row and what came of it.
pub(crate) struct Finding {
    pub(crate) row: &'static Row,
    pub(crate) result: Outcome<Measured>,
}

/// What a row measured.
#[derive(Default)]
pub(crate) struct Measured {
    pub(crate) measures: Vec<Measure>,
    /// What the numbers alone do not say.
    pub(crate) notes: Vec<String>,
}

/// One line of the table.
pub(crate) struct Measure {
    what: String,
    unit: &'static str,
    measured: f64,
    yardstick: Option<f64>,
    target: Target,
}

/// What a measure is held against.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// Measured by yardstick must be at least this.
    RatioAtLeast(f64),
    /// Measured by yardstick must be at most this.
    RatioAtMost(f64),
    /// The measure itself must be at least this.
    AtLeast(f64),
    /// The measure itself must be at most this.
    AtMost(f64),
    /// Told for what it says about the others.
    None,
}

impl Measure {
    /// A measure with nothing to hold it against yet.
    pub(crate) fn new(what: impl Into<String>, measured: f64, unit: &'static str) -> Self {
        Self { what: what.into(), unit, measured, yardstick: None, target: Target::None }
    }

    /// The same thing, measured on the yardstick.
    #[must_use]
    pub(crate) fn against(self, yardstick: f64) -> Self {
        Self { yardstick: Some(yardstick), ..self }
    }

    /// What it should be.
    #[must_use]
    pub(crate) fn target(self, target: Target) -> Self {
        Self { target, ..self }
    }

    fn ratio(&self) -> Option<f64> {
        self.yardstick.map(|yardstick| self.measured / yardstick)
    }

    fn met(&self) -> Option<bool> {
        match self.target {
            Target::RatioAtLeast(least) => self.ratio().map(|ratio| ratio >= least),
            Target::RatioAtMost(most) => self.ratio().map(|ratio| ratio <= most),
            Target::AtLeast(least) => Some(self.measured >= least),
            Target::AtMost(most) => Some(self.measured <= most),
            Target::None => None,
        }
    }

    fn target_text(&self) -> String {
        match self.target {
            Target::RatioAtLeast(least) => format!("ratio ≥ {}", number(least)),
            Target::RatioAtMost(most) => format!("ratio ≤ {}", number(most)),
            Target::AtLeast(least) => format!("≥ {}", self.with_unit(least)),
            Target::AtMost(most) => format!("≤ {}", self.with_unit(most)),
            Target::None => "–".to_owned(),
        }
    }

    fn with_unit(&self, value: f64) -> String {
        format!("{} {}", number(value), self.unit).trim_end().to_owned()
    }

    fn cells(&self, row: u8) -> [String; COLUMNS] {
        let verdict = match self.met() {
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "–",
        };
        [
            row.to_string(),
            self.what.clone(),
            self.with_unit(self.measured),
            self.yardstick.map_or_else(|| "–".to_owned(), |yardstick| self.with_unit(yardstick)),
            self.ratio().map_or_else(|| "–".to_owned(), number),
            self.target_text(),
            verdict.to_owned(),
        ]
    }

    fn json(&self, row: &Row) -> Value {
        json!({
            "row": row.number,
            "name": row.name,
            "what": self.what,
            "unit": self.unit,
            "measured": self.measured,
            "yardstick": self.yardstick,
            "ratio": self.ratio(),
            "target": self.target_text(),
            "met": self.met(),
        })
    }
}

const COLUMNS: usize = 7;
const HEADS: [&str; COLUMNS] = ["row", "what", "measured", "yardstick", "ratio", "target", "verdict"];

/// The findings as a table, with the notes below it.
pub(crate) fn table(findings: &[Finding]) -> String {
    let mut lines = vec![HEADS.map(str::to_owned)];
    let mut notes = String::new();
    let (mut met, mut missed) = (0, 0);
    for Finding { row, result } in findings {
        match result {
            Ok(measured) => {
                lines.extend(measured.measures.iter().map(|measure| measure.cells(row.number)));
                met += measured.measures.iter().filter(|measure| measure.met() == Some(true)).count();
                missed += measured.measures.iter().filter(|measure| measure.met() == Some(false)).count();
                for note in &measured.notes {
                    // Writing to a string cannot fail.
                    let _ = writeln!(notes, "row {}: {note}", row.number);
                }
            }
            Err(trouble) => {
                let _ = writeln!(notes, "row {}: not measured: {trouble}", row.number);
            }
        }
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; COLUMNS] = std::array::from_fn(width);
    let mut text = String::new();
    for line in &lines {
        let cells: Vec<_> = line.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        let _ = writeln!(text, "{}", cells.join("  ").trim_end());
    }
    format!("{text}\n{notes}\n{met} met, {missed} missed")
}

/// The findings as JSON.
pub(crate) fn json(findings: &[Finding], setting: &Setting) -> Value {
    let mut measures = Vec::new();
    let mut notes = Vec::new();
    for Finding { row, result } in findings {
        match result {
            Ok(measured) => {
                measures.extend(measured.measures.iter().map(|measure| measure.json(row)));
                notes.extend(measured.notes.iter().map(|note| json!({"row": row.number, "note": note})));
            }
            Err(trouble) => notes.push(json!({"row": row.number, "not_measured": trouble.to_string()})),
        }
    }
    json!({"quick": setting.quick, "measures": measures, "notes": notes})
}

/// Three digits that say something, however large the number.
fn number(value: f64) -> String {
    match value.abs() {
        large if large >= 100.0 => format!("{value:.0}"),
        medium if medium >= 10.0 => format!("{value:.1}"),
        small if small >= 0.1 || small == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_met_or_missed_and_a_mere_fact_is_neither() {
        let rate = |measured| Measure::new("rate", measured, "/s").against(100.0).target(Target::RatioAtLeast(0.7));
        assert_eq!((rate(70.0).met(), rate(69.0).met()), (Some(true), Some(false)));
        assert_eq!(Measure::new("size", 1.0, "MB").met(), None);
        assert_eq!(rate(69.0).cells(1).join(" | "), "1 | rate | 69.0 /s | 100 /s | 0.69 | ratio ≥ 0.70 | MISSED");
    }
}
