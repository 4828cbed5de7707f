//! The answer about a command, and the way in.

use super::{scene::Scene, script};

/// Longer commands are unknown. The longest that agents write are patches, which are far below this.
const COMMAND_BYTES_MAX: usize = 256 * 1024;

/// How a shell command stands to the files around it, as far as reading it can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellReading {
    /// The verdict.
    pub effect: ShellEffect,
    /// Paths that the command plainly writes, each once, as written: variables, globs and `~` are not expanded. Relative paths are from
    /// the directory in which the command starts, so one behind `cd dir &&` begins with `dir/`.
    pub writes: Vec<String>,
    /// A git verb moves the working tree or the index.
    pub moves_tree: bool,
    /// Directories in which a git verb does so, written like `writes`; `.` is the directory in which the command starts.
    pub trees: Vec<String>,
    /// Directories in which a git verb moves the index or the branch, and no file.
    pub indexes: Vec<String>,
    /// Some part cannot be told, so `writes` and `trees` may not be all. Always set if the effect is unknown, never if it is reading.
    pub is_partial: bool,
}

/// The verdict about a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellEffect {
    /// Every part of the command is known to read only.
    Reads,
    /// At least one path is plainly written, or git moves the tree.
    Writes,
    /// Cannot be told.
    Unknown,
}

/// Reads `command` as a shell would, without running anything.
pub fn read_shell(command: &str) -> ShellReading {
    let mut scene = Scene::default();
    if command.len() > COMMAND_BYTES_MAX {
        scene.is_partial = true;
    } else {
        script::read(command, &mut scene, 0);
    }
    let effect = if scene.moves_tree || !scene.writes.is_empty() {
        ShellEffect::Writes
    } else if scene.is_partial {
        ShellEffect::Unknown
    } else {
        ShellEffect::Reads
    };
    let Scene { writes, moves_tree, trees, indexes, is_partial, .. } = scene;
    ShellReading { effect, writes, moves_tree, trees, indexes, is_partial }
}
