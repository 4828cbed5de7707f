// Holds lists still while somebody is at them. A list that a page marks with `data-still` neither loses nor moves an entry
// while the pointer or the focus is in it: what is gone stays, dimmed and out of reach, and what is new comes below. When they
// leave, it becomes what it should be, and so does what is around it. An entry that somebody has begun to answer waits for them.

/** The list that the mouse is in. A finger leaves no pointer behind. */
let pointedAt = null;

function isHeld(list) {
  return list === pointedAt || list.contains(document.activeElement);
}

/** Whether a region has a list that somebody is at. */
function holds(region) {
  return region.hasAttribute?.("data-region") && [...region.querySelectorAll("[data-still]")].some(isHeld);
}

/** Brings the lists of a region up to date as far as nothing moves, and keeps the rest for later. */
function morphHeld(region, to, grown) {
  const wanted = to.querySelectorAll("[data-still]");
  region.querySelectorAll("[data-still]").forEach((list, at) => morphList(list, wanted[at], grown));
  region.wanted = document.createElement("template");
  region.wanted.content.append(...[...to.childNodes].map((node) => document.importNode(node, true)));
}

function morphList(list, to, grown) {
  const wanted = new Map([...(to?.children ?? [])].map((child) => [child.id, child]));
  for (const entry of [...list.children]) {
    const now = wanted.get(entry.id);
    wanted.delete(entry.id);
    entry.inert = !now && !isWrittenIn(entry);
    if (now) morph(entry, now, grown);
    entry.classList.toggle("is-gone", !now);
  }
  for (const fresh of wanted.values()) inserted(list, fresh, null, grown);
}

/** Lets go of regions that nobody is at any more. */
function letGo() {
  for (const entry of document.querySelectorAll(".is-gone:not([inert])")) if (!isWrittenIn(entry)) entry.remove();
  for (const region of document.querySelectorAll("[data-region]")) {
    if (!region.wanted || holds(region)) continue;
    const { wanted } = region;
    delete region.wanted;
    morphChildren(region, wanted.content);
    tellTimes(region);
  }
}

function onPoint(event) {
  const list = event.pointerType === "mouse" ? event.target.closest?.("[data-still]") ?? null : null;
  if (list === pointedAt) return;
  pointedAt = list;
  letGo();
}

function onUnpoint() {
  pointedAt = null;
  letGo();
}
