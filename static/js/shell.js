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

  document.addEventListener("htmx:beforeRequest", (event) => {
    event.detail.target?.setAttribute("aria-busy", "true");
    say("");
  });
  document.addEventListener("htmx:afterRequest", (event) => event.detail.target?.removeAttribute("aria-busy"));
  document.addEventListener("htmx:sendError", () => say("The server cannot be reached. Try again in a few seconds."));
  document.addEventListener("htmx:load", (event) => show(event.detail.elt));
  document.addEventListener("DOMContentLoaded", () => show(document));
})();
