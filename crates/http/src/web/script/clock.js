// Keeps times current by the server's clock.

let clockAhead = 0;

/** Takes the server's time. */
function setClock(now) {
  if (typeof now === "number") clockAhead = now - Date.now();
}

function serverNow() {
  return Date.now() + clockAhead;
}

const two = (number) => String(number).padStart(2, "0");

/** A span as people say it: the same words as the server's. */
function spanWords(ms) {
  const all = Math.floor(ms / 1000);
  const [d, h, m, s] = [Math.floor(all / 86400), Math.floor(all / 3600) % 24, Math.floor(all / 60) % 60, all % 60];
  if (d) return h ? `${d}d ${h}h` : `${d}d`;
  if (h) return m ? `${h}h ${two(m)}m` : `${h}h`;
  if (m) return s ? `${m}m ${two(s)}s` : `${m}m`;
  return `${s}s`;
}

/** The same without the seconds of what is longer than a minute: what is past need not be watched. */
function roughWords(ms) {
  return spanWords(ms < 60_000 ? ms : ms - (ms % 60_000));
}

function tellTimes(root = document) {
  const now = serverNow();
  for (const time of root.querySelectorAll("time[data-ago]")) {
    const ms = now - Number(time.dataset.ago);
    setWords(time, ms < 1000 ? "just now" : `${roughWords(ms)} ago`);
  }
  for (const time of root.querySelectorAll("time[data-until]")) {
    const ms = Number(time.dataset.until) - now;
    setWords(time, ms > 0 ? `${spanWords(ms)} left` : `over for ${spanWords(-ms)}`);
    time.classList.toggle("is-over", ms <= 0);
  }
}

function setWords(element, words) {
  if (element.textContent !== words) element.textContent = words;
}
