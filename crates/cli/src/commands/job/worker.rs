//! What whoever works on a job says with each report: which job, in whose name, under which claim.

use baton_app::Failure;
use baton_core::{code::ErrorCode, ids::AgentId, job::JobId, lease::Fence};

use crate::parse;

/// Shows a claim. A job's own agent, in whose environment BATON_JOB is, need not.
#[derive(Debug, clap::Args)]
pub(super) struct ClaimShown {
    /// The revision of your claim, as `baton job claim` told it [default: that of BATON_JOB]
    #[arg(long, visible_alias = "claim-revision", value_name = "N")]
    revision: Option<u64>,
    /// In whose name it was claimed [default: that of BATON_JOB, else you]
    #[arg(long, value_name = "ID")]
    pub(super) runner: Option<AgentId>,
}

impl ClaimShown {
    pub(super) fn revision(&self) -> Option<Fence> {
        self.revision.map(Fence)
    }
}

/// A job that may be left out, and what is said about it.
pub(super) struct Said {
    pub(super) job: Option<JobId>,
    pub(super) words: String,
}

/// Reads `[JOB] TEXT`. One argument alone is the text, unless there `need_be_no_text` and it is a job.
pub(super) fn said(mut given: Vec<String>, need_be_no_text: bool) -> Result<Said, Failure> {
    let wrong = |why: String| Failure::new(ErrorCode::InvalidInput, format!("job: {why}.")).with("field", "job");
    match (given.pop(), given.pop()) {
        (Some(words), Some(job)) => Ok(Said { job: Some(parse::job(&job).map_err(wrong)?), words }),
        (Some(only), None) => match only.parse() {
            Ok(job) if need_be_no_text => Ok(Said { job: Some(job), words: String::new() }),
            Ok(_) | Err(_) => Ok(Said { job: None, words: only }),
        },
        (None, _) => Ok(Said { job: None, words: String::new() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_may_stand_alone_or_behind_its_job() {
        let read = |given: &[&str], heartbeat: bool| {
            let said = said(given.iter().map(|&word| word.to_owned()).collect(), heartbeat).unwrap();
            (said.job, said.words)
        };
        assert_eq!(read(&["half done"], false), (None, "half done".to_owned()));
        assert_eq!(read(&["JOB-001"], false), (None, "JOB-001".to_owned()), "it is all that is said");
        assert_eq!(read(&["JOB-001"], true), (Some(JobId(1)), String::new()));
        assert_eq!(read(&["1", "half done"], false), (Some(JobId(1)), "half done".to_owned()));
        assert_eq!(read(&[], true), (None, String::new()));
        assert!(said(vec!["half".to_owned(), "done".to_owned()], false).is_err());
    }
}
