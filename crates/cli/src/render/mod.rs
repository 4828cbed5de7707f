//! Rooms, events, handoffs, messages, tasks, jobs and what is kept, as a person reads them.

mod approval;
mod attention;
mod bus;
mod envelope;
mod event;
mod handoff;
mod job;
mod library;
mod message;
mod needs;
mod opened;
mod pack;
mod protocol;
mod recent;
mod record;
mod room;
mod task;
mod turn;
mod words;

pub(crate) use approval::approval_lines;
pub(crate) use attention::{JobCounts, attention_page, jobs_line, taken_page};
pub(crate) use bus::{action_lines, agent_status, delivery_page, session_lines, session_name, submitted_page};
pub(crate) use envelope::{awaited_page, edges_page, handed_sentence, owed_lines, told_sentence};
pub(crate) use event::event_line;
pub(crate) use handoff::{artifact_place, artifact_role, handoff_page};
pub(crate) use job::{job_changed, job_delegated, job_event, job_lines, job_next, job_page, job_summary};
pub(crate) use library::{anchor_lines, artifact_lines, card_lines, hit_lines, plan_lines};
pub(crate) use message::{item_lines, message_page, sent_page, sent_sentence};
pub(crate) use needs::needs_page;
pub(crate) use opened::opened_page;
pub(crate) use pack::{brief_page, difference_lines, pack_kept, pack_lines};
pub(crate) use recent::recent_page;
pub(crate) use record::record_line;
pub(crate) use room::{room_line, room_page, who_has_it};
pub(crate) use task::{task_changed, task_lines, task_page};
pub(crate) use turn::{connection_line, taken_item, turn_lines};
