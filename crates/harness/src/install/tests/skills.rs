//! The skill files, one of which three harnesses share.

use std::{fs, os::unix::fs::symlink};

use super::super::{SkillChange, SkillStatus, skill_status};
use super::home::{CLAUDE_SKILL, GEMINI, Home, SHARED_SKILL};
use crate::Harness;

#[test]
fn each_harness_gets_the_skill_file_that_it_reads() {
    for harness in Harness::ALL {
        let home = Home::new();
        home.install(harness);
        let shared = harness != Harness::ClaudeCode;
        assert_eq!((home.has(SHARED_SKILL), home.has(CLAUDE_SKILL)), (shared, !shared), "{harness}");
        assert_eq!(skill_status(harness, &home.places()).unwrap(), SkillStatus::Current);
    }
}

#[test]
fn the_shared_skill_goes_with_the_last_harness_that_reads_it() {
    let home = Home::new();
    for harness in Harness::ALL {
        home.install(harness);
    }

    let change = home.uninstall(Harness::Codex).skill.unwrap().change;
    assert_eq!(change, SkillChange::NeededBy { harnesses: vec![Harness::Gemini, Harness::OpenCode] });
    assert_eq!(home.uninstall(Harness::ClaudeCode).skill.as_ref().unwrap().change, SkillChange::Removed);
    assert!(home.has(SHARED_SKILL) && !home.has(".claude/skills/baton"));

    home.uninstall(Harness::OpenCode);
    assert!(home.has(SHARED_SKILL));
    assert_eq!(home.uninstall(Harness::Gemini).skill.as_ref().unwrap().change, SkillChange::Removed);
    assert!(!home.has(".agents/skills/baton"));
}

#[test]
fn a_harness_that_cannot_be_read_may_still_need_the_skill() {
    let home = Home::new();
    home.install(Harness::Codex);
    home.write(GEMINI, "{");
    let change = home.uninstall(Harness::Codex).skill.unwrap().change;
    assert_eq!(change, SkillChange::NeededBy { harnesses: vec![Harness::Gemini] });
}

#[test]
fn skill_directories_that_are_one_by_a_link_are_one_skill() {
    let home = Home::new();
    home.install(Harness::Codex);
    fs::create_dir(home.path(".claude")).unwrap();
    symlink("../.agents/skills", home.path(".claude/skills")).unwrap();
    assert_eq!(home.install(Harness::ClaudeCode).skill.as_ref().unwrap().change, SkillChange::Already);
    let change = home.uninstall(Harness::ClaudeCode).skill.unwrap().change;
    assert_eq!(change, SkillChange::NeededBy { harnesses: vec![Harness::Codex] });
    assert!(home.has(SHARED_SKILL));
}

#[test]
fn an_older_skill_of_ours_is_updated_and_removed() {
    let old = "---\nname: baton\nmetadata:\n  managed-by: baton\n---\nold\n";
    let home = Home::with(SHARED_SKILL, old);
    assert_eq!(home.install(Harness::Codex).skill.as_ref().unwrap().change, SkillChange::Updated);
    home.write(SHARED_SKILL, old);
    assert_eq!(home.uninstall(Harness::Codex).skill.as_ref().unwrap().change, SkillChange::Removed);
    assert!(!home.has(SHARED_SKILL));
}

#[test]
fn a_skill_without_our_marker_is_left_alone() {
    let own = "---\nname: baton\n---\nmanaged-by: baton is only said in the text\n";
    let home = Home::with(SHARED_SKILL, own);
    assert_eq!(home.install(Harness::Codex).skill.as_ref().unwrap().change, SkillChange::KeptForeign);
    assert_eq!(home.uninstall(Harness::Codex).skill.as_ref().unwrap().change, SkillChange::KeptForeign);
    assert_eq!(home.read(SHARED_SKILL), own);
}

#[test]
fn other_files_beside_the_skill_stay() {
    let home = Home::new();
    home.install(Harness::Codex);
    home.write(".agents/skills/baton/notes.md", "mine");
    home.uninstall(Harness::Codex);
    assert!(!home.has(SHARED_SKILL) && home.has(".agents/skills/baton/notes.md"));
}

#[test]
fn the_skill_names_every_tool_and_stays_short() {
    let text = super::super::skill::TEXT;
    let tools = "list_rooms join_path wait_for_turn heartbeat release_stick pass_stick takeover_stick get_room_state \
                 get_room_events append_note leave_path close_room reorder_members set_room_policy scope tasks inbox agent jobs open skill";
    for tool in tools.split_whitespace() {
        assert!(text.contains(&format!("`{tool}`")), "{tool}");
    }
    assert!(text.lines().count() < 180);
}
