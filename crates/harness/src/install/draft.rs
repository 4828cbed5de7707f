//! Files as they are and as they are to be: several parts may change the same one.

use std::path::{Path, PathBuf};

use super::{
    InstallError,
    plan::{Edit, read_text},
    register::split_mark,
    toml,
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

    /// The text of a file as it is on disk.
    pub(crate) fn text_before(&mut self, path: &Path) -> Result<Option<String>, InstallError> {
        Ok(self.edit(path)?.before.clone())
    }

    /// The edits that change something. Every TOML text is parsed once more: a program that cannot read its configuration
    /// does not start.
    pub(crate) fn into_edits(self) -> Result<Vec<Edit>, InstallError> {
        let edits: Vec<Edit> = self.0.into_iter().filter(|edit| edit.before != edit.after).collect();
        for Edit { path, after, .. } in &edits {
            let text = after.as_deref().filter(|_| path.extension().is_some_and(|extension| extension == "toml"));
            if text.is_some_and(|text| !toml::is_valid(split_mark(text).1)) {
                return Err(InstallError::BadEdit { path: path.clone() });
            }
        }
        Ok(edits)
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
