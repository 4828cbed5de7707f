//! What is around every page: navigation, search, who you are, whether the page is live, and the feed beside it.

use axum::http::{HeaderMap, HeaderValue, header};
use baton_app::{
    Failure, Rights,
    commands::room::{Recent, RecentInput},
};
use maud::{DOCTYPE, Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::{
    assets,
    look::Look,
    page::{Page, Place, Region},
    pages::{delegate, keys},
    parts::{self, feed},
};
use crate::gate::Principal;

const THEME_COOKIE: &str = "baton_theme";
const FLASH_COOKIE: &str = "baton_flash";
/// How long a browser keeps a theme.
const THEME_SECONDS: u64 = 365 * 24 * 60 * 60;
/// Events in the feed.
const FEED_EVENTS: u32 = 30;

/// Dark, light, or as the machine has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Theme {
    #[default]
    Auto,
    Light,
    Dark,
}

impl Theme {
    pub(super) fn named(name: &str) -> Self {
        match name {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::Auto,
        }
    }

    pub(super) fn of(headers: &HeaderMap) -> Self {
        cookie(headers, THEME_COOKIE).map(|name| Self::named(&name)).unwrap_or_default()
    }

    pub(super) fn cookie(self) -> HeaderValue {
        let name = self.as_str();
        let text = format!("{THEME_COOKIE}={name}; HttpOnly; SameSite=Strict; Path=/; Max-Age={THEME_SECONDS}");
        HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""))
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The next one, when somebody presses the button.
    const fn next(self) -> Self {
        match self {
            Self::Auto => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::Auto,
        }
    }
}

/// What is said once, on the next page.
#[derive(Clone, Debug)]
pub(super) struct Flash(String);

impl Flash {
    pub(super) fn done(text: String) -> Self {
        Self(text)
    }

    pub(super) fn cookie(&self) -> HeaderValue {
        let text = utf8_percent_encode(&self.0, NON_ALPHANUMERIC);
        let text = format!("{FLASH_COOKIE}={text}; HttpOnly; SameSite=Strict; Path=/; Max-Age=30");
        HeaderValue::from_str(&text).unwrap_or_else(|_| Self::forgotten())
    }

    /// Has the browser forget it.
    pub(super) fn forgotten() -> HeaderValue {
        HeaderValue::from_static("baton_flash=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0")
    }
}

/// What the frame of a page shows that the page itself does not know.
pub(super) struct Frame {
    theme: Theme,
    pub(super) flash: Option<Flash>,
    who: String,
    rights: Rights,
    /// Whether it is a browser that logged in, and so can log out.
    can_leave: bool,
}

impl Frame {
    pub(super) fn of(headers: &HeaderMap, principal: &Principal) -> Self {
        let flash = cookie(headers, FLASH_COOKIE).filter(|text| !text.is_empty()).map(Flash);
        Self {
            theme: Theme::of(headers),
            flash,
            who: principal.name().to_owned(),
            rights: principal.rights(),
            can_leave: principal.is_browser(),
        }
    }
}

fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = pairs.find(|(key, _)| *key == name)?;
    percent_decode_str(value).decode_utf8().ok().map(|text| text.into_owned())
}

/// The regions of a page, and those that every page has.
pub(super) fn regions(look: &Look<'_>, page: Page) -> Result<Vec<Region>, Failure> {
    let recent = look.ask::<Recent>(RecentInput { room_id: page.room.clone(), limit: Some(FEED_EVENTS) })?;
    let nav = Region::new("nav", navigation(look, page.place)?);
    let feed = Region::new("feed", feed::feed(look, &recent, page.room.as_ref()));
    Ok([nav, feed].into_iter().chain(page.regions).collect())
}

