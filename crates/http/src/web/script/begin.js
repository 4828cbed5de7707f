// Begins.

document.documentElement.classList.add("scripted");
setClock(Number(document.body.dataset.now));
document.addEventListener("click", onCopy);
document.addEventListener("click", onClick);
document.addEventListener("submit", onSubmit);
document.addEventListener("keydown", onKey);
document.addEventListener("input", (event) => {
  const form = event.target.closest?.("form[method=post]");
  if (form) form.dataset.dirty = "";
});
document.addEventListener("visibilitychange", () => (document.visibilityState === "hidden" ? source?.close() : follow()));
addEventListener("popstate", () => visit(location.href, { push: false }));
addEventListener("online", () => source ?? knock());
addEventListener("offline", () => source && lost(source));
setInterval(tellTimes, 1000);
setInterval(watchSilence, 2000);
tellTimes();
follow();
