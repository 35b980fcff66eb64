// Python in a worker: the wheel of dpcompose under Pyodide; other wheels are fetched where they are first imported.

import { loadPyodide } from "./pyodide/pyodide.mjs";

let latest = 0, asked = null, ready = false;
self.onmessage = ({ data }) => {
  asked = data;
  latest = data.question;
  if (ready) answer();
};

const fetched = async (name) => await (await fetch(name)).arrayBuffer();
const [python, wheels, wheel, answers] = await Promise.all([
  loadPyodide({ indexURL: new URL("pyodide/", self.location).href }),
  fetched("wheels.json").then((found) => JSON.parse(new TextDecoder().decode(found))),
  fetched("dpcompose.whl"),
  fetched("answers.py"),
]);
python.unpackArchive(new Uint8Array(wheel), "wheel");
python.FS.writeFile("/home/pyodide/answers.py", new Uint8Array(answers));
const told = python.pyimport("answers");
told.fetch_on_import(python.toPy(wheels));
ready = true;
self.postMessage({ part: "ready" });
if (asked) answer();

async function answer() {
  const { question, text } = asked;
  const begun = performance.now();
  for (const part of ["verdict", "picture", "derivation"]) {
    self.postMessage({ question, part, text: told[part](text) });
    await new Promise((later) => setTimeout(later)); // what was asked meanwhile comes first
    if (latest !== question) return;
  }
  self.postMessage({ question, part: "done", seconds: (performance.now() - begun) / 1000 });
}
