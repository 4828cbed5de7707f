//! Points in time and spans, in milliseconds. There is deliberately no `now()`.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A point in time: milliseconds since the Unix epoch, written as UTC ISO-8601.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Makes a timestamp from milliseconds since the Unix epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The point `ttl` after this one.
    pub const fn plus(self, ttl: Ttl) -> Self {
        Self(self.0.saturating_add(ttl.0 as i64))
    }

    /// The point `ttl` before this one.
    pub const fn minus(self, ttl: Ttl) -> Self {
        Self(self.0.saturating_sub(ttl.0 as i64))
    }

    /// How long ago `earlier` was; zero when it lies ahead.
    pub const fn since(self, earlier: Self) -> Ttl {
        let millis = self.0.saturating_sub(earlier.0);
        Ttl(if millis > 0 { millis as u64 } else { 0 })
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(at) => write!(f, "{at:.3}"),
            // Outside the calendar (a damaged row): show the number rather than hide it.
            Err(_) => write!(f, "{}ms", self.0),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let at: jiff::Timestamp = text.parse().map_err(D::Error::custom)?;
        Ok(Self(at.as_millisecond()))
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

/// A span of time in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Ttl(u64);

impl Ttl {
    /// Makes a span from milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Makes a span from seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs * 1000)
    }

    /// Makes a span from minutes.
    pub const fn from_minutes(minutes: u64) -> Self {
        Self::from_secs(minutes * 60)
    }

    /// The span in milliseconds.
    pub const fn as_millis(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Ttl {
    /// Two units at most: `45m`, `1h 05m`, `12s`, `250ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let secs = self.0 / 1000;
        match (secs / 86_400, secs / 3600 % 24, secs / 60 % 60, secs % 60) {
            (0, 0, 0, 0) => write!(f, "{}ms", self.0),
            (0, 0, 0, s) => write!(f, "{s}s"),
            (0, 0, m, 0) => write!(f, "{m}m"),
            (0, 0, m, s) => write!(f, "{m}m {s:02}s"),
            (0, h, 0, _) => write!(f, "{h}h"),
            (0, h, m, _) => write!(f, "{h}h {m:02}m"),
            (d, 0, ..) => write!(f, "{d}d"),
            (d, h, ..) => write!(f, "{d}d {h}h"),
        }
    }
}

impl FromStr for Ttl {
    type Err = String;

    /// Reads what people write: a number and a unit, `500ms`, `30s`, `45m`, `4h`, `2d`, or several, `1h 05m`.
    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err(format!("{text:?} is not a time like 500ms, 30s, 45m or 4h"));
        }
        let mut total = Some(0_u64);
        for part in text.split_whitespace() {
            total = total.zip(millis(text, part)?).and_then(|(total, more)| total.checked_add(more));
        }
        total.map(Self).ok_or_else(|| format!("{text:?} is too long"))
    }
}

/// One number with its unit, in milliseconds, if so many can be counted.
fn millis(text: &str, part: &str) -> Result<Option<u64>, String> {
    let digits = part.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().map_err(|_| format!("{text:?} is not a time like 500ms, 30s, 45m or 4h"))?;
    let unit = match &part[digits.len()..] {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(format!("{text:?} needs a unit: ms, s, m, h or d")),
    };
    Ok(number.checked_mul(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_written_as_utc_iso_8601_and_read_back() {
        let at = Timestamp::from_millis(1_771_092_311_000);
        let json = serde_json::to_string(&at).unwrap();
        assert_eq!(json, "\"2026-02-14T18:05:11.000Z\"");
        assert_eq!(serde_json::from_str::<Timestamp>(&json).unwrap(), at);
    }

    #[test]
    fn spans_read_like_a_person_would_say_them() {
        let shown = [0, 250, 12_000, 90_000, 2_700_000, 3_900_000, 14_400_000, 90_000_000]
            .map(|ms| Ttl::from_millis(ms).to_string());
        assert_eq!(shown, ["0ms", "250ms", "12s", "1m 30s", "45m", "1h 05m", "4h", "1d 1h"]);
    }

    #[test]
    fn spans_are_read_as_they_are_shown() {
        for ms in [0, 250, 12_000, 90_000, 2_700_000, 3_900_000, 14_400_000, 90_000_000] {
            let span = Ttl::from_millis(ms);
            assert_eq!(span.to_string().parse(), Ok(span));
        }
        for wrong in ["", " ", "45", "m", "4w", "-1s", "1h m", "99999999999999999999h", "18446744073709551615h"] {
            assert!(wrong.parse::<Ttl>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn time_that_runs_backwards_counts_as_no_time() {
        assert_eq!(Timestamp::from_millis(5).since(Timestamp::from_millis(9)), Ttl::from_millis(0));
    }
}
