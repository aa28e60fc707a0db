import { readFileSync } from "node:fs";
import { parseJson } from "../contract/fields.js";
import { InvalidInput } from "../errors.js";
import { type Header, parseHeader, type Section } from "./header.js";
import { type WordType, Workload } from "./workload.js";

const MAGIC = "RESPMARK";
const LAYOUT_VERSION = 2;
const PREAMBLE_BYTES = 16;
const UINT32_BYTES = 4;

/** Reads a workload file; an error in it makes the trial invalid. `wordType` is what values are given as. */
export function readWorkload(path: string, wordType: WordType = "text"): Workload {
  try {
    return parseWorkload(readContent(path), wordType);
  } catch (error) {
    if (error instanceof InvalidInput) {
      throw new InvalidInput(`trial.workload.path: ${path}: ${error.message}`);
    }
    throw error;
  }
}

/** Parses the bytes of a workload file. */
export function parseWorkload(content: Buffer, wordType: WordType = "text"): Workload {
  const header = readHeader(content);
  const column = (name: "kinds" | "keys" | "sizes", width: number) => {
    const { offset, length } = header[name];
    return cut(content, { offset, length: Math.max(length, header.commands * width) });
  };
  const columns = {
    kinds: column("kinds", 1),
    keys: column("keys", UINT32_BYTES),
    sizes: column("sizes", UINT32_BYTES),
    block: cut(content, header.block),
  };
  return new Workload(header, columns, wordType);
}

function readContent(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new InvalidInput(
      `it cannot be read (${(error as NodeJS.ErrnoException).code}): make the workload file first`,
    );
  }
}

function readHeader(content: Buffer): Header {
  if (content.length < PREAMBLE_BYTES || content.toString("latin1", 0, MAGIC.length) !== MAGIC) {
    throw new InvalidInput(`it is not a workload file: it does not start with ${MAGIC}`);
  }
  const version = content.readUInt32LE(MAGIC.length);
  if (version !== LAYOUT_VERSION) {
    throw new InvalidInput(`its layout is ${version}, and this runner reads ${LAYOUT_VERSION}: make the file again`);
  }
  const length = content.readUInt32LE(MAGIC.length + UINT32_BYTES);
  return parseHeader(parseJson(cut(content, { offset: PREAMBLE_BYTES, length }).toString("utf8"), "its header"));
}

function cut(content: Buffer, { offset, length }: Section): Buffer {
  if (offset + length > content.length) {
    throw new InvalidInput(`it is cut off: it has ${content.length} bytes, and a column ends at ${offset + length}`);
  }
  return content.subarray(offset, offset + length);
}
