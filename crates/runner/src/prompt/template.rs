//! Texts with names to fill in: `{{agent}}`, `{{job}}` and `{{room}}`, and nothing else.

/// What a text is about.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The agent that is told it.
    pub agent: &'a str,
    /// Its job.
    pub job: &'a str,
    /// Its room.
    pub room: &'a str,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A name that nothing can be filled in for.
    #[error("it has {{{{{0}}}}}, and there are only {{{{agent}}}}, {{{{job}}}} and {{{{room}}}}")]
    Unknown(String),
    /// A name that does not end.
    #[error("it has a {{{{ without }}}} on line {0}")]
    Open(usize),
}

/// The most that is shown of a name that is none.
const SHOWN_CHARS: usize = 40;

impl Names<'_> {
    /// Fills in the names.
    pub fn fill(&self, text: &str) -> Result<String, Fault> {
        let (mut filled, mut rest) = (String::with_capacity(text.len()), text);
        while let Some((before, after)) = rest.split_once("{{") {
            let line = text[..text.len() - after.len()].matches('\n').count() + 1;
            let (name, behind) =
                after.split_once("}}").filter(|(name, _)| !name.contains('\n')).ok_or(Fault::Open(line))?;
            filled.push_str(before);
            filled.push_str(match name.trim() {
                "agent" => self.agent,
                "job" => self.job,
                "room" => self.room,
                other => return Err(Fault::Unknown(other.chars().take(SHOWN_CHARS).collect())),
            });
            rest = behind;
        }
        filled.push_str(rest);
        Ok(filled)
    }
}
