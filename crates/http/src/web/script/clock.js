// Keeps times current by the server's clock.

let clockAhead = 0;

/** Takes the server's time. */
function setClock(now) {
  if (typeof now === "number") clockAhead = now - Date.now();
}

function serverNow() {
  return Date.now() + clockAhead;
}

/** A span as people say it: the same words as the server's. */
function spanWords(ms) {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return minutes < 10 && seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  const days = Math.floor(hours / 24);
  return hours % 24 ? `${days} d ${hours % 24} h` : `${days} d`;
}

function tellTimes(root = document) {
  const now = serverNow();
  for (const time of root.querySelectorAll("time[data-ago]")) {
    const ms = now - Number(time.dataset.ago);
    setWords(time, ms < 1000 ? "just now" : `${spanWords(ms)} ago`);
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
