// The desk's own script. Every change is one request with its answer: text to show, or where to go.
"use strict";

const policy = window.trustedTypes
  ? window.trustedTypes.createPolicy("page", { createHTML: (text) => text })
  : { createHTML: (text) => text };
const said = document.getElementById("said");

function say(text) {
  said.textContent = text;
}

function put(place, text) {
  document.querySelector(place).innerHTML = policy.createHTML(text);
}

// The server refuses changes from a page if a different marker's link was opened in this browser
// later.
const shown = { "X-Marker": encodeURIComponent(document.body.dataset.marker) };

async function post(url, body, into) {
  say("");
  let response;
  try {
    response = await fetch(url, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...shown } });
  } catch {
    return say("The desk does not answer. Is it still open where you started it?");
  }
  const text = await response.text();
  if (!response.ok) return say(text.slice(0, 600));
  if (into && !response.headers.get("Content-Type").includes("json")) return put(into, text);
  window.location.href = JSON.parse(text).go;
  return undefined;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.post) {
    button.disabled = true;
    await post(button.dataset.post, JSON.parse(button.dataset.body), button.dataset.into);
    button.disabled = false;
  } else if (button.dataset.page) {
    const form = document.querySelector("[data-live]");
    form.elements.page.value = button.dataset.page;
    refresh(form);
  }
});

document.addEventListener("submit", async (event) => {
  const form = event.target;
  event.preventDefault();
  if (!form.dataset.form) return;
  const body = {};
  for (const field of form.elements) {
    if (!field.name || field.type === "submit") continue;
    body[field.name] = field.type === "checkbox" ? field.checked : "number" in field.dataset ? Number(field.value) : field.value;
  }
  const button = event.submitter || form.querySelector("[type=submit]");
  if (button.name) body[button.name] = button.value;
  button.disabled = true;
  await post(form.dataset.form, body, form.dataset.into);
  button.disabled = false;
});

// A file goes to the desk as it is chosen or dropped; its path there is what the form sends.
async function upload(input, file) {
  say(`Taking ${file.name}…`);
  const response = await fetch(`/bring/upload?name=${encodeURIComponent(file.name)}`, {
    method: "POST", body: file, headers: { "Content-Type": "application/octet-stream", ...shown },
  });
  const text = await response.text();
  if (!response.ok) return say(text.slice(0, 600));
  document.querySelector(input.dataset.upload).value = JSON.parse(text).path;
  say("");
  const form = input.closest("form");
  if (form.dataset.into) form.requestSubmit();
  return undefined;
}

for (const input of document.querySelectorAll("[data-upload]")) {
  input.addEventListener("change", () => input.files[0] && upload(input, input.files[0]));
  const form = input.closest("form");
  form.addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("dragged"); });
  form.addEventListener("dragleave", () => form.classList.remove("dragged"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("dragged");
    if (event.dataTransfer.files[0]) upload(input, event.dataTransfer.files[0]);
  });
}

let latest = 0;
let searched = Promise.resolve();
async function refresh(form) {
  const mine = (latest += 1);
  const query = new URLSearchParams(new FormData(form)).toString();
  const response = await fetch(`${form.dataset.live}?${query}`);
  const text = await response.text();
  if (mine !== latest || !response.ok) return;
  put(form.dataset.into, text);
  window.history.replaceState(null, "", `${window.location.pathname}?${query}`);
}

const live = document.querySelector("[data-live]");
if (live) {
  live.addEventListener("input", () => {
    if (live.elements.page) live.elements.page.value = 1;
    searched = refresh(live);
  });
  document.addEventListener("keydown", (event) => {
    const rows = [...document.querySelectorAll("[data-row]")];
    const place = rows.indexOf(document.activeElement);
    const typing = document.activeElement.matches("input, select");
    if (event.key === "/" && !typing) document.getElementById("search").select();
    else if (event.key === "ArrowDown" && !document.activeElement.matches("select")) rows[Math.min(place + 1, rows.length - 1)]?.focus();
    else if (event.key === "ArrowUp" && place > 0) rows[place - 1].focus();
    else if (event.key === "Enter" && document.activeElement.id === "search" && live.elements.page) {
      // Never the first row of an earlier search.
      searched.then(() => document.querySelector("[data-row]")?.click());
    } else return;
    event.preventDefault();
  });
}

// What a job prints, until it has ended.
const polled = document.querySelector("[data-poll]");
async function poll() {
  if (polled.firstElementChild.dataset.running !== "yes") return;
  try {
    const response = await fetch(polled.dataset.poll);
    if (response.ok) {
      const place = polled.querySelector(".output");
      const below = place.scrollHeight - place.scrollTop - place.clientHeight < 40;
      polled.innerHTML = policy.createHTML(await response.text());
      const now = polled.querySelector(".output");
      if (below) now.scrollTop = now.scrollHeight;
    }
    say("");
  } catch {
    say("The desk does not answer. What it started goes on; open the desk again to see it.");
  }
  setTimeout(poll, 1000);
}
if (polled) setTimeout(poll, 500);
