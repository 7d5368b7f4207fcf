// What a keyboard needs, and parts that are asked for anew. Every page works without this file.
"use strict";

const box = () => document.getElementById("Query");
const OPEN = ".cite:is(:hover, :focus-within)"; // whose card shows the quotation

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.isComposing || event.keyCode === 229) return; // of an input method; Safari's last Enter says so by its code alone
  const typing = event.target.closest("input:not([type=radio],[type=checkbox]), textarea, select");
  if (event.key === "/" && !typing && box()) {
    event.preventDefault();
    box().focus();
    box().select();
  }
  if (event.key === "Escape") document.querySelectorAll(OPEN).forEach((cite) => cite.classList.add("closed"));
  if (event.key === "ArrowDown" || event.key === "ArrowUp") moveBetweenHits(event, typing);
  if (event.key === "Enter" && !event.shiftKey && event.target.matches("textarea#Query")) {
    event.preventDefault();
    event.target.form.requestSubmit();
  }
});

// A card that Escape closed opens again once its chip has been left.
for (const name of ["mouseover", "focusin"]) {
  document.addEventListener(name, () => {
    for (const cite of document.querySelectorAll(".cite.closed")) if (!cite.matches(OPEN)) cite.classList.remove("closed");
  });
}

function moveBetweenHits(event, typing) {
  const links = [...document.querySelectorAll(".hit h2 a")];
  const here = links.indexOf(document.activeElement);
  if (!links.length || (here < 0 && typing !== box()) || (typing && event.key === "ArrowUp")) return;
  event.preventDefault();
  const next = here + (event.key === "ArrowDown" ? 1 : -1);
  (next < 0 ? box() : links[Math.min(next, links.length - 1)]).focus();
}

// The list of sections shows which one is read: that of the line that was asked for, while it is seen; else the one at
// the top of the window, and at the end of the page the last.
const contents = document.querySelector(".reader .contents");
if (contents) {
  const named = ({ hash }) => {
    try {
      return decodeURIComponent(hash.slice(1));
    } catch {
      return hash.slice(1); // which anyone may write
    }
  };
  const links = new Map([...contents.querySelectorAll("a")].map((link) => [named(link), link]));
  const sections = [...document.querySelectorAll(".reader .text > section")].filter(({ id }) => links.has(id));
  const read = () => {
    const asked = document.getElementById(named(location));
    const { top, bottom } = (asked?.querySelector(".l") ?? asked)?.getBoundingClientRect() ?? {};
    if (top < innerHeight && bottom > 0) return asked.closest(".text > section");
    if (scrollY && scrollY + innerHeight >= document.documentElement.scrollHeight - 1) return sections.at(-1);
    return sections.findLast((section) => section.getBoundingClientRect().top <= innerHeight / 10) ?? sections[0];
  };
  const follow = () => {
    const link = links.get(read()?.id);
    if (!link || link.ariaCurrent) return;
    contents.querySelector("[aria-current]")?.removeAttribute("aria-current");
    link.setAttribute("aria-current", "location");
    if (contents.scrollHeight > contents.clientHeight) contents.scrollTop = link.offsetTop - contents.clientHeight / 2;
  };
  for (const name of ["scroll", "resize", "hashchange"]) addEventListener(name, () => requestAnimationFrame(follow), { passive: true });
  follow();
}

// The second click of a double click sends nothing: a token or an invitation was made twice, and one of them never seen.
const sentAt = new WeakMap();
document.addEventListener("submit", (event) => {
  const { target: form, submitter, timeStamp: now } = event;
  if ((submitter?.formMethod || form.method) !== "post" || event.defaultPrevented) return;
  if (now - sentAt.get(form) < 1000) event.preventDefault();
  else sentAt.set(form, now);
});

// A page that the browser kept, and shows again, takes what is sent.
const reopen = () => document.querySelectorAll("button[disabled]:not([data-shut])").forEach((button) => (button.disabled = false));
addEventListener("pageshow", reopen);

// What is to be sent to somebody is copied at once. A page without TLS has no `navigator.clipboard`.
for (const button of document.querySelectorAll("[data-copies]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    document.getElementById(button.dataset.copies).select();
    if (document.execCommand("copy")) button.textContent = "Copied";
  });
}

