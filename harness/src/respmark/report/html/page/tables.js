// The table behind each chart, made when it is opened; its columns sort.

function drawTable(chart, values) {
  const figure = chart.figure;
  if (!figure.querySelector("details").open) return;
  const fields = Object.keys(chart.fields).filter((field) => field !== chart.pick);
  const table = element("table", "", { class: "plain" });
  const head = table.createTHead().insertRow();
  for (const field of fields) {
    const heading = element("th", "", { scope: "col", class: kind(values, field) });
    heading.setAttribute("aria-sort", sorted(chart, field));
    const button = element("button", chart.fields[field], { type: "button" });
    button.addEventListener("click", () => {
      const descending = chart.sort?.field === field && !chart.sort.descending;
      chart.sort = { field, descending };
      drawTable(chart, values);
      figure.querySelectorAll("th button")[fields.indexOf(field)].focus();
    });
    heading.append(button);
    head.append(heading);
  }
  const body = table.createTBody();
  for (const value of inOrder(chart, values)) {
    const line = body.insertRow();
    for (const field of fields) line.append(element("td", written(value[field]), { class: kind(values, field) }));
  }
  figure.querySelector(".scroll").replaceChildren(table);
}

const kind = (values, field) => (values.some((value) => typeof value[field] === "string") ? "text" : "number");
const written = (value) => (typeof value === "number" ? value.toLocaleString("en", { maximumSignificantDigits: 5 }) : value ?? "");

function sorted(chart, field) {
  if (chart.sort?.field !== field) return "none";
  return chart.sort.descending ? "descending" : "ascending";
}

function inOrder(chart, values) {
  if (!chart.sort) return values;
  const { field, descending } = chart.sort;
  const sign = descending ? -1 : 1;
  return [...values].sort(({ [field]: one }, { [field]: other }) => {
    const compared = typeof one === "string" ? one.localeCompare(other) : (one ?? -Infinity) - (other ?? -Infinity);
    return sign * compared;
  });
}
