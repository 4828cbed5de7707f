//! Collisions: an agent wanted to go where another is, and both are still there.

use baton_core::{
    event::{Event, Recorded},
    ids::AgentId,
    scope::{self, Scopes},
};
use baton_store::{StoreError, engine::Tx, scopes};

use super::{Need, NeedKind, scene::Scene};
use crate::scope_events::Counts;

/// The collisions of late that are not over, each pair once.
pub(super) fn incursions(tx: &mut dyn Tx, scene: &Scene<'_>, recorded: &[Recorded]) -> Result<Vec<Need>, StoreError> {
    if recorded.is_empty() {
        return Ok(Vec::new());
    }
    let reserved = scopes::in_force(tx, &scene.room.id)?;
    let counts = Counts::read(tx, scene.room, recorded)?;
    let mut found: Vec<Need> = Vec::new();
    for recorded in recorded {
        let Event::Scope(scope::Event::Incursion(incursion)) = &recorded.event else { continue };
        let pair = (&incursion.incoming, &incursion.owner);
        if !(is_there(scene, pair.0) && is_there(scene, pair.1) && is_held(scene, &reserved, incursion)) {
            continue;
        }
        let known = found.iter_mut().find(|need| {
            need.who.agent_id == *pair.0 && need.other.as_ref().is_some_and(|owner| owner.agent_id == *pair.1)
        });
        let times = counts.of(recorded.seq);
        match known {
            Some(need) => need.count = need.count.map(|count| count.saturating_add(times)),
            None => found.push(Need { count: Some(times), ..need(scene, recorded, incursion) }),
        }
    }
    for need in &mut found {
        match need.count {
            Some(count) if count > 1 => need.words.push_str(&format!(" That was {count} times.")),
            _ => {}
        }
    }
    Ok(found)
}

fn need(scene: &Scene<'_>, recorded: &Recorded, incursion: &scope::Incursion) -> Need {
    let (who, owner) = (scene.whom(&incursion.incoming), scene.whom(&incursion.owner));
    let command = scene.command(&format!("tell {} 'What to do about {}'", who.name, incursion.owner_scope));
    Need {
        title: format!("{} wants {}", who.name, incursion.incoming_scope),
        words: format!("{} has reserved {}, and was there when {} came.", owner.name, incursion.owner_scope, who.name),
        other: Some(owner),
        command,
        ..scene.need(NeedKind::Incursion, recorded.at, recorded.seq, who)
    }
}

fn is_there(scene: &Scene<'_>, agent: &AgentId) -> bool {
    let member = scene.room.member(agent);
    member.is_some_and(|member| member.is_active(scene.now, &scene.room.policy, scene.eyes))
}

/// Whether what was in the way still is. A reservation that was extended has another number, and the same paths.
fn is_held(scene: &Scene<'_>, reserved: &Scopes, incursion: &scope::Incursion) -> bool {
    let mut own = reserved.of(&incursion.owner);
    own.any(|own| own.is_live(scene.now) && own.scope == incursion.owner_scope)
}
