// Keys: `/`, `?`, j and k, g and a letter, e, Escape, and Ctrl with Enter.

let pendingGo = 0;
let marked = null;

/** What j and k go through: the rows and cards of the page. */
function rows() {
  return [...document.querySelectorAll("main [data-row]")].filter((row) => row.offsetParent !== null);
}

function mark(row) {
  marked?.classList.remove("row-marked");
  marked = row;
  if (!row) return;
  row.classList.add("row-marked");
  if (!row.hasAttribute("tabindex")) row.setAttribute("tabindex", "-1");
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

function step(by) {
  const all = rows();
  if (all.length === 0) return;
  const focused = document.activeElement?.closest?.("[data-row]");
  const at = all.indexOf(focused ?? marked);
  mark(all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by))]);
}

/** The first field or button of a row that can be reached. */
function firstToDo(row) {
  const all = row?.querySelectorAll("textarea, input:not([type=hidden]), select, button:not(.copy), details.act > summary") ?? [];
  return [...all].find((one) => one.checkVisibility());
}

/** Whether keys belong to something that is being filled in. */
function isTyping(target) {
  return target.matches?.("input, textarea, select, [contenteditable]");
}

function onKey(event) {
  // A field of several lines takes Enter for itself.
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches?.("textarea")) {
    event.preventDefault();
    event.target.form?.requestSubmit();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const { key, target } = event;
  if (key === "Escape") {
    const row = target.closest?.("[data-row]");
    if (isTyping(target) && row) mark(row);
    else if (isTyping(target)) target.blur();
    else document.querySelector(".panel [data-close]")?.click();
    return;
  }
  if (isTyping(target) || document.querySelector("dialog[open]")) return;
  if (Date.now() - pendingGo < 1500) {
    pendingGo = 0;
    const link = document.querySelector(`a[data-go="${CSS.escape(key)}"]`);
    if (link) {
      event.preventDefault();
      link.click();
    }
    return;
  }
  const row = document.activeElement?.closest?.("[data-row]") ?? (marked?.isConnected ? marked : null);
  const done = {
    "/": () => document.getElementById("find")?.focus(),
    "?": () => document.getElementById("keys")?.showModal(),
    g: () => (pendingGo = Date.now()),
    j: () => step(1),
    k: () => step(-1),
    e: () => firstToDo(row)?.focus(),
    Enter: () => (target === row ? row?.querySelector("a[href]")?.click() : undefined),
  }[key];
  if (!done || (key === "Enter" && target !== row)) return;
  event.preventDefault();
  done();
}
