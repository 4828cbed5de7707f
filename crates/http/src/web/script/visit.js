// Goes from page to page, and sends forms, without loading everything anew. Whatever goes wrong is left to the browser.

/** Shows the page at an address. */
async function visit(address, { push = true } = {}) {
  try {
    const answer = await fetch(address, { headers: { Accept: "text/html" } });
    await show(answer, push);
  } catch {
    location.href = address;
  }
}

/** Shows an answer. Tells whether it was a page. */
async function show(answer, push) {
  const text = await answer.text();
  const page = new DOMParser().parseFromString(text, "text/html");
  if (!page.body.dataset.at) {
    location.href = answer.url;
    return;
  }
  if (push && answer.url !== location.href) history.pushState(null, "", answer.url);
  document.title = page.title;
  const samePath = document.body.dataset.at?.split("?")[0] === page.body.dataset.at.split("?")[0];
  morphAttributes(document.documentElement, page.documentElement);
  document.documentElement.classList.add("scripted");
  for (const form of document.querySelectorAll("main form[data-dirty], .panel form[data-dirty]")) if (!samePath) delete form.dataset.dirty;
  morphAttributes(document.body, page.body);
  morphChildren(document.body, page.body);
  setClock(Number(page.body.dataset.now));
  tellTimes();
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
  const buttons = [...form.querySelectorAll("button")];
  for (const button of buttons) button.disabled = true;
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" } });
    if (answer.ok) {
      delete form.dataset.dirty;
      document.activeElement?.blur();
      await show(answer, true);
      return;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const refusal = page.getElementById("refusal");
    form.querySelector(".notice")?.remove();
    if (refusal) {
      refusal.removeAttribute("id");
      form.prepend(document.importNode(refusal, true));
    }
  } catch {
    form.querySelector(".notice")?.remove();
    const notice = document.createElement("p");
    notice.className = "notice";
    notice.setAttribute("role", "alert");
    notice.textContent = "The server cannot be reached. Nothing was sent; try again when it is back.";
    form.prepend(notice);
  } finally {
    for (const button of buttons) button.disabled = false;
  }
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

function onSubmit(event) {
  const form = event.target;
  if (form.method === "dialog") return;
  event.preventDefault();
  if (form.method === "get") {
    const query = new URLSearchParams(new FormData(form, event.submitter));
    for (const [name, value] of [...query]) if (value === "") query.delete(name);
    visit(`${form.getAttribute("action") ?? location.pathname}?${query}`);
    return;
  }
  send(form, event.submitter);
}
