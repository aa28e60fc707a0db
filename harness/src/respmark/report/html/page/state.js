"use strict";
// What is chosen, and its place in the address: `#language=Java&baseline=jedis`, so that a view can be sent.

const data = JSON.parse(document.getElementById("data").textContent);
const EVERY = {
  language: [...new Set(data.clients.map((client) => client.language))],
  client: data.clients.map((client) => client.name),
  scenario: [...new Set(data.rows.map((row) => row.scenario))],
};
const FILTERS = Object.keys(EVERY);
const LABELS = data.rows.map((row) => row.label);
const NAMES = { baseline: EVERY.client, sort: LABELS, row: LABELS }; // of the numbers in the state
const charted = data.rows.flatMap((row, number) => (Object.keys(row.figures[data.main]).length ? [number] : []));

function beginning() {
  return {
    ...Object.fromEntries(FILTERS.map((name) => [name, new Set(EVERY[name])])),
    baseline: data.baseline,
    by: data.main,
    sort: null, // number of the row by which the clients are sorted
    row: charted[0] ?? null, // number of the row that the charts show
    cell: null, // number of the cell whose evidence is open
  };
}

let state = beginning();

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const read = beginning();
  for (const name of FILTERS) {
    if (given.has(name)) read[name] = new Set(given.getAll(name).filter((value) => EVERY[name].includes(value)));
  }
  for (const [field, names] of Object.entries(NAMES)) {
    const number = names.indexOf(given.get(field));
    if (number >= 0 && (field !== "row" || charted.includes(number))) read[field] = number;
  }
  if (given.get("by") in data.metrics) read.by = given.get("by");
  const [client, row] = [EVERY.client.indexOf(given.get("cell")), LABELS.indexOf(given.get("of"))];
  const cell = data.cells.findIndex((one) => one.client === client && one.row === row);
  return { ...read, cell: cell < 0 ? null : cell };
}

function writeAddress() {
  const usual = beginning();
  const told = new URLSearchParams();
  for (const name of FILTERS) {
    if (state[name].size === EVERY[name].length) continue;
    for (const value of state[name].size ? state[name] : [""]) told.append(name, value);
  }
  for (const [field, names] of Object.entries(NAMES)) {
    if (state[field] !== usual[field]) told.set(field, names[state[field]]);
  }
  if (state.by !== usual.by) told.set("by", state.by);
  if (state.cell !== null) {
    told.set("cell", EVERY.client[data.cells[state.cell].client]);
    told.set("of", LABELS[data.cells[state.cell].row]);
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
