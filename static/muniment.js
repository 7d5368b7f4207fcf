// What a keyboard, and an answer that is still being written, need. Every page works without this file.
"use strict";

const box = () => document.getElementById("Query");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest("input:not([type=radio],[type=checkbox]), textarea, select");
  if (event.key === "/" && !typing && box()) {
    event.preventDefault();
    box().focus();
    box().select();
  }
  if (event.key === "ArrowDown" || event.key === "ArrowUp") moveBetweenHits(event, typing);
  if (event.key === "Enter" && !event.shiftKey && event.target.matches("textarea#Query") && !event.isComposing) {
    event.preventDefault();
    event.target.form.requestSubmit();
  }
});

function moveBetweenHits(event, typing) {
  const links = [...document.querySelectorAll(".hit h2 a")];
  const here = links.indexOf(document.activeElement);
  if (!links.length || (here < 0 && typing !== box()) || (typing && event.key === "ArrowUp")) return;
  event.preventDefault();
  const next = here + (event.key === "ArrowDown" ? 1 : -1);
  (next < 0 ? box() : links[Math.min(next, links.length - 1)]).focus();
}

// Enter asks the reranker, a pause in the typing does not: what was just submitted is not searched again without it.
let submitted = null;
document.querySelector("form[role=search]")?.addEventListener("submit", () => (submitted = box().value));
box()?.addEventListener("htmx:confirm", (event) => {
  if (event.target === box() && box().value === submitted) event.preventDefault();
  else submitted = null;
});

// --- an answer as it is written ------------------------------------------------------------------
const ask = document.getElementById("Ask");

ask?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const place = document.getElementById("Answer");
  const button = ask.querySelector("button");
  const question = box().value.trim();
  if (!question || button.disabled) return;
  button.disabled = true;
  place.setAttribute("aria-busy", "true");
  document.body.classList.remove("home");
  place.replaceChildren(element("h2", "question", question), element("p", "reading", "Looking in the documents …"));
  try {
    const body = new FormData(ask);
    const response = await fetch(ask.action, { method: "POST", body, headers: { Accept: "text/event-stream" } });
    if (!response.ok || !response.headers.get("Content-Type").startsWith("text/event-stream")) throw new Error(response.status);
    await show(response.body.pipeThrough(new TextDecoderStream()).getReader(), place);
    ask.reset();
    box().value = "";
    box().placeholder = "Another question";
  } catch (error) {
    place.append(element("p", "notice bad", "The answer broke off. Ask again; if it happens twice, tell whoever looks after Muniment here."));
    place.querySelector(".draft")?.classList.add("done");
  }
  place.setAttribute("aria-busy", "false");
  button.disabled = false;
});

async function show(reader, place) {
  let buffer = "", finished = false;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const events = (buffer + part.value).split("\n\n");
    buffer = events.pop();
    for (const text of events) {
      const [, name, data] = text.match(/^event: (\w+)\ndata: (.*)$/s);
      handlers[name](JSON.parse(data), place);
      finished ||= name === "finished";
    }
  }
  if (!finished) throw new Error("ended early");
}

const handlers = {
  retrieved({ html }, place) {
    place.querySelector(".reading").outerHTML = html;
    place.append(element("p", "draft", ""));
  },
  token({ text }, place) {
    place.querySelector(".draft").append(text);
  },
  finished({ html, url, title }, place) {
    place.innerHTML = html;
    document.title = `${title} · Muniment`;
    // The empty page becomes the answer's; an earlier answer stays one step back.
    history[location.href === ask.action ? "replaceState" : "pushState"](null, "", url);
  },
};

function element(name, className, text) {
  return Object.assign(document.createElement(name), { className, textContent: text });
}

addEventListener("popstate", () => ask && location.reload());

// "Ask about this" on the search page means: ask. A link from another site only fills in the box.
if (ask && new URLSearchParams(location.search).get("q") && document.referrer.startsWith(location.origin + "/")) {
  history.replaceState(null, "", ask.action);
  ask.requestSubmit();
}

// --- reading: bring the cited lines into view, whatever section the address names ------------------
const cited = document.querySelector(".l.cited");
if (cited && !location.hash.startsWith("#L")) {
  addEventListener("load", () => cited.scrollIntoView({ block: "center" }));
}
const contents = document.querySelector(".contents details");
if (contents && matchMedia("(max-width: 62rem)").matches) contents.open = false;
