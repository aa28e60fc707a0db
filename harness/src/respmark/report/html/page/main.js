// Every change goes through `change`: state, address, and what is seen.

const form = document.getElementById("filters");

function change(changes) {
  const before = state;
  state = { ...state, ...changes };
  show(before);
  writeAddress();
}

function restore() {
  const before = state;
  state = readAddress();
  show(before);
}

function show(before) {
  drawMatrix();
  drawFilters();
  drawEvidence();
  if ([...FILTERS, "baseline", "row"].some((name) => before[name] !== state[name])) drawCharts();
}

function drawFilters() {
  for (const box of form.querySelectorAll("input")) box.checked = state[box.name].has(box.value);
  form.elements.by.value = state.by;
  const clients = data.clients.filter((_, number) => isShown(number)).length;
  const uses = data.rows.filter((_, number) => isListed(number)).length;
  const sort = state.sort === null ? "" : `; sorted by ${LABELS[state.sort]}`;
  document.getElementById("status").textContent =
    `${clients} of ${data.clients.length} clients in ${uses} of ${data.rows.length} uses; ` +
    `baseline ${EVERY.client[state.baseline]}${sort}`;
}

form.addEventListener("change", ({ target: { name, value } }) => {
  if (name === "by") return change({ by: value });
  const checked = [...form.querySelectorAll(`input[name="${name}"]:checked`)];
  change({ [name]: new Set(checked.map((box) => box.value)) });
});
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", (event) => {
  event.preventDefault();
  const { row, cell, ...all } = beginning();
  change(all);
});
addEventListener("hashchange", restore);
restore();
