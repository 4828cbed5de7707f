//! What rooms are for.

use baton_core::{
    context::{Context, Stated},
    ids::{RoomId, Seq},
};

use crate::{
    StoreError,
    engine::{Changes, Tx},
    fields::{Fields, bad, number},
};

/// Reads a room's brief.
pub(crate) const BRIEF: &str = "
    SELECT brief, seq, updated_by, updated_at_ms
      FROM briefs
     WHERE room_id = ?1
";

/// What a room is for.
pub fn load(tx: &mut dyn Tx, room: &RoomId) -> Result<Context, StoreError> {
    let mut brief = None;
    tx.query(BRIEF, &[room.as_str().into()], &mut |row| {
        let fields = Fields { table: "briefs", key: room.as_str(), row };
        brief = Some(Stated {
            brief: serde_json::from_str(fields.text(0)?).map_err(|error| fields.bad(error))?,
            seq: Seq(fields.number(1)?),
            by: fields.id(2)?,
            at: fields.time(3)?,
        });
        Ok(())
    })?;
    Ok(Context { brief })
}

const PUT: &str = "
    INSERT INTO briefs (room_id, brief, seq, updated_by, updated_at_ms)
    VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (room_id) DO UPDATE
       SET brief = excluded.brief, seq = excluded.seq, updated_by = excluded.updated_by,
           updated_at_ms = excluded.updated_at_ms
";

/// Stores what became of it.
pub fn save(tx: &mut dyn Tx, room: &RoomId, before: &Context, after: &Context) -> Result<(), StoreError> {
    let Some(stated) = after.brief.as_ref().filter(|_| before != after) else { return Ok(()) };
    let brief = serde_json::to_string(&stated.brief).map_err(|error| bad("briefs", room.as_str(), error))?;
    let params = [
        room.as_str().into(),
        brief.as_str().into(),
        number(stated.seq.0).into(),
        stated.by.as_str().into(),
        stated.at.as_millis().into(),
    ];
    tx.execute(PUT, &params, Changes::One("briefs"))
}
