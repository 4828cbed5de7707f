//! What is checked out in a working tree, and what a workspace is made of.

use std::{fs, path::Path};

use baton_core::context::RepoFacts;

use super::{changed::changed_paths, git};
use crate::Failure;

/// What git tells of the working tree around `root`: branch, commit, and which files below `root` are not committed, from
/// there. A working tree without a commit has no commit, and one without a branch no branch.
pub fn checked_out(root: &Path) -> Result<RepoFacts, Failure> {
    let top = git::top_level(root)?;
    let told = |arguments: &[&str]| {
        let printed = git::run(&top, arguments).ok().map(|printed| git::text(&printed));
        printed.filter(|line| !line.is_empty())
    };
    let dirty = changed_paths(&top)?;
    let below = dirty.iter().filter_map(|path| path.strip_prefix(root).ok());
    Ok(RepoFacts {
        branch: told(&["symbolic-ref", "--quiet", "--short", "HEAD"]),
        head: told(&["rev-parse", "--verify", "--quiet", "HEAD"]),
        dirty_files: below.map(|path| path.to_string_lossy().into_owned()).filter(|path| !path.is_empty()).collect(),
        ..RepoFacts::default()
    })
}

/// A file by which a workspace tells what it is written in, and what gets its dependencies.
const MARKERS: [(&str, &str, &str); 21] = [
    ("Cargo.toml", "rust", "cargo"),
    ("go.mod", "go", "go"),
    ("deno.json", "typescript", "deno"),
    ("deno.jsonc", "typescript", "deno"),
    ("package.json", "javascript", "npm"),
    ("pyproject.toml", "python", "pip"),
    ("setup.py", "python", "pip"),
    ("requirements.txt", "python", "pip"),
    ("Pipfile", "python", "pipenv"),
    ("build.gradle.kts", "kotlin", "gradle"),
    ("build.gradle", "java", "gradle"),
    ("pom.xml", "java", "maven"),
    ("Gemfile", "ruby", "bundler"),
    ("composer.json", "php", "composer"),
    ("mix.exs", "elixir", "mix"),
    ("Package.swift", "swift", "swiftpm"),
    ("pubspec.yaml", "dart", "pub"),
    ("build.zig", "zig", "zig"),
    ("stack.yaml", "haskell", "stack"),
    ("dune-project", "ocaml", "opam"),
    ("CMakeLists.txt", "c++", "cmake"),
];

/// Files that say more precisely what gets the dependencies of a workspace in that language.
const LOCKS: [(&str, &str, &str); 10] = [
    ("pnpm-lock.yaml", "javascript", "pnpm"),
    ("yarn.lock", "javascript", "yarn"),
    ("bun.lock", "javascript", "bun"),
    ("bun.lockb", "javascript", "bun"),
    ("package-lock.json", "javascript", "npm"),
    ("uv.lock", "python", "uv"),
    ("poetry.lock", "python", "poetry"),
    ("pdm.lock", "python", "pdm"),
    ("Pipfile.lock", "python", "pipenv"),
    ("conda-lock.yml", "python", "conda"),
];

/// What the workspace at `root` is written in, and what gets its dependencies.
pub fn made_of(root: &Path) -> (Option<String>, Option<String>) {
    let has = |name: &str| fs::metadata(root.join(name)).is_ok_and(|found| found.is_file());
    let Some((_, language, manager)) = MARKERS.iter().find(|(name, ..)| has(name)) else { return (None, None) };
    let lock = LOCKS.iter().find(|(name, of, _)| of == language && has(name)).map(|(_, _, manager)| manager);
    let is_typed = *language == "javascript" && has("tsconfig.json");
    let language = if is_typed { "typescript" } else { language };
    (Some(language.to_owned()), Some((*lock.unwrap_or(manager)).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_is_known_by_its_files() {
        let known = |files: &[&str]| {
            let directory = tempfile::tempdir().unwrap();
            files.iter().for_each(|name| fs::write(directory.path().join(name), "").unwrap());
            made_of(directory.path())
        };
        let both = |language: &str, manager: &str| (Some(language.to_owned()), Some(manager.to_owned()));
        assert_eq!(known(&[]), (None, None));
        assert_eq!(known(&["Cargo.toml", "package.json"]), both("rust", "cargo"));
        assert_eq!(known(&["package.json"]), both("javascript", "npm"));
        assert_eq!(known(&["package.json", "tsconfig.json", "pnpm-lock.yaml"]), both("typescript", "pnpm"));
        assert_eq!(known(&["pyproject.toml", "uv.lock", "yarn.lock"]), both("python", "uv"));
    }
}
