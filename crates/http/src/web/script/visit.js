// Goes from page to page, and sends forms, without loading everything anew.

/** Counts pages that were gone to: an answer that comes after the next one was asked for is not shown. */
let visits = 0;
/** The address that is shown, without what leads within a page. */
let shownAt = location.pathname + location.search;

/** Shows the page at an address. Without a server one stays where one is: there is nothing to be seen elsewhere. */
async function visit(address, { push = true } = {}) {
  const mine = ++visits;
  let answer;
  try {
    answer = await fetch(address, { headers: { Accept: "text/html" } });
  } catch {
    if (source) lost(source);
    return;
  }
  if (mine === visits) await show(answer, push);
}

/** Shows an answer. What is no page of ours is left to the browser. */
async function show(answer, push) {
  const mine = ++visits;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (mine !== visits) return;
  if (!page.body.dataset.at) {
    location.href = answer.url;
    return;
  }
  if (push && answer.url !== location.href) history.pushState(null, "", answer.url);
  shownAt = location.pathname + location.search;
  document.title = page.title;
  const samePath = document.body.dataset.at?.split("?")[0] === page.body.dataset.at.split("?")[0];
  // Another page has nothing of this one, not even what looks the same.
  if (!samePath) document.getElementById("main")?.replaceChildren();
  morphAttributes(document.documentElement, page.documentElement);
  document.documentElement.classList.add("scripted");
  morphAttributes(document.body, page.body);
  morphChildren(document.body, page.body);
  const find = document.getElementById("find");
  if (find && find !== document.activeElement) find.value = find.defaultValue;
  setClock(Number(page.body.dataset.now));
  tellTimes();
  dismissFlash();
  if (!samePath) {
    scrollTo(0, 0);
    document.getElementById("main")?.focus({ preventScroll: true });
  }
  setPulse("still", "connecting");
  follow();
  document.dispatchEvent(new Event("baton:changed"));
}

/** Sends a form. What is refused is said beside it, and nothing that was typed is lost. */
async function send(form, submitter) {
  const body = new URLSearchParams(new FormData(form, submitter));
  const address = submitter?.getAttribute("formaction") ?? form.getAttribute("action");
  const buttons = [...form.querySelectorAll("button")];
  for (const button of buttons) button.disabled = true;
  try {
    const answer = await fetch(address, { method: "POST", body, headers: { Accept: "text/html" } });
    if (answer.ok) {
      isDone(form);
      await show(answer, true);
      return;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const refusal = page.getElementById("refusal");
    refusal?.removeAttribute("id");
    complain(form, refusal ? document.importNode(refusal, true) : notice(`The server answered ${answer.status}.`));
    // It keeps what was typed, and takes the rest from the page as it is now.
    form.dataset.dirty = "";
    form.dataset.refused = "";
    const region = form.closest("[data-region]");
    if (region) region.dataset.hash = "";
    follow();
  } catch {
    complain(form, notice("The server cannot be reached. Nothing was sent; try again when it is back."));
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

/** Leaves a form as it was before somebody filled it in. */
function isDone(form) {
  form.reset();
  delete form.dataset.dirty;
  delete form.dataset.refused;
  form.querySelector(".notice")?.remove();
  form.closest("details.act")?.removeAttribute("open");
  if (form.contains(document.activeElement)) document.activeElement.blur();
}

function complain(form, words) {
  form.querySelector(".notice")?.remove();
  form.append(words);
}

function notice(text) {
  const words = document.createElement("p");
  words.className = "notice";
  words.setAttribute("role", "alert");
  words.textContent = text;
  return words;
}

let flashTimer = null;

/** Takes away after a while what is said once. */
function dismissFlash() {
  clearTimeout(flashTimer);
  const flash = document.getElementById("flash");
  if (flash && !flash.hidden) flashTimer = setTimeout(() => (flash.hidden = true), 8000);
}

function onClick(event) {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.target || link.origin !== location.origin || link.hasAttribute("download")) return;
  const anchor = link.hash && link.pathname === location.pathname && link.search === location.search;
  if (anchor || /^\/(v1|openapi|metrics|healthz|static|raw)/.test(link.pathname)) return;
  event.preventDefault();
  visit(link.href);
}

function onBack() {
  // A step within a page is the browser's own.
  if (location.pathname + location.search !== shownAt) visit(location.href, { push: false });
}

function onSubmit(event) {
  const form = event.target;
  const method = form.getAttribute("method");
  if (method === "dialog") return;
  event.preventDefault();
  if (method === "post") {
    send(form, event.submitter);
    return;
  }
  const query = new URLSearchParams(new FormData(form, event.submitter));
  for (const [name, value] of [...query]) if (value === "") query.delete(name);
  visit(`${form.getAttribute("action") ?? location.pathname}?${query}`);
}

function onInput(event) {
  const form = event.target.closest?.("form[method=post]");
  if (!form) return;
  if ([...form.elements].some(isFilledIn)) form.dataset.dirty = "";
  else delete form.dataset.dirty;
}

/** Whether a field says something else than when the page came. */
function isFilledIn(field) {
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field.options) return field.selectedIndex !== Math.max(0, [...field.options].findIndex((option) => option.defaultSelected));
  return field.type !== "hidden" && field.defaultValue !== undefined && field.value !== field.defaultValue;
}
