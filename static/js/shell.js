// What pages gain with scripts: copy buttons, and a word when something did not load. Everything works without this file.
"use strict";

(() => {
  const show = (root) => {
    if (!navigator.clipboard) return;
    for (const button of root.querySelectorAll("button.copy[hidden]")) button.hidden = false;
  };

  const say = (text) => {
    const notice = document.getElementById("notice");
    if (notice) notice.textContent = text;
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button.copy");
    if (!button) return;
    const source = button.dataset.copyFrom ? document.getElementById(button.dataset.copyFrom) : null;
    const text = source ? (source.value ?? source.textContent) : button.dataset.copy;
    try {
      await navigator.clipboard.writeText(text);
      say("Copied.");
    } catch {
      say("The browser did not let it be copied; select the text instead.");
    }
  });

  // By request, for an error changes the target on the way.
  const busy = new WeakMap();
  document.addEventListener("htmx:beforeRequest", (event) => {
    busy.set(event.detail.xhr, event.detail.target);
    event.detail.target?.setAttribute("aria-busy", "true");
    say("");
  });
  document.addEventListener("htmx:afterRequest", (event) => busy.get(event.detail.xhr)?.removeAttribute("aria-busy"));

  // htmx notes the address it is at, people's names in its query included, where it would outlive the page.
  const forget = () => {
    try {
      sessionStorage.removeItem("htmx-current-path-for-history");
    } catch {
      // No storage, nothing to forget.
    }
  };
  for (const name of ["DOMContentLoaded", "htmx:pushedIntoHistory", "htmx:replacedInHistory", "htmx:historyRestore"]) {
    document.addEventListener(name, forget);
  }
  document.addEventListener("htmx:sendError", () => say("The server cannot be reached. Try again in a few seconds."));
  document.addEventListener("htmx:load", (event) => show(event.detail.elt));
  document.addEventListener("DOMContentLoaded", () => show(document));
})();
