//! `baton search`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::library::{Search, SearchInput},
};
use baton_core::search::DocumentKind;

use crate::{
    context::Context,
    parse, render,
    select::RoomArgs,
    ui::{Ui, clean},
};

/// Look for words in what is kept and was said: tasks, cards, notes, plans, jobs, handoffs, messages, files
#[derive(Debug, clap::Args)]
pub(super) struct SearchArgs {
    /// Words that must all occur; the beginning of each is enough
    #[arg(value_name = "WORD", required = true)]
    words: Vec<String>,
    /// Only in these, once for each
    #[arg(long = "kind", value_name = "KIND", value_parser = parse::one_of(DocumentKind::ALL, DocumentKind::as_str))]
    kinds: Vec<DocumentKind>,
    /// How many, 1 to 100 [default: 20]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    room: RoomArgs,
}

impl SearchArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let found = context.run::<Search>(SearchInput {
            room_id: self.room.find(context)?,
            query: self.words.join(" "),
            kinds: self.kinds,
            limit: self.limit,
        })?;
        if let Some(why) = &found.not_searched {
            ui.warn(&clean(&format!("not searched: {why}")));
        }
        Ok(ui.answer(&found, || match found.hits.first() {
            None => "Nothing has all these words.\n".to_owned(),
            Some(best) => {
                let more = if found.has_more { "There are more: add words, or raise --limit.\n" } else { "" };
                format!("{}{more}next: baton open {}\n", render::hit_lines(&found.hits), best.reference)
            }
        }))
    }
}
