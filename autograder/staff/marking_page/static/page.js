// The page's own script, and the only one that its browser runs. Changes are sent one after the
// other and again until the server has them: it may be started anew in between.
"use strict";

const policy = window.trustedTypes
  ? window.trustedTypes.createPolicy("page", { createHTML: (text) => text })
  : { createHTML: (text) => text };
const desk = document.getElementById("desk");
const keys = document.getElementById("keys");
// The server refuses changes from a page if a different marker's link was opened in this browser
// later.
const { marker } = document.body.dataset;
const waiting = [];
let working = false;
let moving = false;
let aside = null; // a comment that was refused because the answer has a different one by now
const ahead = []; // keys pressed before the next answer was there: they are meant for it

const root = () => desk.firstElementChild;
const here = () => root().dataset.here;
const id = () => root().dataset.id;

function say(text, bad) {
  const place = document.getElementById("saving");
  if (place) {
    place.textContent = text;
    place.classList.toggle("bad", Boolean(bad));
  }
}

function show(text, refused = false) {
  const field = document.getElementById("comment");
  const focused = field && document.activeElement === field;
  const typed = !refused && (focused || unsaved()) ? [id(), field.value, field.selectionStart, unsaved()?.dataset.seen] : null;
  const opened = ["notebook", "similar"].filter((name) => desk.querySelector(`details.${name}[open]`));
  const line = desk.contains(document.activeElement) ? document.activeElement : {};
  const before = id();
  desk.innerHTML = policy.createHTML(text);
  if (typed && typed[0] === id()) {
    const now = document.getElementById("comment");
    now.value = typed[1];
    if (typed[3] !== undefined) now.dataset.seen = typed[3];
    if (focused) {
      now.focus();
      now.selectionStart = now.selectionEnd = typed[2];
    }
  }
  if (aside?.id === id()) showAside(refused && focused);
  if (line.dataset?.line && id() === before) {
    const now = desk.querySelector(`${line.localName}[data-line="${line.dataset.line}"]`);
    if (now && line.value) now.value = line.value;
    if (now) now.hidden = false;
    now?.focus({ preventScroll: true });
  }
  if (id() !== before) {
    window.scrollTo(0, 0);
    desk.focus({ preventScroll: true });
    const place = id() ? `${here()}/answer/${id()}` : here();
    if (window.location.pathname !== place) window.history.pushState(null, "", place);
  } else {
    for (const name of opened) {
      const place = desk.querySelector(`details.${name}`);
      if (place) place.open = true;
    }
  }
  desk.dispatchEvent(new CustomEvent("shown"));
}

// Show a refused comment below the saved one, so that the marker can copy from it. If they were
// typing, move the focus here: further keys must neither change the saved comment nor act as
// shortcuts.
function showAside(typing) {
  const label = document.createElement("label");
  const field = document.createElement("textarea");
  label.className = "note";
  label.textContent = "Your comment was not saved. Copy what you need into the comment above.";
  field.id = "aside";
  field.readOnly = true;
  field.value = aside.text;
  label.append(field);
  document.getElementById("comment").after(label);
  if (typing) field.select();
}

// A key of one request, which stays the same when it is sent again.
const newKey = () => [...crypto.getRandomValues(new Uint32Array(4))].join("-");

const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

