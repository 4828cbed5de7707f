//! Schemas as clients should see them: small, without references, and true.
//!
//! Every client pays for `tools/list` in each conversation, and some reject `$ref` and tuples.

mod input;
mod listed;
mod output;
mod repeat;
mod signature;

pub(crate) use input::{arguments, compact};
pub(crate) use listed::listed;
pub(crate) use output::fields;
pub(crate) use repeat::Repeats;
pub(crate) use signature::{short_signature, signature};

use serde_json::{Map, Value};

/// How deep types may nest; below that a schema says nothing. Recursive types end here too.
const DEPTH_MAX: usize = 12;

/// The types a schema refers to by name.
struct Definitions<'a>(Option<&'a Map<String, Value>>);

impl<'a> Definitions<'a> {
    fn of(root: &'a Value) -> Self {
        Self(root.get("$defs").and_then(Value::as_object))
    }

    /// What a `$ref` points to.
    fn resolve(&self, reference: &Value) -> Option<&'a Map<String, Value>> {
        let name = reference.as_str()?.strip_prefix("#/$defs/")?;
        self.0?.get(name)?.as_object()
    }
}
