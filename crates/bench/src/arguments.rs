//! What the bench is asked to do: `[--quick] [--json FILE] [--baton PATH] [ROW...]`.

use std::path::PathBuf;

use crate::{
    jobs::Stores,
    rows::{Row, Setting},
    servers::Servers,
    trouble::Outcome,
};

/// How to call it.
const USAGE: &str = "usage: baton-bench [--quick] [--json FILE] [--baton PATH] [ROW...]\n\
                     a ROW is a number or a name of the table, or `jobs`, `bus` or `web` for all about those; without one, all are run\n\
                     --baton measures the MCP servers of that binary (`PATH mcp`) instead of this program's own";

/// What was asked.
pub(crate) struct Arguments {
    /// How rows are measured.
    pub(crate) setting: Setting,
    /// Where the findings go as JSON.
    pub(crate) json: Option<PathBuf>,
    rows: Vec<String>,
}

impl Arguments {
    /// Reads the words of the command line.
    pub(crate) fn parse(words: &[String]) -> Outcome<Self> {
        let (mut quick, mut json, mut baton, mut rows) = (false, None, None, Vec::new());
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--quick" => quick = true,
                "--json" => json = Some(PathBuf::from(words.next().ok_or(USAGE)?)),
                "--baton" => baton = Some(PathBuf::from(words.next().ok_or(USAGE)?)),
                row if crate::rows::ROWS.iter().any(|known| known.is_called(row)) => rows.push(row.to_owned()),
                _ => return Err(USAGE.into()),
            }
        }
        Ok(Self { setting: Setting { quick, servers: Servers::new(baton)?, stores: Stores::default() }, json, rows })
    }

    /// Whether a row is to be run.
    pub(crate) fn wants(&self, row: &Row) -> bool {
        self.rows.is_empty() || self.rows.iter().any(|asked| row.is_called(asked))
    }
}
