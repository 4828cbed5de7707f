// Follows the page that is shown: the server sends the regions that changed. What is lost by a break is asked for again.

let source = null;
let lastHeard = 0;
let offlineSince = null;
let retryTimer = null;
let retryMs = 500;

const SILENCE_MS = 10_000;
const KNOCK_MS = 5_000;

function regionsHere() {
  return [...document.querySelectorAll("[data-region]")];
}

/** Begins to follow what is shown now. */
function follow() {
  clearTimeout(retryTimer);
  source?.close();
  source = null;
  // A window that nobody sees follows nothing: browsers keep few connections to one server.
  if (document.visibilityState === "hidden" || !document.body.dataset.at) return;
  const have = regionsHere().map((region) => `${region.dataset.region}.${region.dataset.hash}`).join(",");
  const query = new URLSearchParams({ at: document.body.dataset.at, have });
  const mine = new EventSource(`/live?${query}`);
  source = mine;
  lastHeard = Date.now();
  mine.addEventListener("beat", (event) => heard(mine, event));
  mine.addEventListener("regions", (event) => {
    const told = heard(mine, event);
    if (told) take(told);
  });
  mine.addEventListener("trouble", (event) => {
    const told = heard(mine, event);
    if (told) showBanner(`${told.message} ${told.next}`);
  });
  mine.addEventListener("closing", () => lost(mine));
  mine.addEventListener("ended", (event) => {
    if (mine !== source) return;
    source.close();
    source = null;
    loggedOut(`You are logged out: ${JSON.parse(event.data).reason}.`);
  });
  mine.onerror = () => lost(mine);
}

function heard(from, event) {
  if (from !== source) return null;
  lastHeard = Date.now();
  retryMs = 500;
  const told = JSON.parse(event.data);
  setClock(told.now);
  if (offlineSince !== null || event.type === "regions") showBanner("");
  offlineSince = null;
  document.body.classList.remove("is-offline");
  setPulse("live", "live");
  return told;
}

/** Puts in what changed. */
function take(told) {
  if (told.title) document.title = `${told.title} · Baton`;
  for (const { id, hash, html } of told.regions) {
    const region = document.getElementById(`region-${id}`);
    if (!region) {
      // The page has grown a part that it had not: it is put together anew.
      visit(location.href, { push: false });
      return;
    }
    const wanted = document.createElement("template");
    wanted.innerHTML = html;
    morphChildren(region, wanted.content, (fresh) => fresh.classList.add("arrived"));
    region.dataset.hash = hash;
  }
  tellTimes();
  document.dispatchEvent(new Event("baton:changed"));
}

function lost(from) {
  if (from !== source) return;
  source.close();
  source = null;
  if (document.visibilityState === "hidden") return;
  if (offlineSince === null) {
    offlineSince = Date.now();
    document.body.classList.add("is-offline");
    setPulse("offline", "offline");
    const since = new Date(offlineSince).toLocaleTimeString();
    showBanner(`Offline since ${since}. What you see may be out of date; trying to get back.`);
  }
  retryTimer = setTimeout(knock, retryMs);
  retryMs = Math.min(retryMs * 2, 5000);
}

/** Finds out whether the server is there, and whether it still knows this browser. */
async function knock() {
  try {
    const answer = await fetch(document.body.dataset.at, { headers: { Accept: "text/html" }, redirect: "manual", signal: AbortSignal.timeout(KNOCK_MS) });
    if (answer.status === 401) {
      loggedOut("You are logged out.");
      return;
    }
  } catch {
    retryTimer = setTimeout(knock, retryMs);
    retryMs = Math.min(retryMs * 2, 5000);
    return;
  }
  follow();
}

/** Says why nothing comes any more, and looks now and then whether this browser is let in again. */
function loggedOut(why) {
  document.body.classList.add("is-offline");
  setPulse("offline", "logged out");
  showBanner(`${why} Run \`baton ticket\` and open the address that it prints.`);
  retryTimer = setTimeout(knock, 5000);
}

function setPulse(state, words) {
  const pulse = document.getElementById("pulse");
  if (!pulse || pulse.dataset.state === state) return;
  pulse.dataset.state = state;
  pulse.querySelector(".words").textContent = words;
}

function showBanner(text) {
  const banner = document.getElementById("offline");
  if (!banner || banner.textContent === text) return;
  banner.textContent = text;
  banner.hidden = text === "";
}

function watchSilence() {
  if (source && Date.now() - lastHeard > SILENCE_MS) lost(source);
}
