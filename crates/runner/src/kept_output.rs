//! Output of a program, as much of it as is kept.

const KEPT_BYTES: usize = 4 * 1024 * 1024;

/// The first lines of an output, and how much more there was.
#[derive(Default)]
pub(crate) struct KeptOutput {
    text: String,
    lost: usize,
}

impl KeptOutput {
    pub(crate) fn push(&mut self, line: &str) {
        if self.text.len() + line.len() < KEPT_BYTES {
            self.text.push_str(line);
            self.text.push('\n');
        } else {
            self.lost += line.len() + 1;
        }
    }

    pub(crate) fn whole(&self) -> String {
        match self.lost {
            0 => self.text.clone(),
            lost => format!("{}[{lost} more bytes were not kept]\n", self.text),
        }
    }
}
