//! Full text: made from the log when somebody looks, so that no write waits for it.
//!
//! Each engine has its own way to look for words, and here only are statements written in two dialects. What is a word is
//! settled before ([`baton_core::search`]), so both find the same: Postgres is given the words, not the text, since its parser
//! takes text apart by the database's locale. Which find comes first is each engine's own judgement of how well it fits, and the
//! newest comes first where it judges them alike.

use baton_core::{
    event::Recorded,
    ids::{RoomId, Seq},
    search::{Document, DocumentKind, Query, plain_words, searchable},
};

use crate::{
    StoreError,
    engine::{Changes, Dialect, Param, Tx},
    fields::{Fields, number},
    question,
};

/// How far a room's log is in the index.
pub(crate) const PROGRESS: &str = "SELECT seq FROM search_progress WHERE room_id = ?1";

/// The last event of a room that was looked at for the index.
pub fn progress(tx: &mut dyn Tx, room: &RoomId) -> Result<Seq, StoreError> {
    question::number(tx, ("search_progress", PROGRESS), room, &[]).map(Seq)
}

const PUT_PROGRESS: &str = "
    INSERT INTO search_progress (room_id, seq)
    VALUES (?1, ?2)
        ON CONFLICT (room_id) DO UPDATE
       SET seq = excluded.seq
";
const INSERT_IN_SQLITE: &str = "
    INSERT INTO search_index (room, ref, kind, seq, title, body)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
";
const INSERT_IN_POSTGRES: &str = "
    INSERT INTO search_index (room, ref, kind, seq, document)
    VALUES (?1, ?2, ?3, ?4, CAST(CAST(?5 AS TEXT) AS TSVECTOR))
";

/// Keeps others from adding to a room's index until this transaction ends. Before [`progress`] is asked for.
pub fn alone(tx: &mut dyn Tx, room: &RoomId) -> Result<(), StoreError> {
    tx.alone(&format!("search {room}"))
}

/// Adds the next events of a room's log to its index: those that follow [`progress`].
pub fn add(tx: &mut dyn Tx, room: &RoomId, events: &[Recorded]) -> Result<(), StoreError> {
    for recorded in events {
        if let Some(document) = searchable(recorded) {
            insert(tx, room, recorded.seq, &document)?;
        }
    }
    match events.last() {
        Some(last) => tx.execute(
            PUT_PROGRESS,
            &[room.as_str().into(), number(last.seq.0).into()],
            Changes::One("search_progress"),
        ),
        None => Ok(()),
    }
}

