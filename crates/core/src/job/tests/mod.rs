//! The rules of jobs, as stories.
