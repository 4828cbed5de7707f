//! A browser without scripts: it logs in, looks at pages and sends forms.

use baton_app::clock::Clock;
use baton_http::Admitted;
use form_urlencoded::Serializer;

use super::{Answer, Ask, World};

/// A browser that logged in.
pub(crate) struct Browser<'a> {
    world: &'a World,
    cookie: String,
}

impl<'a> Browser<'a> {
    pub(crate) async fn of(world: &'a World) -> Self {
        Self::admitted(world, Admitted::Owner).await
    }

    /// The same for somebody who may only look.
    pub(crate) async fn viewer(world: &'a World) -> Self {
        Self::admitted(world, Admitted::Viewer).await
    }

    async fn admitted(world: &'a World, admitted: Admitted) -> Self {
        let ticket = world.tickets().issue_for(admitted, world.clock.now()).unwrap();
        let answer = world.send(Ask::get(&format!("/login?ticket={}", ticket.reveal()))).await;
        let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        Self { world, cookie }
    }

    /// A page, which must be there.
    pub(crate) async fn page(&self, address: &str) -> Shown {
        let answer = self.get(address).await;
        assert_eq!(answer.status, 200, "{address}: {}", answer.text());
        Shown(answer.text())
    }

    pub(crate) async fn get(&self, address: &str) -> Answer {
        let accept = "text/html";
        self.world.send(Ask::get(address).header("Cookie", &self.cookie).header("Accept", accept)).await
    }

    /// Asks to follow a page.
    pub(crate) fn live(&self, address: &str) -> Ask {
        let query = Serializer::new(String::new()).append_pair("at", address).finish();
        Ask::get(&format!("/live?{query}")).header("Cookie", &self.cookie).stream()
    }

    pub(crate) async fn logs_out(&self) {
        let ask = Ask::post("/logout").header("Cookie", &self.cookie);
        let answer = self.world.send(ask.header("Origin", &format!("http://{}", self.world.host()))).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }

    /// Sends a form, as it is filled in.
    pub(crate) async fn submit(&self, command: &str, fields: &[(&str, &str)]) -> Answer {
        let body = Serializer::new(String::new()).extend_pairs(fields).finish();
        let ask = Ask::post(&format!("/do/{command}")).header("Cookie", &self.cookie);
        let ask = ask.header("Origin", &format!("http://{}", self.world.host()));
        let ask = ask.header("Content-Type", "application/x-www-form-urlencoded");
        self.world.send(ask.body(&body)).await
    }

    /// The same, of a form that must be taken.
    pub(crate) async fn does(&self, command: &str, fields: &[(&str, &str)]) {
        let answer = self.submit(command, fields).await;
        assert_eq!(answer.status, 303, "{command}: {}", answer.text());
    }
}

/// A page that came.
pub(crate) struct Shown(pub(crate) String);

impl Shown {
    /// What is within a region.
    pub(crate) fn region(&self, id: &str) -> &str {
        let begin = self.0.find(&format!("id=\"region-{id}\"")).unwrap_or_else(|| panic!("no region {id}"));
        let rest = &self.0[begin..];
        let end = rest[1..]
            .find("data-region=\"")
            .and_then(|first| rest[first + 2..].find("data-region=\"").map(|second| first + 2 + second));
        &rest[..end.unwrap_or(rest.len())]
    }

    /// The words of a region, as they are read: tags are gone, and white space is one space.
    pub(crate) fn words(&self, id: &str) -> String {
        words(self.region(id))
    }
}

/// The words of a piece of HTML.
pub(crate) fn words(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html.split_once('>').map_or("", |(_, rest)| rest);
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        // What stands in a line is one word with what is beside it.
        let inline = [
            "a ", "/a", "b", "/b", "span", "/span", "bdi", "/bdi", "code", "/code", "time", "/time", "button",
            "/button",
        ];
        if !inline.iter().any(|name| tag.starts_with(name)) {
            text.push(' ');
        }
        rest = tag.split_once('>').map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
