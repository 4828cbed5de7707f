//! Briefs: what rooms are for.

use baton_core::context::Stated;

use crate::table::table;

table! {
    "briefs": Stated |stated| {
        key |()| {}
        once {}
        changes {
            brief = stated.brief,
            seq = stated.seq,
            updated_by = stated.by,
            updated_at_ms = stated.at,
        }
    }
    read Self { brief, seq, by: updated_by, at: updated_at_ms }
}
