// The charts: Vega-Lite's specs with the rows that are chosen, drawn one after the other so that the page stays quick.

const NARROW = 320; // pixels that a facet needs
const WIDE = 700; // pixels in which a long name fits beside a facet
const BROKEN = "split(replace(replace(datum.label, '[', '\\n['), ' on ', '\\non '), '\\n')"; // into lines, where it is narrower
const dark = matchMedia("(prefers-color-scheme: dark)");
const charts = [...document.querySelectorAll("figure[data-chart]")].map((figure) => {
  const chart = { ...data.charts[figure.dataset.chart], figure, holder: figure.querySelector(".chart"), view: null };
  const fields = Object.keys(chart.fields);
  chart.values = chart.rows.map((row) => Object.fromEntries(row.map((value, place) => [fields[place], value])));
  figure.querySelector("details").addEventListener("toggle", () => drawTable(chart, chosen(chart)));
  return chart;
});
const rowPicker = document.getElementById("row");
let drawing = 0;

async function drawCharts() {
  if (rowPicker) rowPicker.value = state.row;
  drawing += 1;
  const turn = drawing;
  for (const chart of charts) {
    await new Promise((done) => setTimeout(done));
    if (turn !== drawing) return;
    await draw(chart);
  }
  document.body.setAttribute("data-drawn", turn);
}

async function draw(chart) {
  const values = chosen(chart);
  drawTable(chart, values);
  chart.figure.hidden = values.length === 0; // a panel without figures says nothing
  chart.view?.finalize();
  chart.view = null;
  if (!values.length) return chart.holder.replaceChildren();
  chart.holder.classList.toggle("dark", dark.matches);
  const config = data.config[dark.matches ? "dark" : "light"];
  const spec = { $schema: "https://vega.github.io/schema/vega-lite/v6.json", ...sized(chart, values) };
  Object.assign(spec, { data: { name: "rows" }, datasets: { rows: values } });
  chart.view = await vegaEmbed(chart.holder, spec, {
    ast: true, // expressions are interpreted: the page's policy forbids `eval`
    actions: false,
    renderer: "svg",
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
    config: { ...config, background: "transparent" },
  });
  // The holder has the chart's name and the table its figures: its hundreds of marks are not read out one by one.
  for (const svg of chart.holder.querySelectorAll("svg")) {
    for (const part of svg.querySelectorAll("[role]")) part.removeAttribute("role");
    svg.setAttribute("aria-hidden", "true");
  }
}

// The rows of a chart that the reader chose; ratios are made anew, because they hang on the baseline.
function chosen(chart) {
  const values = chart.key === "forest" ? ratioRows() : chart.values;
  const shown = new Set(EVERY.client.filter((_, number) => isShown(number)));
  const found = values.filter((value) => (!value.client || shown.has(value.client)) && isPicked(chart, value));
  if (chart.key !== "post") return found;
  const own = new Set(found.filter((value) => value.client).map((value) => value.table));
  return found.filter((value) => own.has(value.table)); // a published curve alone says nothing of this run
}

const isPicked = (chart, value) =>
  chart.pick === "row" ? value.row === state.row : value.group === data.rows[state.row].groups[chart.pick];

function ratioRows() {
  const row = data.rows[state.row];
  return Object.entries(data.metrics).filter(([metric]) => row.ratios[metric].length).flatMap(([metric, name]) =>
    Object.keys(row.figures[data.main]).map(Number).flatMap((client) => {
      const common = { row: state.row, metric: name, client: EVERY.client[client] };
      if (client === state.baseline) return [{ ...common, value: 1, low: 1, high: 1, known: "baseline" }];
      const ratio = ratioOf(state.row, metric, client, state.baseline);
      if (!ratio) return [];
      const { value, low, high, shown } = ratio;
      return [{ ...common, value, low, high, known: shown ? "shown" : "not shown" }];
    }),
  );
}

function sized(chart, values) {
  const spec = structuredClone(chart.spec);
  const clients = [...new Set(values.map((value) => value.client))].filter((client) => client);
  nameInLegend(spec, clients, Math.max(1, Math.floor(chart.holder.clientWidth / 260)));
  const width = chart.holder.clientWidth;
  if (!chart.columns) return { ...spec, width: width - 8, autosize: { type: "fit-x", contains: "padding" } };
  const labels = chart.key === "forest" ? Math.min(190, width * 0.42) : 64;
  const facets = new Set(values.map((value) => value[spec.facet.field])).size;
  const columns = Math.max(1, Math.min(chart.columns, facets, Math.floor(width / NARROW)));
  const shared = chart.key === "forest" ? labels : labels * columns;
  spec.spec.width = Math.floor((width - shared - 28 * (columns - 1) - 16) / columns);
  if (chart.key === "forest") {
    for (const layer of spec.spec.layer.slice(1)) {
      Object.assign(layer.encoding.y.axis, { labelLimit: labels - 12, ...(width < WIDE && { labelExpr: BROKEN }) });
    }
    if (width < WIDE) spec.spec.height = { step: 44 };
  }
  if (chart.key === "releases" && width < WIDE) {
    Object.assign(spec.spec.encoding.x.axis, { labelAngle: -90, labelOverlap: true });
  }
  return { ...spec, columns };
}

// Scales have all clients of the run, legends only those that are drawn.
function nameInLegend(part, clients, columns) {
  if (part?.field === "client" && part.legend) Object.assign(part.legend, { values: clients, columns });
  if (part && typeof part === "object") Object.values(part).forEach((one) => nameInLegend(one, clients, columns));
}

// The table behind a chart, made when it is opened.
function drawTable(chart, values) {
  const figure = chart.figure;
  if (!figure.querySelector("details").open) return;
  const fields = Object.keys(chart.fields).filter((field) => field !== "row" && field !== "group");
  const kind = (field) => ({ class: values.some((value) => typeof value[field] === "string") ? "text" : "number" });
  const table = element("table", "", { class: "plain" });
  const head = table.createTHead().insertRow();
  for (const field of fields) head.append(element("th", chart.fields[field], { scope: "col", ...kind(field) }));
  const body = table.createTBody();
  for (const value of values) {
    const line = body.insertRow();
    for (const field of fields) line.append(element("td", written(value[field]), kind(field)));
  }
  figure.querySelector(".scroll").replaceChildren(table);
}

const written = (value) => (typeof value === "number" ? value.toLocaleString("en", { maximumSignificantDigits: 5 }) : value ?? "");

dark.addEventListener("change", drawCharts);
rowPicker?.addEventListener("change", () => change({ row: Number(rowPicker.value) }));
let widthBefore = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== widthBefore) drawCharts();
  widthBefore = innerWidth;
});