// What was searched on this device, for whoever uses it: newest first, forgotten at sign-out.
const recent = document.getElementById("Recent");
function remembered() {
  try {
    return JSON.parse(localStorage.getItem("recent")).filter(({ asked }) => asked);
  } catch {
    return []; // storage is closed or empty, or holds something else
  }
}
function remember(searches) {
  try {
    localStorage.setItem("recent", JSON.stringify(searches.slice(0, 8)));
  } catch {
    // storage is closed or full
  }
}
function forget() {
  remember([]);
  recent?.setAttribute("hidden", "");
}
document.querySelector("form[action$=logout]")?.addEventListener("submit", () => {
  forget();
  sessionStorage.clear();
});
if (recent && document.body.classList.contains("home") && remembered().length) {
  for (const { words, asked } of remembered()) {
    const link = Object.assign(document.createElement("a"), { href: `/search?${asked}`, textContent: words });
    const item = document.createElement("li");
    item.append(link);
    recent.querySelector("ul").append(item);
  }
  recent.hidden = false;
  recent.querySelector("button").addEventListener("click", forget);
  box().addEventListener("input", () => (recent.hidden = true), { once: true });
}

// Enter asks the reranker, a pause in the typing does not: what was just submitted is not searched again without it.
let submitted = null;
document.querySelector("form[role=search]")?.addEventListener("submit", ({ target: form }) => {
  submitted = box().value;
  const words = submitted.trim().slice(0, 200);
  const asked = new URLSearchParams(new FormData(form)).toString(); // where and how, too
  if (words) remember([{ words, asked }, ...remembered().filter((one) => one.words !== words)]);
});
box()?.addEventListener("htmx:confirm", (event) => {
  if (event.target === box() && box().value === submitted) event.preventDefault();
  else submitted = null;
});

// Back leads to the search before. While words are typed they stay one entry of the history, also once Enter ends them;
// more passages belong to their search.
let typing = false;
addEventListener("htmx:beforeHistoryUpdate", ({ detail: { history, requestConfig } }) => {
  const begins = !typing && !requestConfig.elt.matches(".more a") && history.path !== location.pathname + location.search;
  if (begins) history.type = "push";
  typing = requestConfig.elt === box();
});

// A search that a newer one replaces is no error: htmx would write it to the console as one.
let latest = null;
addEventListener("htmx:beforeRequest", ({ detail }) => (latest = detail));
addEventListener("htmx:abort", () => latest && (latest.error = ""), true);

// What was found takes the place of the start page. Who asked for more goes on at the first that is new.
addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target.id === "Results" && !document.querySelector("#Results .shelf")) document.body.classList.remove("home");
  const { elt } = detail.requestConfig;
  if (elt.matches(".more a")) document.querySelector(elt.hash)?.closest(".hit").querySelector("h2 a").focus();
});

// A page that is asked for again as its job goes on: what somebody typed or opened in it stays as it is.
if (window.Idiomorph) {
  Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, element) =>
    !(name === "open" || (name === "value" && element.matches("input:not([type=hidden]), textarea")));
}

// Only the part that was asked for is put into the page, a refusal within it too. What else comes is said; a log-in, once
// a session has ended, or the end of what is followed is shown whole.
const trouble = document.getElementById("Trouble");
function complain(text) {
  if (trouble.textContent !== text) trouble.textContent = text; // said once, however often it is asked again
}
addEventListener("htmx:beforeSwap", ({ detail }) => {
  const { status } = detail.xhr;
  detail.shouldSwap = detail.serverResponse.includes(`id="${detail.target.id}"`);
  detail.isError = !detail.shouldSwap && status >= 400;
  if (detail.shouldSwap) return complain("");
  if (status < 400 || (status < 500 && detail.target.id === "Live")) return location.reload();
  const page = new DOMParser().parseFromString(detail.serverResponse, "text/html");
  const said = page.querySelector("main .empty p")?.textContent ?? `The server could not answer (${status}).`;
  complain(`${said} What is shown here is from before.`);
});
const AWAY = "The server cannot be reached. What is shown here is from before.";
addEventListener("htmx:sendError", () => complain(AWAY));
addEventListener("htmx:timeout", () => complain("The server did not answer in time. What is shown here is from before."));

// --- reading: bring the cited lines into view, whatever section the address names ------------------
const cited = document.querySelector(".l.cited, tr.cited");
if (cited && !location.hash.startsWith("#L")) {
  addEventListener("load", () => cited.scrollIntoView({ block: "center" }));
}
