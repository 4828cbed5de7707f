//! Blocks put together: what was in effect, and what of it is sent.

use std::collections::BTreeMap;

use super::{Again, Block, Name, block::hash};

/// What a conversation was told, as far as it need not be told again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heard(BTreeMap<Name, String>);

/// How much of a prompt is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Full,
    /// What is new.
    Delta,
}

impl Extent {
    /// The word for it on record.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Delta => "delta",
        }
    }
}

/// What an agent is told in a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    extent: Extent,
    blocks: Vec<Block>,
    /// What is sent of each block, in the same order.
    parts: Vec<Option<String>>,
    /// What is sent in place of all of it.
    replaced: Option<String>,
    heard: Heard,
}

impl Prompt {
    /// Puts a prompt together. `heard` is what the conversation was told that goes on; without one it begins. One that was
    /// told other rules or another role is told everything anew.
    pub fn of(blocks: Vec<Block>, heard: Option<&Heard>) -> Self {
        let mut blocks: Vec<Block> = blocks.into_iter().filter(|block| !block.is_empty()).collect();
        blocks.sort_by_key(|block| block.name);
        let is_known =
            |heard: &&Heard| blocks.iter().filter(|block| block.name.is_ground()).all(|block| heard.knows(block));
        let known = heard.filter(is_known);
        let part = |block: &Block| match (known, &block.again) {
            (None, _) | (Some(_), Again::Always) => Some(block.shown()),
            (Some(heard), Again::Changed) => (!heard.knows(block)).then(|| block.shown()),
            (Some(_), Again::Never) => None,
            (Some(_), Again::Instead(other)) => (!other.is_empty()).then(|| other.shown()),
        };
        let parts = blocks.iter().map(part).collect();
        let extent = if known.is_some() { Extent::Delta } else { Extent::Full };
        let mut heard = known.cloned().unwrap_or_default();
        heard.0.extend(blocks.iter().map(|block| (block.name, hash(&block.text))));
        Self { extent, blocks, parts, replaced: None, heard }
    }

    /// The same, of which only `text` is sent: a command of the program itself, for a conversation that goes on.
    pub fn replaced_by(self, text: impl Into<String>) -> Self {
        let parts = vec![None; self.blocks.len()];
        Self { extent: Extent::Delta, parts, replaced: Some(text.into()), ..self }
    }

    /// How much of it is sent.
    pub const fn extent(&self) -> Extent {
        self.extent
    }

    /// What a conversation knows once it was told this.
    pub fn heard(&self) -> Heard {
        self.heard.clone()
    }

    /// All that is in effect, as it would be told to a conversation that begins.
    pub fn full(&self) -> String {
        joined(self.blocks.iter().map(Block::shown))
    }

    /// What is sent, to the byte.
    pub fn sent(&self) -> String {
        match &self.replaced {
            Some(text) => text.clone(),
            None => joined(self.parts.iter().flatten().cloned()),
        }
    }

    /// Each block, and whether anything of it is sent.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (&Block, bool)> {
        self.blocks.iter().zip(self.parts.iter().map(Option::is_some))
    }
}

impl Heard {
    fn knows(&self, block: &Block) -> bool {
        self.0.get(&block.name) == Some(&hash(&block.text))
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    let mut text = parts.collect::<Vec<_>>().join("\n\n");
    text.push('\n');
    text
}
