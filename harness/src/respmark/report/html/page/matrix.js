// The matrix: baseline, colours, order, what is hidden, and arrow keys; and the evidence behind its cells.

const matrix = document.getElementById("cells");
const rows = [...matrix.tBodies[0].rows];
const headings = matrix.tHead.rows[0];

function drawMatrix() {
  const order = clientOrder();
  arrange(headings, order);
  for (const line of rows) {
    line.hidden = !isListed(Number(line.dataset.row));
    arrange(line, order);
    if (!line.hidden) markRow(line);
  }
  for (const heading of [...headings.cells].slice(1)) {
    press(heading.querySelector("button"), Number(heading.dataset.client) === state.baseline);
  }
}

const press = (button, isPressed) => button.setAttribute("aria-pressed", String(isPressed));

// Clients in the order of the columns; where a row is sorted by, the best first and those without a figure last.
function clientOrder() {
  const numbers = data.clients.map((_, number) => number);
  if (state.sort === null) return numbers;
  const figures = data.rows[state.sort].figures[state.by] ?? {};
  const rank = (number) => (figures[number] == null ? Number.MAX_VALUE : figures[number] * (isCost() ? 1 : -1));
  return numbers.sort((one, other) => rank(one) - rank(other)); // which keeps the order of equals
}

const isCost = () => data.costs.includes(state.by);

function arrange(line, order) {
  const cells = [...line.cells].slice(1);
  const byClient = new Map(cells.map((cell) => [Number(cell.dataset.client), cell]));
  if (cells.some((cell, place) => Number(cell.dataset.client) !== order[place])) {
    line.append(...order.map((client) => byClient.get(client)));
  }
  for (const [client, cell] of byClient) cell.hidden = !isShown(client);
  const use = line.cells[0].querySelector(".use");
  if (use) press(use, Number(line.dataset.row) === state.sort);
}

function markRow(line) {
  const row = Number(line.dataset.row);
  const measured = [...line.querySelectorAll("button[data-cell]:not(.none)")];
  const marks = measured.map((button) => {
    const { client } = data.cells[button.dataset.cell];
    return client === state.baseline ? "baseline" : ratioOf(row, state.by, client, state.baseline);
  });
  const shown = marks.filter((mark) => mark && mark.shown).map((mark) => Math.abs(Math.log(mark.value)));
  const farthest = Math.max(...shown, 0) || 1;
  measured.forEach((button, place) => mark(button, marks[place], farthest));
}

function mark(button, ratio, farthest) {
  const [kind, text, spoken] = words(ratio);
  button.className = kind;
  button.style.setProperty("--strength", ratio && ratio.shown ? Math.abs(Math.log(ratio.value)) / farthest : 0);
  const [seen, heard] = button.querySelector("i").children;
  if (seen.textContent !== text) seen.textContent = text;
  heard.textContent = spoken;
}

function words(ratio) {
  if (ratio === "baseline") return ["baseline", "baseline", "baseline"];
  if (ratio === null) return ["alone", "", "not compared with the baseline"];
  const value = ratio.value.toFixed(2);
  const [times, heard] = [`${value}×`, `${value} times`];
  if (!ratio.shown) return ["level", `= ${times}`, `${heard}, no difference shown`];
  const kind = ratio.value > 1 === isCost() ? "worse" : "better";
  return [kind, `${ratio.value > 1 ? "▲" : "▼"} ${times}`, `${heard}, difference shown, ${kind}`];
}

matrix.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.classList.contains("client")) {
    change({ baseline: Number(button.closest("th").dataset.client) });
  } else if (button.classList.contains("use")) {
    const row = Number(button.closest("tr").dataset.row);
    change({ sort: state.sort === row ? null : row, row: charted.includes(row) ? row : state.row });
  } else {
    change({ cell: Number(button.dataset.cell) });
  }
});

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

matrix.addEventListener("keydown", (event) => {
  const step = STEPS[event.key];
  if (!step || !event.target.closest("button")) return;
  event.preventDefault();
  const lines = [headings, ...rows].filter((line) => !line.hidden);
  const at = event.target.closest("tr");
  let [down, across] = [lines.indexOf(at), visible(at).indexOf(event.target.closest("th, td"))];
  do {
    [down, across] = [down + step[0], across + step[1]];
    const button = lines[down] && visible(lines[down])[across]?.querySelector("button");
    if (button) return button.focus();
  } while (lines[down] && visible(lines[down])[across]);
});

const visible = (line) => [...line.cells].filter((cell) => !cell.hidden);

const dialog = document.getElementById("evidence");

function drawEvidence() {
  if (state.cell === null) return dialog.close(); // which does nothing to a closed one
  const { row, client, sections } = data.cells[state.cell];
  document.getElementById("evidence-title").textContent = `${EVERY.client[client]}: ${LABELS[row]}`;
  const [first, ...others] = sections;
  const all = [first, ["Against the baseline", ratioFacts(row, client)], ...others];
  dialog.querySelector(".sections").replaceChildren(...all.filter(([, facts]) => facts.length).flatMap(section));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function ratioFacts(row, client) {
  const base = EVERY.client[state.baseline];
  if (client === state.baseline) return [["", `${base} is the baseline.`]];
  return Object.entries(data.metrics).flatMap(([metric, name]) => {
    const ratio = ratioOf(row, metric, client, state.baseline);
    return ratio ? [[`${name} / ${base}`, intervalText(ratio)]] : [];
  });
}

function intervalText({ value, low, high, shown }) {
  if (low === null) return `${value.toFixed(2)}; one round, so there is no interval`;
  const interval = `${value.toFixed(2)}, 95 % interval ${low.toFixed(2)} to ${high.toFixed(2)}`;
  if (shown) return `${interval}; a difference is shown`;
  const alone = low > 1 || high < 1;
  return `${interval}; no difference shown${alone ? " once corrected for all pairs of clients in the use" : ""}`;
}

function section([title, facts]) {
  const list = element("dl", "", { class: "facts" });
  for (const [name, value] of facts) {
    const fact = element("div");
    fact.append(element("dt", name), element("dd", value));
    list.append(fact);
  }
  return [element("h3", title), list];
}

dialog.addEventListener("close", () => change({ cell: null }));
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close(); // the backdrop
});
