//! A digest of what a request becomes, so that an approval is bound to exactly what was shown.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{ApprovalId, NodeSpec};
use crate::ids::AgentId;

/// Bytes that are shown: few enough to read aloud, and too many to find another request for.
const BYTES: usize = 8;

/// A digest of a request for an agent: its number, who asked, and all that would be made of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct SpecDigest(String);

impl SpecDigest {
    /// The digest as somebody read it. Any other text is a digest of nothing.
    pub fn as_read(text: &str) -> Self {
        Self(text.trim().to_ascii_lowercase())
    }
}

impl fmt::Display for SpecDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl NodeSpec {
    /// The digest of this as the request `approval` of `requested_by`.
    pub fn digest(&self, approval: ApprovalId, requested_by: &AgentId) -> SpecDigest {
        let mut hash = Sha256::new();
        hash.update(format!("baton approval\0{approval}\0{requested_by}\0"));
        // A spec always has a JSON form: it is stored as one.
        hash_value(&mut hash, &serde_json::to_value(self).unwrap_or_default());
        SpecDigest(hash.finalize()[..BYTES].iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// Feeds a value with its keys in order, whatever order an engine keeps them in.
fn hash_value(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort();
            hash.update(format!("{{{}", names.len()));
            for name in names {
                hash_value(hash, &Value::String(name.clone()));
                hash_value(hash, &fields[name]);
            }
        }
        Value::Array(items) => {
            hash.update(format!("[{}", items.len()));
            items.iter().for_each(|item| hash_value(hash, item));
        }
        // With its length, so that no text can look like what follows it.
        Value::String(text) => hash.update(format!("\"{}:{text}", text.len())),
        Value::Null | Value::Bool(_) | Value::Number(_) => hash.update(format!("{value};")),
    }
}
