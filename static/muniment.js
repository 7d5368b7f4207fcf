// What a keyboard, and an answer that is still being written, need. Every page works without this file.
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

// The list of sections shows which one stands at the top of the window.
const contents = document.querySelector(".reader .contents");
if (contents) {
  const links = new Map([...contents.querySelectorAll("a")].map((link) => [decodeURIComponent(link.hash.slice(1)), link]));
  const follow = (crossed) => {
    for (const { target, isIntersecting } of crossed) {
      const link = links.get(target.id);
      if (!isIntersecting || !link) continue;
      contents.querySelector("[aria-current]")?.removeAttribute("aria-current");
      link.setAttribute("aria-current", "location");
      if (contents.scrollHeight > contents.clientHeight) contents.scrollTop = link.offsetTop - contents.clientHeight / 2;
    }
  };
  const observer = new IntersectionObserver(follow, { rootMargin: "-10% 0px -90% 0px" });  // one line across the window
  for (const section of document.querySelectorAll(".reader .text > section")) observer.observe(section);
}

// The second click of a double click sends nothing: a token or an invitation was made twice, and one of them never seen.
const sentAt = new WeakMap();
document.addEventListener("submit", (event) => {
  const { target: form, submitter, timeStamp: now } = event;
  if ((submitter?.formMethod || form.method) !== "post" || event.defaultPrevented) return;
  if (now - sentAt.get(form) < 1000) event.preventDefault();
  else sentAt.set(form, now);
});

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
document.querySelector("form[action$=logout]")?.addEventListener("submit", forget);
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

// --- an answer as it is written ------------------------------------------------------------------

// A page that can follow an answer is shown at once; without this file it comes once the answer is complete. Until the page
// comes its question is not sent again. The browser says nothing of its own “Stop”, so after a while it can be.
const UNDER_WAY = 15_000; // milliseconds
const shut = (form) => form.querySelectorAll("button").forEach((button) => (button.disabled = true));
const reopen = () => document.querySelectorAll("button[disabled]:not([data-shut])").forEach((button) => (button.disabled = false));
document.addEventListener("submit", (event) => {
  const { target: form, defaultPrevented } = event;
  if (!("follows" in form.dataset) || defaultPrevented) return;
  if (form.querySelector("button:disabled")) return event.preventDefault();
  if (!form.elements.live) form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "live", value: "yes" }));
  setTimeout(shut, 0, form);
  setTimeout(reopen, UNDER_WAY);
});
addEventListener("pageshow", reopen);

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

// --- reading: bring the cited lines into view, whatever section the address names ------------------
const cited = document.querySelector(".l.cited, tr.cited");
if (cited && !location.hash.startsWith("#L")) {
  addEventListener("load", () => cited.scrollIntoView({ block: "center" }));
}

// --- uploading: files and folders are dropped, and how much has been sent is shown ------------------
const upload = document.querySelector("form[data-most-bytes]");
const zone = document.querySelector(".upload"); // of a new library: a part of its form, for the files come with it
const isNew = upload !== zone;
let brought = []; // what was dropped or chosen, shown before it is sent
const chosen = () =>
  [...zone.querySelectorAll("input[type=file]")]
    .flatMap((input) => [...input.files])
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }));

upload?.addEventListener("submit", (event) => {
  if (isNew && !added && (!brought.length || upload.elements.kind.value !== "uploads")) return;
  event.preventDefault();
  const files = brought.length ? brought : chosen();
  if (isNew) add(files);
  else send(files, upload.action);
});
zone?.addEventListener("change", () => preview((brought = chosen())));
// Anywhere on the page: what misses the zone by a finger would replace the page.
for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
  if (!zone) break;
  addEventListener(name, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    if (isNew) upload.elements.kind.value = "uploads";
    zone.classList.toggle("over", name === "dragenter" || name === "dragover");
    if (name === "drop") dropped(event.dataTransfer).then((files) => preview((brought = files)), () => say("What was dropped cannot be read. Choose it instead."));
  });
}

async function dropped(data) {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...data.files].map((file) => ({ file, path: file.name }));
  return (await Promise.all(entries.map(below))).flat();
}

async function below(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ file, path: entry.fullPath.replace(/^\//, "") }];
  }
  const reader = entry.createReader(), found = [];
  for (;;) {
    // A folder is read in parts, until one is empty.
    const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!part.length) return (await Promise.all(found.map(below))).flat();
    found.push(...part);
  }
}

// Whether a file of this name is read in, as `suffix` in ingestion/parsers says.
function isRead(path) {
  const { suffixes, names, foreign } = upload.dataset;
  const name = path.split("/").pop(), has = (some) => some.split(" ").some((suffix) => name.toLowerCase().endsWith(suffix));
  const [, word] = name.match(/^([a-zA-Z]+)(?:[.-][A-Z][\p{L}\p{N}_-]*)?$/u) ?? [];
  return has(suffixes) || (!!word && names.split(" ").includes(word.toLowerCase()) && !has(foreign));
}

