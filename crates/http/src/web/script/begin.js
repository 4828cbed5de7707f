// Begins.

document.documentElement.classList.add("scripted");
setClock(Number(document.body.dataset.now));
document.addEventListener("click", onCopy);
document.addEventListener("click", onClick);
document.addEventListener("submit", onSubmit);
document.addEventListener("keydown", onKey);
document.addEventListener("input", onInput);
document.addEventListener("pointerover", onPoint);
document.documentElement.addEventListener("pointerleave", onUnpoint);
document.addEventListener("focusout", () => setTimeout(letGo));
document.addEventListener("animationend", (event) => event.target.classList.remove("arrived"));
document.addEventListener("visibilitychange", () => (document.visibilityState === "hidden" ? source?.close() : follow()));
addEventListener("popstate", onBack);
addEventListener("online", () => source ?? knock());
addEventListener("offline", () => source && lost(source));
setInterval(tellTimes, 1000);
setInterval(watchSilence, 2000);
tellTimes();
dismissFlash();
follow();
