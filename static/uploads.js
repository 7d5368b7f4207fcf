// Files and folders are dropped, and how much has been sent is shown. Without this file they are chosen.
"use strict";

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
  const files = sendable(brought.length ? brought : chosen());
  if (isNew) add(files);
  else send(files, upload.action);
});
zone?.addEventListener("change", () => preview(chosen()));
// Anywhere on the page: what misses the zone by a finger would replace the page.
for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
  if (!zone) break;
  addEventListener(name, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    if (isNew) upload.elements.kind.value = "uploads";
    zone.classList.toggle("over", name === "dragenter" || name === "dragover");
    if (name === "drop") dropped(event.dataTransfer).then(preview, () => say("What was dropped cannot be read. Choose it instead."));
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
  const { suffixes, names } = upload.dataset;
  const name = path.split("/").pop(), has = (some) => some.some((suffix) => name.toLowerCase().endsWith(suffix));
  const [, word] = name.match(/^([Dd]ockerfile(?=\.[a-z])|[a-zA-Z]+(?=$|[.-][A-Z]))(?:[.-][\p{L}\p{N}_-]*)?$/u) ?? [];
  return has(suffixes.split(" ")) || (!!word && names.split(" ").includes(word.toLowerCase()) && !has(Object.keys(saveAs())));
}
const saveAs = () => JSON.parse(upload.dataset.saveAs);

// Why nothing reads a file of this name, as `unread` there.
function unread(path) {
  const [ending] = path.toLowerCase().match(/\.[^./]*$/) ?? [];
  if (upload.dataset.archives.split(" ").includes(ending)) return "only ZIP archives are unpacked: make it one";
  if (!ending) return "its name has no ending that says what it is: add one, as .txt or .md";
  return "files with this suffix are not read" + (saveAs()[ending] ? `: save it as ${saveAs()[ending]}` : "");
}

// Why the server would refuse it, whatever is in it; empty: it does not. Such a file is not sent.
function refusal({ file, path }) {
  // As `kept_path` in ingestion/uploads/names.py.
  if (path.split("/").some((part) => /^(\..+|__MACOSX|Thumbs\.db|desktop\.ini)$/i.test(part))) return "it is hidden, or the operating system's own";
  const most = Number(upload.dataset.mostFile), isLarge = file.size > most && !path.toLowerCase().endsWith(".zip");
  return isLarge ? `it has more than ${Math.floor(most / 1048576)} MB, the most that a file may have` : "";
}
const sendable = (files) => files.filter((one) => !refusal(one));
const some = (files) => files.slice(0, 8).map(({ path }) => path).join(", ") + (files.length > 8 ? ` and ${files.length - 8} more` : "");

// Every reason with its files, as it is said once they were sent.
function leftOut(files) {
  const byReason = {};
  for (const one of files) (byReason[refusal(one) || (isRead(one.path) ? "" : unread(one.path))] ??= []).push(one);
  delete byReason[""];
  const told = Object.entries(byReason).map(([reason, those]) => `${some(those)} (${reason})`);
  return told.length ? `Left out: ${told.join("; ")}.` : "";
}

// As the list of uploaded files says it.
const sized = (bytes) =>
  bytes < 1024 ? `${bytes} byte${bytes === 1 ? "" : "s"}` : bytes < 1048576 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1048576).toFixed(1)} MB`;

// What would be read in, by the names alone; the server decides.
function preview(files) {
  brought = files.sort((one, other) => (one.path < other.path ? -1 : 1));
  const read = sendable(files).filter(({ path }) => isRead(path));
  const bytes = read.reduce((sum, { file }) => sum + file.size, 0);
  say(
    [
      read.length ? `Would be read in: ${read.length} of ${files.length}, ${sized(bytes)}: ${some(read)}.` : "Nothing of this could be read in.",
      leftOut(files),
      read.length ? "Nothing has been sent yet." : "",
    ].join(" "),
  );
  const count = read.length || sendable(files).length;
  const many = `${count} file${count === 1 ? "" : "s"}`;
  button().textContent = !count ? atFirst : isNew && !added ? `Add the library with ${many}` : `Upload ${many}`;
  const name = isNew && upload.elements.name;
  if (name && !name.value && files.length) {
    name.value = files[0].path.split("/")[0].replace(/\.\w+$/, "").replace(/[-_]+/g, " ");
    name.select();
  } else button().focus();
}

const button = () => upload.querySelector(".buttons button, .choose button"); // what sends it
const atFirst = upload && button().textContent;

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
  if (!files.length) say(brought.length ? `Nothing of what was chosen is sent. ${leftOut(brought)}` : "No file was chosen.");
  else if (bytes > most) say(`These are ${Math.ceil(bytes / 1048576)} MB; at most ${Math.floor(most / 1048576)} are taken at once.`);
  else if (files.length > Number(upload.dataset.mostFiles)) say(`These are ${files.length} files; at most ${upload.dataset.mostFiles} are taken at once. Put them into a zip.`);
  else return true;
  return false;
}

function send(files, address) {
  if (!fits(files)) return;
  const form = new FormData(), request = new XMLHttpRequest(), bar = zone.querySelector("progress");
  form.append("csrfmiddlewaretoken", upload.elements.csrfmiddlewaretoken.value);
  // Browsers write a quotation mark in it as %22, and %22 as it is.
  for (const { file, path } of files) form.append("files", file, path.replace(/["%]/g, encodeURIComponent));
  form.append("escaped", "1");
  const cancel = zone.querySelector(".cancel"), leaving = (event) => event.preventDefault();
  const busy = (is) => {
    bar.hidden = cancel.hidden = !is;
    button().disabled = is;
    if (is) addEventListener("beforeunload", leaving);
    else removeEventListener("beforeunload", leaving);
  };
  cancel.onclick = () => request.abort();
  request.open("POST", address);
  request.setRequestHeader("Accept", "application/json");
  request.responseType = "json";
  request.upload.onprogress = (event) => {
    bar.value = event.loaded / event.total;
    say(event.loaded < event.total ? `Sending ${files.length} file${files.length === 1 ? "" : "s"}: ${Math.floor(bar.value * 100)} % …` : "Unpacking and keeping …");
  };
  let sent = false; // all of it: whether it was taken, only an answer tells
  request.upload.onload = () => (sent = cancel.hidden = true); // from here on it may be taken
  request.onabort = () => {
    busy(false);
    say(`Cancelled. ${stands()}`);
  };
  request.onload = () => {
    busy(false);
    if (request.response?.url) return location.assign(request.response.url);
    if ([401, 403, 404].includes(request.status)) say(signedOut()); // the same once more is no use
    else if (request.status < 500) say(`The server did not take the upload (${request.status}). ${stands()}`);
    else say(`The server could not answer (${request.status}). ${unknown()}`);
  };
  request.onerror = () => {
    busy(false);
    say(`The connection broke off. ${sent ? unknown() : stands()}`);
  };
  busy(true);
  request.send(form);
}

const stands = () =>
  added ? "The library has been added, without its files: try again, or bring them on its own page." : "Nothing was taken: try again.";

const unknown = () =>
  `${added ? "The library has been added. Its" : "The"} files may have been taken or not: look at Uploaded files. To bring them again does no harm.`;

const signedOut = () =>
  added ? "The library has been added, without its files: sign in again, and bring them on its own page." : "Nothing was taken: load this page again, and sign in if you are asked to.";

function say(text) {
  zone.querySelector(".said").textContent = text;
}

// What was chosen before this file came, or what the browser kept of it when somebody comes back.
if (zone && chosen().length) preview(chosen());