// As the list of uploaded files says it.
const sized = (bytes) =>
  bytes < 1024 ? `${bytes} byte${bytes === 1 ? "" : "s"}` : bytes < 1048576 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1048576).toFixed(1)} MB`;

// What would be read in, by the names alone; the server decides.
function preview(files) {
  const left = files.filter(({ path }) => !isRead(path));
  const some = (list) => list.slice(0, 8).map(({ path }) => path).join(", ") + (list.length > 8 ? " …" : "");
  const read = files.filter((one) => !left.includes(one));
  const bytes = read.reduce((sum, { file }) => sum + file.size, 0);
  say(
    [
      read.length ? `Would be read in: ${read.length} of ${files.length}, ${sized(bytes)}: ${some(read)}.` : "Nothing of this could be read in.",
      left.length ? `No parser reads: ${some(left)}.` : "",
      read.length ? "Nothing has been sent yet." : "",
    ].join(" "),
  );
  const count = read.length || files.length;
  const many = `${count} file${count === 1 ? "" : "s"}`;
  button().textContent = isNew && !added ? `Add the library with ${many}` : `Upload ${many}`;
  const name = isNew && upload.elements.name;
  if (name && !name.value && files.length) {
    name.value = files[0].path.split("/")[0].replace(/\.\w+$/, "").replace(/[-_]+/g, " ");
    name.select();
  } else button().focus();
}

const button = () => upload.querySelector(".buttons button, .choose button");

// A new library first, then its files; what is wrong with it is said here, and the files stay chosen. Once it is there,
// what breaks off is its upload: that is tried again, and nothing else of the form can be changed any more.
let added = null; // where the files of the library that was added go
async function add(files) {
  if (button().disabled || !fits(files)) return; // Enter sends the form again while it is under way
  if (added) return send(files, added);
  const form = new FormData(upload);
  form.append("do", "add");
  button().disabled = true;
  try {
    const answer = await fetch(upload.action, { method: "POST", body: form, headers: { Accept: "application/json" } });
    const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
    if (!isJson && (answer.redirected || (answer.status >= 400 && answer.status < 500))) {
      say("The library was not added: load this page again, and sign in if you are asked to."); // the log-in, or a page that is out of date
    } else {
      const { upload: address, errors } = await answer.json();
      if (errors) say(errors.join(" "));
      else added = address;
    }
  } catch {
    say("No answer came, so the library may have been added or not: look under Libraries before you try again.");
  }
  button().disabled = false;
  if (!added) return;
  for (const field of upload.querySelectorAll("input:not([type=file], [type=hidden]), select")) field.disabled = true;
  button().textContent = "Upload its files";
  send(files, added);
}

function fits(files) {
  const most = Number(upload.dataset.mostBytes), bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  if (!files.length) say("No file was chosen.");
  else if (bytes > most) say(`These are ${Math.ceil(bytes / 1048576)} MB; at most ${Math.floor(most / 1048576)} are taken at once.`);
  else if (files.length > Number(upload.dataset.mostFiles)) say(`These are ${files.length} files; at most ${upload.dataset.mostFiles} are taken at once. Put them into a zip.`);
  else return true;
  return false;
}

function send(files, address) {
  if (!fits(files)) return;
  const form = new FormData(), request = new XMLHttpRequest(), bar = zone.querySelector("progress");
  form.append("csrfmiddlewaretoken", upload.elements.csrfmiddlewaretoken.value);
  for (const { file, path } of files) form.append("files", file, path);
  const busy = (is) => {
    bar.hidden = !is;
    button().disabled = is;
  };
  request.open("POST", address);
  request.setRequestHeader("Accept", "application/json");
  request.responseType = "json";
  request.upload.onprogress = (event) => {
    bar.value = event.loaded / event.total;
    say(event.loaded < event.total ? `Sending ${files.length} file${files.length === 1 ? "" : "s"} …` : "Unpacking and keeping …");
  };
  request.onload = () => {
    if (request.response?.url) return location.assign(request.response.url);
    busy(false);
    if ([401, 403, 404].includes(request.status)) say(signedOut()); // the same once more is no use
    else say(`The server did not take the upload (${request.status}). ${stands()}`);
  };
  request.onerror = () => {
    busy(false);
    say(`The connection broke off. ${stands()}`);
  };
  busy(true);
  request.send(form);
}

const stands = () =>
  added ? "The library has been added, without its files: try again, or bring them on its own page." : "Nothing was taken: try again.";

const signedOut = () =>
  added ? "The library has been added, without its files: sign in again, and bring them on its own page." : "Nothing was taken: load this page again, and sign in if you are asked to.";

function say(text) {
  zone.querySelector(".said").textContent = text;
}
