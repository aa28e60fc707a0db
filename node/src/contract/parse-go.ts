import { NoGo } from "../errors.js";

/** Takes the line after `ready`; anything but `go` ends the trial. */
export function checkGo(line: string | undefined): void {
  if (line === undefined) {
    throw new NoGo('standard input ended before {"event":"go"}: nothing was measured');
  }
  if (!isGo(line)) {
    throw new NoGo('after ready, standard input must have the line {"event":"go"}: nothing was measured');
  }
}

function isGo(line: string): boolean {
  try {
    return JSON.stringify(JSON.parse(line)) === '{"event":"go"}';
  } catch {
    return false;
  }
}