// Return what the server answered, whole: it may end between a response's head and its text.
async function request(url, body) {
  const options = body
    ? { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", "X-Marker": encodeURIComponent(marker) } }
    : { headers: { "X-Part": "1" } };
  for (let time = 100; ; time = Math.min(2 * time, 2000)) {
    try {
      const response = await fetch(url, { ...options, cache: "no-store" });
      const text = await response.text();
      // From 502 on: a proxy without its server.
      if (response.status < 502) return { ok: response.ok, status: response.status, text };
    } catch {
      // The server is not there; it may be soon.
    }
    say(body ? "Not saved yet: the server does not answer. Trying again…" : "The server does not answer. Trying again…", true);
    await pause(time);
  }
}

async function work() {
  if (working) return;
  working = true;
  while (waiting.length) {
    const { url, body } = waiting[0];
    say("Saving…");
    const { ok, status, text } = await request(url, body);
    if (ok) {
      waiting.shift();
      if (!waiting.length) {
        show(text);
        say("Saved");
        foldQuestion();
      }
    } else if (status === 409) {
      waiting.shift(); // if it was a comment, the page shows the one that is there as well
      giveUp();
      const refused = body.seen !== undefined && url.endsWith(`/${id()}/comment`);
      if (refused) aside = { id: id(), text: document.getElementById("comment").value };
      show(text, refused);
      say("Not saved", true);
    } else {
      giveUp();
      say(`Not saved: ${text.slice(0, 200)}`, true);
    }
  }
  working = false;
}

// Forget the changes that wait, after one that failed. A comment among them stays in its field and
// counts as not sent: it goes with the next change, and whoever leaves the page is warned.
function giveUp() {
  const lost = waiting.splice(0).find(({ body }) => body.seen !== undefined);
  const field = document.getElementById("comment");
  if (lost && field) field.dataset.seen = lost.body.seen;
}

// After somebody's first mark they know the sample, and the answer needs the room.
let folded = false;
function foldQuestion() {
  const place = document.querySelector("details.question");
  if (!folded && place) place.open = false;
  folded = true;
}

function post(url, body) {
  waiting.push({ url, body });
  work();
}

function send(what, values) {
  const { version, text: sha256 } = root().dataset;
  post(`${here()}/answer/${id()}/${what}`, { version: Number(version), sha256, ...values });
}

async function go(url) {
  if (moving) return;
  moving = true;
  aside = null;
  saveComment();
  while (waiting.length || working) await pause(5);
  if (unsaved() || aside) {
    ahead.length = 0; // they are meant for the next answer, and this one stays
  } else {
    const { ok, text } = await request(url);
    if (ok) show(text);
    else say(text.slice(0, 200), true);
  }
  moving = false;
  while (ahead.length && !moving) press(ahead.shift());
}

const go_next = () => go(`${here()}/next?after=${id()}`);
const beside = (step) => go(`${here()}/answer/${id() || "-"}?step=${step}`);

function unsaved() {
  const field = document.getElementById("comment");
  return field && field.value.trim() !== field.dataset.seen.trim() ? field : null;
}

function saveComment() {
  const field = unsaved();
  if (!field) return;
  const seen = field.dataset.seen;
  field.dataset.seen = field.value;
  send("comment", { text: field.value, seen });
}

// A comment on a line is a line of the one comment, so that every other page has it as words.
function saveLine(input) {
  const field = document.getElementById("comment");
  const begin = `Line ${input.dataset.line}: `;
  const rest = field.value.split("\n").filter((text) => !text.startsWith(begin));
  const words = input.value.trim();
  field.value = [...rest, ...(words ? [begin + words] : [])].join("\n").trim();
  saveComment();
}

function openLine(button) {
  const input = desk.querySelector(`input[data-line="${button.dataset.line}"]`);
  input.hidden = false;
  input.focus();
}

function toggle(button) {
  if (!button) return;
  const on = button.getAttribute("aria-pressed") !== "true";
  saveComment();
  button.setAttribute("aria-pressed", String(on));
  send("item", { item: Number(button.dataset.item), on });
}

function change(form, remove) {
  const value = (name) => form.querySelector(`[name="${name}"]`).value;
  const body = { item: Number(form.dataset.change), points: Number(value("points")), text: remove ? "" : value("text") };
  if (!remove && !body.text.trim()) say("Not saved: the item has no words", true);
  else post(`${here()}/item?id=${id()}`, body);
}

function act(what) {
  saveComment();
  if (what === "undo") {
    post(`${here()}/undo?id=${id()}`, { request: newKey() });
  } else if (what === "share") {
    const chosen = [...desk.querySelectorAll('[name="similar"]:checked')];
    const ids = chosen.flatMap((box) => box.value.split(" "));
    if (ids.length) send("share", { ids, texts: chosen.map((box) => box.dataset.text) });
    else say("Not saved: none is chosen", true);
  } else if (id()) send(what, {});
}

desk.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.item) toggle(button);
  else if (button.dataset.line) openLine(button);
  else if (button.dataset.do) act(button.dataset.do);
  else if (button.dataset.go === "next") go_next();
  else if (button.dataset.go) beside(-1);
  else if ("save" in button.dataset || "remove" in button.dataset) change(button.closest(".form"), "remove" in button.dataset);
  else if (button.parentElement.parentElement.id === "bank") {
    const field = document.getElementById("comment");
    field.value = [field.value.replace(/[^.!?\n]*$/, "").trim(), button.textContent].filter(Boolean).join(" ");
    saveComment();
  }
});

