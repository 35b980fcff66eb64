// The page: an editor, and a worker that runs dpcompose on what is in it.  Nothing is decided here.

const START = "01-bounded-parallel.toml";
const WAIT = 700; // milliseconds after the last key

const at = (id) => document.getElementById(id);
const problem = at("problem");
let worker, question = 0, timer;

function start() {
  worker?.terminate();
  worker = new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data }) => shown(data);
  worker.onerror = (error) => state("failed", `Python did not start: ${error.message}`);
  state("starting", "starting Python…");
}

function state(word, text) {
  document.body.dataset.state = word;
  at("status").textContent = text;
}

function ask() {
  clearTimeout(timer);
  question += 1;
  worker.postMessage({ question, text: problem.value });
  if (document.body.dataset.state !== "starting") state("running", "deciding…");
  history.replaceState(null, "", "#" + written(problem.value));
}

function shown({ question: asked, part, text, seconds }) {
  if (part === "ready") return state("running", "deciding…");
  if (asked !== question) return; // of a file that has changed since
  if (part === "picture") drawn(text);
  else if (part === "derivation") derived(text);
  else if (part === "done") state("answered", `answered in ${seconds.toFixed(1)} s`);
  else at(part).textContent = text;
  if (part === "verdict") {
    document.body.dataset.answered = asked;
    performance.mark("verdict");
  }
}

// a picture: it fits, or scrolls where its words would be too small
function drawn(svg) {
  at("picture").innerHTML = svg;
  for (const picture of at("picture").querySelectorAll("svg"))
    picture.style.minWidth = `${0.75 * picture.width.baseVal.value}px`;
}

// a derivation: the formulas of what is folded are typeset when it is opened
function derived(html) {
  const place = at("derivation");
  MathJax.typesetClear([place]);
  place.innerHTML = html;
  for (const fold of place.querySelectorAll("details:not([open])")) {
    fold.classList.add("folded");
    fold.addEventListener("toggle", () => typeset(fold), { once: true });
  }
  typeset(place);
}
function typeset(place) {
  place.classList.remove("folded");
  return MathJax.typesetPromise([place]);
}

// a problem in a link: UTF-8 in base64 of addresses
const written = (text) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
function read(link) {
  try {
    const bytes = atob(link.replace(/-/g, "+").replace(/_/g, "/"));
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes, (c) => c.charCodeAt(0)));
  } catch {
    return null;
  }
}

function opened() {
  const text = read(location.hash.slice(1));
  if (text && text !== problem.value) {
    problem.value = text;
    at("example").value = "";
    ask();
  }
}

start();
const { examples, without } = await (await fetch("examples.json")).json();
at("without").textContent = without;
at("example").append(new Option("of your own", ""), ...Object.entries(examples).map(([name, { title }]) => new Option(`${name.split("-")[0]}: ${title}`, name)));
at("example").onchange = ({ target }) => {
  if (!target.value) return;
  problem.value = examples[target.value].text;
  ask();
};
problem.oninput = () => {
  clearTimeout(timer);
  at("example").value = "";
  timer = setTimeout(ask, WAIT);
};
problem.onkeydown = (key) => {
  if (key.key === "Enter" && (key.ctrlKey || key.metaKey)) ask();
};
at("run").onclick = ask;
at("stop").onclick = start;
at("link").onclick = async () => {
  ask();
  await navigator.clipboard.writeText(location.href).then(
    () => (at("status").textContent = "the link is copied"),
    () => (at("status").textContent = "the link is in the address bar"),
  );
};
addEventListener("hashchange", opened);
const linked = read(location.hash.slice(1));
if (linked) opened();
else {
  at("example").value = START;
  problem.value = examples[START].text;
  ask();
}
