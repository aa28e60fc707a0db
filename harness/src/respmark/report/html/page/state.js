"use strict";
// What is chosen, and its place in the address: `#language=Java&baseline=jedis`, so that a view can be sent.

const data = JSON.parse(document.getElementById("data").textContent);
const FILTERS = ["language", "client", "scenario"];
const EVERY = {
  language: [...new Set(data.clients.map((client) => client.language))],
  client: data.clients.map((client) => client.name),
  scenario: [...new Set(data.rows.map((row) => row.scenario))],
};
const charted = data.rows.flatMap((row, number) => (Object.keys(row.figures.rps).length ? [number] : []));

function beginning() {
  return {
    ...Object.fromEntries(FILTERS.map((name) => [name, new Set(EVERY[name])])),
    baseline: data.baseline,
    by: "rps",
    sort: null, // number of the row by which the clients are sorted
    row: charted[0] ?? null, // number of the row that the charts show
    cell: null, // number of the cell whose evidence is open
  };
}

let state = beginning();

const clientNumber = (name) => data.clients.findIndex((client) => client.name === name);
const rowNumber = (label) => data.rows.findIndex((row) => row.label === label);
const known = (number) => (number < 0 ? null : number);

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const read = beginning();
  for (const name of FILTERS) {
    const chosen = given.getAll(name).filter((value) => EVERY[name].includes(value));
    if (given.has(name)) read[name] = new Set(chosen);
  }
  read.baseline = known(clientNumber(given.get("baseline"))) ?? read.baseline;
  if (given.get("by") in data.metrics) read.by = given.get("by");
  read.sort = known(rowNumber(given.get("sort")));
  const row = known(rowNumber(given.get("row")));
  if (charted.includes(row)) read.row = row;
  const [client, use] = [clientNumber(given.get("cell")), rowNumber(given.get("of"))];
  read.cell = known(data.cells.findIndex((cell) => cell.client === client && cell.row === use));
  return read;
}

function writeAddress() {
  const usual = beginning();
  const told = new URLSearchParams();
  for (const name of FILTERS) {
    if (state[name].size === EVERY[name].length) continue;
    for (const value of state[name].size ? state[name] : [""]) told.append(name, value);
  }
  if (state.baseline !== usual.baseline) told.set("baseline", data.clients[state.baseline].name);
  if (state.by !== usual.by) told.set("by", state.by);
  if (state.sort !== null) told.set("sort", data.rows[state.sort].label);
  if (state.row !== usual.row) told.set("row", data.rows[state.row].label);
  if (state.cell !== null) {
    told.set("cell", data.clients[data.cells[state.cell].client].name);
    told.set("of", data.rows[data.cells[state.cell].row].label);
  }
  const hash = told.size ? `#${told}` : "#";
  if (hash !== (location.hash || "#")) history.replaceState(null, "", hash);
}

function isShown(client) {
  const { name, language } = data.clients[client];
  return state.client.has(name) && state.language.has(language);
}

const isListed = (row) => state.scenario.has(data.rows[row].scenario);

// Ratio of one client to another in a row: {value, low, high, shown}; null where they did not take turns.
function ratioOf(row, metric, client, other) {
  for (const [first, second, value, low, high, shown] of data.rows[row].ratios[metric]) {
    if (first === client && second === other) return { value, low, high, shown: shown === 1 };
    if (first === other && second === client) {
      const turned = (end) => (end === null ? null : 1 / end);
      return { value: 1 / value, low: turned(high), high: turned(low), shown: shown === 1 };
    }
  }
  return null;
}

// An element with text in it: text is never read as markup.
function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