/// A whole document.
pub(super) fn document(look: &Look<'_>, frame: &Frame, page: Page) -> Result<Markup, Failure> {
    let (title, conversation) = (page.title.clone(), page.conversation);
    let lead = html! { (page.lead) };
    let panel = delegate::panel(look)?;
    let narrow = conversation || panel.is_some();
    let regions = regions(look, page)?;
    let (frames, content) = regions.split_at(2);
    let room = |region: &Region, tag: Markup| {
        html! {
            div id={ "region-" (region.id) } data-region=(region.id) data-hash=(region.fingerprint()) { (tag) }
        }
    };
    let body = html! {
        a.skip href="#main" { "Skip to the content" }
        header.top {
            a.brand href="/" aria-label="Baton, what needs you" { img src=(assets::icon()) alt="" width="22" height="22"; span { "Baton" } }
            (room(&frames[0], html! { (frames[0].html) }))
            form.find action="/search" method="get" role="search" {
                label.hidden for="find" { "Search everything" }
                input id="find" type="search" name="q" placeholder="Search  /" autocomplete="off" value=[look.at.query("q")];
            }
            p.pulse id="pulse" data-state="still" role="status" { span.dot aria-hidden="true" {} span.words { "not live" } }
            form.theme method="post" action="/theme" {
                input type="hidden" name="_back" value=(look.at.address());
                input type="hidden" name="theme" value=(frame.theme.next().as_str());
                button type="submit" title={ "Colours: " (frame.theme.as_str()) ". Press to change." } aria-label={ "Colours: " (frame.theme.as_str()) ", change" } { "◐" }
            }
            p.who title="Who you are here" { bdi { (frame.who) } @if frame.rights < Rights::Operator { " " span.badge { "can look, not act" } } }
            @if frame.can_leave { form.leave method="post" action="/logout" { button type="submit" { "Log out" } } }
        }
        div.banner id="offline" hidden role="alert" {}
        div.frame {
            main id="main" tabindex="-1" {
                @if let Some(Flash(text)) = &frame.flash { p.flash id="flash" role="status" { (text) } }
                @else { p.flash id="flash" role="status" hidden {} }
                div.head { h1 { (title) } (lead) }
                noscript { p.notice { "Live updates need scripts. Without them everything works; " a href=(look.at.address()) { "reload" } " to see what is new." } }
                @for region in content { (room(region, html! { (region.html) })) }
            }
            aside.side aria-label="What happens" { (room(&frames[1], html! { (frames[1].html) })) }
            @if let Some(panel) = panel { (panel) }
        }
        (keys::dialog())
    };
    Ok(html! {
        (DOCTYPE)
        html lang="en" data-theme=(frame.theme.as_str()) {
            (head(&title))
            body data-at=(look.at.address()) data-now=(look.now.as_millis()) data-side=[narrow.then_some("strip")] { (body) }
        }
    })
}

/// A document for somebody who sees no page: strangers, and those who were refused.
pub(super) fn plain(theme: Theme, title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" data-theme=(theme.as_str()) {
            (head(title))
            body.plain { main id="main" { h1 { (title) } (body) } }
        }
    }
}

fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) " · Baton" }
            link rel="icon" href=(assets::icon()) type="image/svg+xml";
            link rel="stylesheet" href=(assets::style());
            script src=(assets::script()) type="module" {}
        }
    }
}

/// The entries of the navigation, with their keys.
const ENTRIES: [(Place, &str, &str, &str); 6] = [
    (Place::Now, "/", "Now", "n"),
    (Place::Rooms, "/rooms", "Rooms", "r"),
    (Place::Jobs, "/jobs", "Jobs", "j"),
    (Place::Agents, "/agents", "Agents", "a"),
    (Place::Approvals, "/approvals", "Approvals", "p"),
    (Place::Doctor, "/doctor", "Doctor", "d"),
];

fn navigation(look: &Look<'_>, here: Place) -> Result<Markup, Failure> {
    let counts = parts::counts(look)?;
    Ok(html! {
        nav aria-label="Pages" {
            @for (place, address, name, key) in ENTRIES {
                a href=(address) data-go=(key) aria-current=[(place == here).then_some("page")] {
                    (name)
                    @if let Some(count) = counts.of(place) { " " span.count aria-label={ (count) " waiting" } { (count) } }
                }
            }
        }
    })
}
