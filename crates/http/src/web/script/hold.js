// Holds lists still while somebody is at them. A list that a page marks with `data-hold` neither loses nor moves an entry
// while the pointer or the focus is in it: what is gone stays, dimmed and out of reach, and what is new comes below. When they
// leave, it becomes what it should be.

/** The list that the mouse is in. A finger leaves no pointer behind. */
let pointedAt = null;

function isHeld(element) {
  return element.hasAttribute?.("data-hold") && (element === pointedAt || element.contains(document.activeElement));
}

/** Brings a held list up to date as far as nothing moves. */
function morphHeld(from, to, grown) {
  const wanted = new Map([...to.children].map((child) => [child.id, child]));
  for (const child of [...from.children]) {
    const now = wanted.get(child.id);
    wanted.delete(child.id);
    if (now) {
      child.classList.remove("is-gone");
      child.inert = false;
      morph(child, now, grown);
    } else {
      child.classList.add("is-gone");
      child.inert = true;
    }
  }
  for (const fresh of wanted.values()) inserted(from, fresh, null, grown);
  from.wanted = to.cloneNode(true);
}

/** Lets go of lists that nobody is at any more. */
function letGo() {
  for (const list of document.querySelectorAll("[data-hold]")) {
    if (!list.wanted || isHeld(list)) continue;
    const { wanted } = list;
    delete list.wanted;
    morphChildren(list, wanted);
    tellTimes(list);
  }
}

function onPoint(event) {
  const list = event.pointerType === "mouse" ? event.target.closest?.("[data-hold]") ?? null : null;
  if (list === pointedAt) return;
  pointedAt = list;
  letGo();
}

function onUnpoint() {
  pointedAt = null;
  letGo();
}
