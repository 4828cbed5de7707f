//! Files as they are and as they are to be: several parts may change the same one.

use std::path::{Path, PathBuf};

use super::{
    InstallError,
    plan::{Edit, read_text},
};

#[derive(Debug, Default)]
pub(crate) struct Draft(Vec<Edit>);

impl Draft {
    /// The text of a file as the draft has it so far.
    pub(crate) fn text(&mut self, path: &Path) -> Result<Option<String>, InstallError> {
        Ok(self.edit(path)?.after.clone())
    }

    /// Sets the text of a file, `None` for no file. A new file gets `new_mode`.
    pub(crate) fn set(&mut self, path: &Path, text: Option<String>, new_mode: u32) -> Result<(), InstallError> {
        let edit = self.edit(path)?;
        (edit.after, edit.new_mode) = (text, new_mode);
        Ok(())
    }

    pub(crate) fn into_edits(self) -> Vec<Edit> {
        self.0.into_iter().filter(|edit| edit.before != edit.after).collect()
    }

    fn edit(&mut self, path: &Path) -> Result<&mut Edit, InstallError> {
        let index = match self.0.iter().position(|edit| edit.path == path) {
            Some(index) => index,
            None => {
                let before = read_text(path)?;
                self.0.push(Edit { path: PathBuf::from(path), after: before.clone(), before, new_mode: 0 });
                self.0.len() - 1
            }
        };
        Ok(&mut self.0[index])
    }
}
