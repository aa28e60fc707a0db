// What the programs in JavaScript have in common: commands, and turns. The first line of input is the password, perhaps
// empty; each of the others is a turn, in seconds.
import { createInterface } from "node:readline";

const BATCH = 100;
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
export const password = (await lines.next()).value || undefined;

// 1,000 groups of commands: four in five are GETs, which have no value.
function made(prefix) {
  const name = (keys) => Buffer.from(prefix + String(Math.floor(Math.random() * keys)).padStart(7, "0")).toString();
  const values = Array.from({ length: 500 }, () => text(Math.min(Math.max(gauss(1024, 262.7), 4), 2048)));
  const command = () =>
    Math.random() < 0.8
      ? { key: name(37_500) }
      : { key: name(30_000), value: values[Math.floor(Math.random() * values.length)] };
  return Array.from({ length: 1_000 }, () => Array.from({ length: BATCH }, command));
}

function text(length) {
  return Buffer.from(Array.from({ length }, () => 97 + Math.floor(Math.random() * 26))).toString();
}

function gauss(mean, deviation) {
  return Math.round(
    mean + deviation * Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random()),
  );
}

/** Performs groups for each turn, and prints how many operations these were, and nanoseconds. */
export async function takeTurns(prefix, perform) {
  const groups = made(prefix);
  let at = 0;
  console.log("ready");
  for await (const line of lines) {
    const started = performance.now();
    const ends = started + Number(line) * 1e3;
    let operations = 0;
    let now = started;
    while (now < ends) {
      await perform(groups[at]);
      at = (at + 1) % groups.length;
      operations += BATCH;
      now = performance.now();
    }
    console.log(operations, Math.round((now - started) * 1e6));
  }
}
