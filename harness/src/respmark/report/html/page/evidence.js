// The evidence behind a cell.

const dialog = document.getElementById("evidence");

function drawEvidence() {
  if (state.cell === null) {
    if (dialog.open) dialog.close();
    return;
  }
  const { row, client, sections } = data.cells[state.cell];
  document.getElementById("evidence-title").textContent = `${data.clients[client].name}: ${data.rows[row].label}`;
  const [first, ...others] = sections;
  const all = [first, ["Against the baseline", ratioFacts(row, client)], ...others];
  dialog.querySelector(".sections").replaceChildren(...all.filter(([, facts]) => facts.length).flatMap(section));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function ratioFacts(row, client) {
  const base = data.clients[state.baseline].name;
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
