//! Numbered ids: what a room counts from one, and how the number is written.

/// Makes the type of a numbered id: its prefix, how many digits it has at least, and what an error calls it.
macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $width:literal, $what:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        #[schemars(inline, with = "String", extend("pattern" = concat!("^", $prefix, "0{0,2}[1-9][0-9]{0,6}$")))]
        pub struct $name(pub u32);

        impl $name {
            /// What an id of this kind begins with.
            pub const PREFIX: &'static str = $prefix;
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{:0", $width, "}"), self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                $crate::number::read(text, $prefix).map(Self).ok_or_else(|| {
                    let shown: String = text.chars().take($crate::limits::SHOWN_INPUT_CHARS).collect();
                    format!("{} id looks like {}, not {shown:?}", $what, Self(1))
                })
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }
    };
}
pub(crate) use numbered;

/// The number behind `prefix`, in capitals or not. Zero is none, and so is what has more than nine digits.
pub(crate) fn read(text: &str, prefix: &str) -> Option<u32> {
    let given = text.get(..prefix.len()).filter(|given| given.eq_ignore_ascii_case(prefix))?;
    let digits = text.strip_prefix(given).filter(|digits| digits.len() <= 9)?;
    let number = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?;
    number.filter(|number| *number > 0)
}