fn insert(tx: &mut dyn Tx, room: &RoomId, seq: Seq, document: &Document) -> Result<(), StoreError> {
    let reference = document.reference.to_string();
    if document.kind == DocumentKind::Anchor {
        // The only thing that is described again.
        forget(tx, room, &reference)?;
    }
    // It is found by its id, too.
    let title = plain_words(&format!("{reference} {}", document.title));
    let body = plain_words(&document.body);
    let found_by: [Param<'_>; 4] =
        [room.as_str().into(), reference.as_str().into(), document.kind.as_str().into(), number(seq.0).into()];
    match tx.dialect() {
        Dialect::Sqlite => {
            let texts = [title.as_str().into(), body.as_str().into()];
            tx.execute(INSERT_IN_SQLITE, &[&found_by[..], &texts].concat(), Changes::Any)
        }
        Dialect::Postgres => {
            let vector = vector(&title, &body);
            tx.execute(INSERT_IN_POSTGRES, &[&found_by[..], &[vector.as_str().into()]].concat(), Changes::Any)
        }
    }
}

/// As much of a word as Postgres takes, and more than a query can have.
const WORD_CHARS: usize = 500;

/// The words of a title and a body with their places, as Postgres writes them. A place is left out between the two, so that no
/// phrase begins in the one and ends in the other. What a place beyond Postgres' last one has is found, if not as a phrase.
fn vector(title: &str, body: &str) -> String {
    let body_from = title.split(' ').count() + 2;
    let word = |word: &str| word.chars().take(WORD_CHARS).collect::<String>();
    let titled = title.split(' ').enumerate().map(|(place, text)| format!("'{}':{}A", word(text), place + 1));
    let words = body.split(' ').filter(|text| !text.is_empty()).enumerate();
    let told = words.map(|(place, text)| format!("'{}':{}", word(text), place + body_from));
    titled.chain(told).collect::<Vec<_>>().join(" ")
}

/// Rows are found through their words: by a column alone, SQLite would look at every text there is.
pub(crate) const FORGET_IN_SQLITE: &str = "
    DELETE FROM search_index
     WHERE rowid IN (SELECT rowid FROM search_index WHERE search_index MATCH ?3 AND room = ?1 AND ref = ?2)
";
const FORGET_IN_POSTGRES: &str = "
    DELETE FROM search_index
     WHERE room = ?1 AND ref = ?2
";

fn forget(tx: &mut dyn Tx, room: &RoomId, reference: &str) -> Result<(), StoreError> {
    match tx.dialect() {
        Dialect::Sqlite => {
            let words = format!("{} AND title : \"{}\"", in_room(room), plain_words(reference));
            tx.execute(FORGET_IN_SQLITE, &[room.as_str().into(), reference.into(), words.as_str().into()], Changes::Any)
        }
        Dialect::Postgres => tx.execute(FORGET_IN_POSTGRES, &[room.as_str().into(), reference.into()], Changes::Any),
    }
}

pub(crate) const FIND_IN_SQLITE: &str = "
    SELECT seq
      FROM search_index
     WHERE search_index MATCH ?2 AND room = ?1 AND (?3 = '' OR ?3 LIKE '%,' || kind || ',%')
     ORDER BY bm25(search_index, 0.0, 4.0, 1.0), seq DESC
     LIMIT ?4
";
const FIND_IN_POSTGRES: &str = "
    SELECT seq
      FROM search_index, (SELECT CAST(CAST(?2 AS TEXT) AS TSQUERY) AS words) AS wanted
     WHERE document @@ wanted.words AND room = ?1 AND (?3 = '' OR ?3 LIKE '%,' || kind || ',%')
     ORDER BY ts_rank(document, wanted.words) DESC, seq DESC
     LIMIT ?4
";

/// Where in the log what was looked for is, the best first. Without `kinds`, whatever it is.
pub fn find(
    tx: &mut dyn Tx,
    room: &RoomId,
    query: &Query,
    kinds: &[DocumentKind],
    limit: u32,
) -> Result<Vec<Seq>, StoreError> {
    let (sql, words) = match tx.dialect() {
        Dialect::Sqlite => (FIND_IN_SQLITE, format!("{} AND {{title body}} : ({})", in_room(room), in_sqlite(query))),
        Dialect::Postgres => (FIND_IN_POSTGRES, in_postgres(query)),
    };
    let kinds: String = kinds.iter().map(|kind| format!(",{kind},")).collect();
    let params = [room.as_str().into(), words.as_str().into(), kinds.as_str().into(), i64::from(limit).into()];
    let mut found = Vec::new();
    tx.query(sql, &params, &mut |row| {
        found.push(Seq(Fields { table: "search_index", key: room.as_str(), row }.number(0)?));
        Ok(())
    })?;
    Ok(found)
}

/// Only what is in the room: it is looked up like any other words, and compared whole afterwards.
fn in_room(room: &RoomId) -> String {
    format!("room : \"{}\"", plain_words(room.as_str()))
}

/// A word is found by its beginning, unless it is too short for that to say much.
fn begins(phrase: &str) -> bool {
    phrase.split(' ').next_back().is_some_and(|last| last.chars().count() >= 3)
}

fn in_sqlite(query: &Query) -> String {
    let phrase = |phrase: &str| format!("\"{phrase}\"{}", if begins(phrase) { " *" } else { "" });
    query.phrases().map(phrase).collect::<Vec<_>>().join(" AND ")
}

fn in_postgres(query: &Query) -> String {
    let phrase = |phrase: &str| {
        let words: Vec<String> = phrase.split(' ').map(|word| format!("'{word}'")).collect();
        format!("({}{})", words.join(" <-> "), if begins(phrase) { ":*" } else { "" })
    };
    query.phrases().map(phrase).collect::<Vec<_>>().join(" & ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_the_same_in_both_dialects() {
        let query = Query::read("src/lib.rs Cache is").unwrap();
        assert_eq!(in_sqlite(&query), r#""src lib rs" AND "cache" * AND "is""#);
        assert_eq!(in_postgres(&query), "('src' <-> 'lib' <-> 'rs') & ('cache':*) & ('is')");
    }

    #[test]
    fn the_words_of_a_text_have_places_and_those_of_its_title_weigh_more() {
        assert_eq!(vector("card 1", "a b a"), "'card':1A '1':2A 'a':4 'b':5 'a':6");
        assert_eq!(vector("card", ""), "'card':1A");
        assert_eq!(vector("x", &"é".repeat(9000)).chars().count(), "'x':1A '':3".len() + WORD_CHARS);
    }
}
