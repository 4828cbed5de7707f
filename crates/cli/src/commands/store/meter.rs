//! How far a copy is, for whoever waits for it: at a terminal always, elsewhere now and then.

use baton_app::copy::{Progress, Stage};

use crate::ui::{self, Ui};

/// Shows progress.
pub(super) struct Meter {
    ui: Ui,
    said: Option<(Stage, u64)>,
}

impl Meter {
    pub(super) fn new(ui: Ui) -> Self {
        Self { ui, said: None }
    }

    /// Shows how far it is. Where lines add up there is one for every tenth of the way.
    pub(super) fn show(&mut self, progress: Progress) {
        let tenth = progress.events * 10 / progress.events_total.max(1);
        if !ui::is_watched() && self.said == Some((progress.stage, tenth)) {
            return;
        }
        self.said = Some((progress.stage, tenth));
        let doing = match progress.stage {
            Stage::Copying => "copying",
            Stage::Comparing => "comparing",
        };
        let Progress { rooms, rooms_total, events, events_total, .. } = progress;
        self.ui.progress(&format!("{doing}: {rooms} of {rooms_total} rooms, {events} of {events_total} events"));
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if self.said.is_some() {
            self.ui.progress_ends();
        }
    }
}
