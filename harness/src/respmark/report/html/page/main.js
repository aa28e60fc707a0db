// Every change goes through `change`: state, address, and what is seen.

const form = document.getElementById("filters");

function change(changes) {
  const before = state;
  state = { ...state, ...changes };
  show(before);
  writeAddress();
}

function show(before) {
  const differs = (...names) => names.some((name) => before[name] !== state[name]);
  if (differs(...FILTERS, "baseline", "by", "sort")) {
    drawMatrix();
    drawFilters();
  }
  if (differs(...FILTERS, "baseline", "row")) drawCharts();
  if (differs("cell", "baseline")) drawEvidence();
}

function drawFilters() {
  for (const box of form.querySelectorAll("input")) box.checked = state[box.name].has(box.value);
  form.elements.by.value = state.by;
  const clients = data.clients.filter((_, number) => isShown(number)).length;
  const uses = data.rows.filter((_, number) => isListed(number)).length;
  const sort = state.sort === null ? "" : `; sorted by ${data.rows[state.sort].label}`;
  document.getElementById("status").textContent =
    `${clients} of ${data.clients.length} clients in ${uses} of ${data.rows.length} uses; ` +
    `baseline ${data.clients[state.baseline].name}${sort}`;
}

form.addEventListener("change", (event) => {
  const { name, value, checked } = event.target;
  if (name === "by") return change({ by: value });
  const chosen = new Set(state[name]);
  if (checked) chosen.add(value);
  else chosen.delete(value);
  change({ [name]: chosen });
});
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", (event) => {
  event.preventDefault();
  const { row, cell, ...all } = beginning();
  change(all);
});

addEventListener("hashchange", () => {
  const before = state;
  state = readAddress();
  show(before);
});

state = readAddress();
drawMatrix();
drawFilters();
drawCharts();
drawEvidence();
