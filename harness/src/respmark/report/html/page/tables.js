// The table behind each chart, made when it is opened.

function drawTable(chart, values) {
  const figure = chart.figure;
  if (!figure.querySelector("details").open) return;
  const fields = Object.keys(chart.fields).filter((field) => field !== chart.pick);
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
