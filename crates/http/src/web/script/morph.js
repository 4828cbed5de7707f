// Makes what is on the page into what it should be, touching only what differs: what a person has typed, opened, marked or
// scrolled stays.

/** Whether two elements are the same thing, perhaps changed. */
function isSame(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName && (one.id ?? "") === (other.id ?? "");
}

/** Attributes that a person changes, and so no server. */
function isPersons(element, name) {
  return (name === "open" && (element.nodeName === "DETAILS" || element.nodeName === "DIALOG")) || name === "data-dirty";
}

function morphAttributes(from, to) {
  for (const { name, value } of to.attributes) {
    if (!isPersons(from, name) && from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !isPersons(from, name) && !(name === "class" && from.classList.contains("arrived"))) from.removeAttribute(name);
  }
}

/** Makes the children of `from` those of `to`. `grown` is told of elements that are new. */
function morphChildren(from, to, grown) {
  const byId = new Map();
  for (const child of from.children) if (child.id) byId.set(child.id, child);
  let here = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    const known = wanted.id ? byId.get(wanted.id) : undefined;
    if (known && known !== here) {
      from.insertBefore(known, here);
      here = known;
    }
    if (here && isSame(here, wanted)) {
      const next = here.nextSibling;
      morph(here, wanted, grown);
      here = next;
    } else {
      const fresh = document.importNode(wanted, true);
      from.insertBefore(fresh, here);
      if (fresh.nodeType === Node.ELEMENT_NODE && fresh.id) grown?.(fresh);
    }
  }
  while (here) {
    const next = here.nextSibling;
    here.remove();
    here = next;
  }
}

/** Makes `from` into `to`. */
function morph(from, to, grown) {
  if (from.nodeType !== Node.ELEMENT_NODE) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
    return;
  }
  // What somebody is writing is theirs, and so is a form that they have begun to fill in.
  if (from.nodeName === "FORM" && (from.dataset.dirty !== undefined || from.contains(document.activeElement) && document.activeElement.matches("input,textarea,select"))) return;
  if (from.nodeName === "TIME" && from.getAttribute("datetime") === to.getAttribute("datetime")) return;
  morphAttributes(from, to);
  morphChildren(from, to, grown);
}
