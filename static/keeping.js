// What was typed or ticked in a form is kept in this tab until it was taken: from one page of a list to the next, and
// where the session had ended. Without this file a page keeps its own, as browsers do.
"use strict";

const SENT = "sent"; // the form that was sent last, until its page says that it was taken
const taken = document.querySelector("main > .notice.success");
if (taken && sessionStorage.getItem(SENT)) sessionStorage.removeItem(sessionStorage.getItem(SENT));
sessionStorage.removeItem(SENT);

for (const form of document.querySelectorAll("form[data-keeps]")) {
  const name = `kept ${form.dataset.keeps}`;
  const elsewhere = form.querySelector(".elsewhere");
  const fields = () => [...form.elements].filter(({ name, type }) => name && !/^(hidden|submit)$/.test(type));
  const isTick = ({ type }) => type === "checkbox";

  const keep = () => {
    const filled = fields().filter((field) => (isTick(field) ? field.checked : field.value));
    sessionStorage.setItem(name, JSON.stringify(filled.map((field) => [field.name, field.value])));
    if (elsewhere) tell();
  };
  const tell = () => {
    const count = elsewhere.querySelectorAll("input:checked").length;
    elsewhere.querySelector("summary").textContent = `${count} chosen on other pages`;
  };
  const add = (path) => {
    const tick = Object.assign(document.createElement("input"), { type: "checkbox", name: "path", value: path, checked: true });
    const label = Object.assign(document.createElement("label"), { className: "option" });
    label.append(tick, Object.assign(document.createElement("span"), { className: "file", textContent: path }));
    elsewhere.append(label);
    elsewhere.hidden = false;
  };

  for (const [key, value] of JSON.parse(sessionStorage.getItem(name) ?? "[]")) {
    const field = fields().find((one) => one.name === key && (!isTick(one) || one.value === value));
    if (field && isTick(field)) field.checked = true;
    else if (field) field.value ||= value;
    else if (key === "path" && elsewhere) add(value);
  }
  if (elsewhere) tell();
  form.addEventListener("input", keep);
  form.addEventListener("submit", () => sessionStorage.setItem(SENT, name));
}