desk.addEventListener("change", (event) => {
  if (event.target.id === "comment") saveComment();
  if (event.target.dataset.line) saveLine(event.target);
  if (event.target.id === "adjust") send("adjust", { points: Number(event.target.value) });
});

let typing = 0;
desk.addEventListener("input", (event) => {
  if (event.target.id !== "comment") return;
  const mine = (typing += 1);
  setTimeout(async () => {
    if (mine !== typing) return;
    const words = event.target.value.split(/[.!?\n]/).pop().trim();
    const response = words.length > 1 ? await request(`${here()}/comments?words=${encodeURIComponent(words)}`) : null;
    const found = response && response.ok ? JSON.parse(response.text) : [];
    const bank = document.getElementById("bank");
    if (!bank || mine !== typing) return;
    bank.replaceChildren(...found.map((text) => {
      const line = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = text;
      line.append(button);
      return line;
    }));
  }, 150);
  clearTimeout(desk.saver);
  desk.saver = setTimeout(saveComment, 1500);
});

desk.addEventListener("toggle", async (event) => {
  const place = event.target;
  if (!place.open || !place.dataset.load || place.dataset.loaded) return;
  place.dataset.loaded = "yes";
  const { ok, text } = await request(place.dataset.load);
  const inside = place.querySelector("div");
  if (ok) inside.innerHTML = policy.createHTML(text);
  else inside.textContent = text;
}, true);

function unfold(name) {
  const place = document.querySelector(`details.${name}`);
  if (place) place.open = !place.open;
}

const actions = {
  n: go_next, Enter: go_next, ArrowRight: go_next, ArrowLeft: () => beside(-1), j: () => beside(1),
  0: () => act("nothing"), f: () => act("all"), u: () => act("undo"),
  g: () => desk.querySelector('[data-do="copy"]') && act("copy"),
  k: () => desk.querySelector('[data-do="keep"]') && act("keep"),
  r: () => desk.querySelector('[data-do="replace"]') && act("replace"),
  c: () => document.getElementById("comment")?.focus(),
  l: () => desk.querySelector("button[data-line]")?.focus(),
  a: () => document.getElementById("adjust")?.select(),
  G: () => desk.querySelector('[data-do="share"]') ? act("share") : unfold("similar"),
  s: () => unfold("similar"),
  m: () => unfold("notebook"),
  q: () => unfold("question"),
  "?": () => keys.showModal(),
};

function press(key) {
  if (/^[1-9]$/.test(key)) toggle(desk.querySelectorAll(".item")[Number(key) - 1]);
  else actions[key]();
}

document.addEventListener("keydown", (event) => {
  const field = event.target.closest("input, textarea");
  if (event.key === "Escape" && field) return field.blur();
  if (field || event.ctrlKey || event.metaKey || event.altKey || keys.open) return undefined;
  if (event.key === "Enter" && event.target.closest("button, a, summary")) return undefined;
  if (!/^[1-9]$/.test(event.key) && !Object.hasOwn(actions, event.key)) return undefined;
  event.preventDefault();
  if (moving) ahead.push(event.key);
  else press(event.key);
  return undefined;
});

document.getElementById("show-keys").addEventListener("click", () => keys.showModal());
document.getElementById("hide-keys").addEventListener("click", () => keys.close());
window.addEventListener("popstate", () => window.location.reload());
window.addEventListener("beforeunload", (event) => {
  saveComment();
  if (waiting.length) event.preventDefault();
});
