// Makes what is on the page into what it should be, touching only what differs: what a person has typed, opened, marked or
// scrolled stays, and nothing moves away from under them.

/** Classes that this script puts on elements, and no server. */
const OWN_CLASSES = ["arrived", "row-marked", "is-over"];

/** Whether two nodes are the same thing, perhaps changed. */
function isSame(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName && (one.id ?? "") === (other.id ?? "");
}

/** Attributes that a person changes, or the script for them, and so no server. */
function isPersons(element, name) {
  if (name === "open") return element.nodeName === "DETAILS" || element.nodeName === "DIALOG";
  return name === "data-dirty" || name === "data-refused" || (name === "tabindex" && element.hasAttribute("data-row"));
}

function morphAttributes(from, to) {
  const own = OWN_CLASSES.filter((name) => from.classList.contains(name));
  for (const { name, value } of to.attributes) {
    if (!isPersons(from, name) && from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !isPersons(from, name)) from.removeAttribute(name);
  }
  if (own.length > 0) from.classList.add(...own);
}

/** Makes the children of `from` those of `to`. `grown` is told of elements that are new. */
function morphChildren(from, to, grown) {
  if (holds(from)) {
    morphHeld(from, to, grown);
    return;
  }
  delete from.wanted;
  const wantedIds = new Set([...to.children].map((child) => child.id).filter(Boolean));
  const byId = new Map();
  for (const child of from.children) if (child.id) byId.set(child.id, child);
  let here = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    const known = wanted.id ? byId.get(wanted.id) : undefined;
    // What goes is taken out, so that what stays need not be moved, and keeps the focus.
    while (known && here && here !== known && here.id && !wantedIds.has(here.id)) here = removed(here);
    if (known && known !== here) {
      moved(from, known, here);
      here = known;
    }
    if (here && isSame(here, wanted)) {
      const next = here.nextSibling;
      morph(here, wanted, grown);
      here = next;
    } else {
      inserted(from, wanted, here, grown);
    }
  }
  while (here) here = removed(here);
}

/** Takes a node out, unless somebody is writing there, and gives the one after it. */
function removed(node) {
  const next = node.nextSibling;
  if (isWrittenIn(node)) node.classList.add("is-gone");
  else node.remove();
  return next;
}

/** Whether somebody has begun to fill something in here: an entry that is gone meanwhile is not taken from under them. */
function isWrittenIn(entry) {
  return entry.hasAttribute?.("data-row") && [...entry.querySelectorAll("form")].some(isBegun);
}

function inserted(parent, wanted, before, grown) {
  const fresh = document.importNode(wanted, true);
  parent.insertBefore(fresh, before);
  if (fresh.nodeType === Node.ELEMENT_NODE && fresh.id) grown?.(fresh);
}

/** Moves an element to another place, with the focus that may be in it. */
function moved(parent, element, before) {
  if (parent.moveBefore) {
    parent.moveBefore(element, before);
    return;
  }
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  parent.insertBefore(element, before);
  focused?.focus({ preventScroll: true });
}

/** Makes `from` into `to`. */
function morph(from, to, grown) {
  if (from.nodeType !== Node.ELEMENT_NODE) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
    return;
  }
  if (from.nodeName === "NOSCRIPT") return;
  // What somebody is writing is theirs, and so is a form that they have begun to fill in.
  if (from.nodeName === "FORM" && isBegun(from)) {
    if (from.dataset.refused !== undefined) morphHidden(from, to);
    return;
  }
  if (from.nodeName === "TIME" && from.getAttribute("datetime") === to.getAttribute("datetime")) return;
  morphAttributes(from, to);
  morphChildren(from, to, grown);
}

function isBegun(form) {
  if (form.dataset.dirty !== undefined) return true;
  return form.contains(document.activeElement) && document.activeElement.matches("input, textarea, select");
}

/** Brings up to date what a form sends unseen, when what it sent before was refused. */
function morphHidden(from, to) {
  for (const field of to.querySelectorAll("input[type=hidden]")) {
    const known = from.querySelector(`input[type=hidden][name="${CSS.escape(field.name)}"]`);
    if (known) known.value = field.value;
  }
}
