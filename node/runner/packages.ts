import { readFileSync } from "node:fs";

/** The version of a package, from its own file, which its `exports` may hide. */
export function versionOf(name: string, load: NodeJS.Require): string {
  const file = load.resolve(name);
  const folder = file.slice(0, file.lastIndexOf(name) + name.length);
  return (JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as { version: string }).version;
}
