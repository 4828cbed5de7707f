//! Keys that are no characters, as WebDriver spells them.

/// Keys for [`Browser::press`](crate::Browser::press).
pub mod key {
    /// Enter.
    pub const ENTER: &str = "\u{e007}";
    /// Tab.
    pub const TAB: &str = "\u{e004}";
    /// Escape.
    pub const ESCAPE: &str = "\u{e00c}";
}
