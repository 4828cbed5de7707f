//! Targets of patches in the form that `apply_patch` takes. Patches as git writes them are read in [`crate::patch`].

use std::collections::HashSet;

const UPDATE: &str = "*** Update File:";
const HEADERS: [&str; 4] = ["*** Add File:", "*** Delete File:", "*** Move to:", UPDATE];

/// The files that a patch in apply_patch's form changes, each once, in the patch's order. Empty if the text has none.
///
/// `*** Begin Patch` and `*** End Patch` are not required: programs differ in where they want them, and a file that is named in vain costs nothing.
pub fn patch_targets(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut in_update = false;
    text.lines()
        .filter_map(|line| {
            // Context lines of an update begin with a blank and may contain anything. Elsewhere blanks before a header are ignored.
            let line = if in_update { line } else { line.trim_start() };
            let (header, path) =
                HEADERS.iter().find_map(|header| Some((*header, line.strip_prefix(header)?.trim())))?;
            in_update = header == UPDATE || (in_update && header == "*** Move to:");
            (!path.is_empty() && seen.insert(path)).then(|| path.to_owned())
        })
        .collect()
}
