//! What kind of browser is wanted.

/// A window, and what it can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// How wide it is, in pixels.
    pub width: u32,
    /// How high it is.
    pub height: u32,
    /// Which colours its machine prefers.
    pub scheme: Scheme,
    /// Whether pages may run scripts.
    pub scripts: Scripts,
}

/// What colours a machine prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Dark ink on light ground.
    Light,
    /// Light ink on dark ground.
    Dark,
}

/// Whether pages may run scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scripts {
    /// As in most browsers.
    Run,
    /// As in the browser of somebody who turned them off.
    Off,
}

impl Wish {
    /// A window on a desk.
    pub const WIDE: Self = Self { width: 1400, height: 900, scheme: Scheme::Light, scripts: Scripts::Run };
    /// A phone.
    pub const NARROW: Self = Self { width: 390, height: 844, ..Self::WIDE };

    /// Whether it is held in a hand.
    pub(crate) const fn is_phone(self) -> bool {
        self.width < 600
    }
}

impl Scheme {
    /// What style sheets call it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}
