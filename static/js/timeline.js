// Marks the event whose state is shown, after the panel was swapped. Everything works without this file.
"use strict";

(() => {
  const select = () => {
    const panel = document.getElementById("state");
    if (!panel) return;
    const chosen = panel.dataset.seq === "" ? null : document.getElementById(`e${panel.dataset.seq}`);
    for (const entry of document.querySelectorAll(".entry.is-selected")) {
      if (entry === chosen) continue;
      entry.classList.remove("is-selected");
      entry.removeAttribute("aria-current");
    }
    if (chosen) {
      chosen.classList.add("is-selected");
      chosen.setAttribute("aria-current", "true");
    }
  };
  document.addEventListener("htmx:afterSettle", select);
})();
