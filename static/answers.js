// An answer as it is written, on pages that ask for one. After muniment.js, whose `reopen` and `complain` it uses.
"use strict";

// A page that can follow an answer is shown at once; without this file it comes once the answer is complete. Until the page
// comes its question is not sent again. The browser says nothing of its own “Stop”, so after a while it can be.
const UNDER_WAY = 15_000; // milliseconds
const shut = (form) => form.querySelectorAll("button").forEach((button) => (button.disabled = true));
document.addEventListener("submit", (event) => {
  const { target: form, defaultPrevented } = event;
  if (!("follows" in form.dataset) || defaultPrevented) return;
  if (form.querySelector("button:disabled")) return event.preventDefault();
  if (!form.elements.live) form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "live", value: "yes" }));
  setTimeout(shut, 0, form);
  setTimeout(reopen, UNDER_WAY);
});

// What stands between two fences is code; the fences themselves are not shown.
const drafts = new WeakMap(); // as they were written
const drawn = (text) =>
  text.split(/^ {0,3}```.*\n?/m).map((part, n) => (n % 2 ? Object.assign(document.createElement("code"), { textContent: part }) : part));

const handlers = {
  understood({ html }, article) {
    article.querySelector(".understood-as")?.remove();
    article.querySelector(".question").insertAdjacentHTML("afterend", html);
  },
  retrieved({ html }, article) {
    article.querySelector(".reading:not(.understood-as)").outerHTML = html;
  },
  token({ text }, article) {
    const draft = article.querySelector(".draft");
    drafts.set(draft, (drafts.get(draft) ?? draft.textContent) + text);
    draft.replaceChildren(...drawn(drafts.get(draft)));
  },
  finished({ html }, article) {
    const hasFocus = article.contains(document.activeElement); // on “Stop”, which goes away
    article.outerHTML = html;
    if (hasFocus) Object.assign(document.getElementById(article.id), { tabIndex: -1 }).focus();
  },
};

// What cannot be followed any more is shown as it is now, once the server answers: a proxy that waits for it has only an
// error to show, in place of the conversation and of what was typed.
async function showAgain() {
  const { status } = await fetch(location.href, { method: "HEAD" }).catch(() => ({ status: 503 }));
  if (status < 500) return location.reload();
  complain(AWAY);
  setTimeout(showAgain, 3000);
}

// A connection that breaks is made again by the browser, which says how much of the draft it has.
for (const article of document.querySelectorAll("[data-events]")) {
  const events = new EventSource(article.dataset.events);
  for (const [name, handle] of Object.entries(handlers)) {
    events.addEventListener(name, ({ data }) => {
      if (name === "finished") events.close();
      handle(JSON.parse(data), article);
    });
  }
  let missed = 0; // how often in a row it could not be made again
  events.addEventListener("open", () => {
    if (missed > 1) complain("");
    missed = 0;
  });
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) setTimeout(showAgain, 3000);
    else if (++missed === 2) complain(AWAY);
  });
}
