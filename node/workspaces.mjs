// Of a repository's packages, which `npm query` prints to standard input, prints the folder of the one that is named and
// of those that it depends on.
import { readFileSync } from "node:fs";

const found = JSON.parse(readFileSync(0, "utf8"));
const packages = new Map(found.map((one) => [one.name, one]));
const wanted = new Set([process.argv[2]]);
for (const name of wanted) {
  const { location = null, dependencies = {} } = packages.get(name) ?? {};
  if (location !== null) {
    process.stdout.write(`./${location}\n`);
  }
  for (const other of Object.keys(dependencies)) {
    if (packages.has(other)) {
      wanted.add(other); // a set's members that are added while they are gone through come later
    }
  }
}
