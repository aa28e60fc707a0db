import { InvalidInput } from "../errors.js";
import * as read from "./fields.js";
import type { Order, OrderName } from "./orders.js";

const FIELDS: Readonly<Record<OrderName, readonly string[]>> = {
  connect: ["order"],
  slice: ["order", "slice", "duration_ns", "lead_in_ns", "first_command", "keep_samples"],
  finish: ["order"],
};
const NAMES = Object.keys(FIELDS) as OrderName[];

/** Parses a line of standard input that follows the trial; refuses an order that is not `due`. */
export function parseOrder<Name extends OrderName>(
  line: string,
  due: readonly Name[],
): Extract<Order, { order: Name }> {
  try {
    const order = orderOf(read.parseJson(line, "the order"));
    if (!due.some((name) => name === order.order)) {
      throw new InvalidInput(`the order ${order.order} is not due`);
    }
    return order as Extract<Order, { order: Name }>;
  } catch (error) {
    throw error instanceof InvalidInput ? new InvalidInput(`${error.message}; due: ${duePhrase(due)}`) : error;
  }
}

/** The orders that are due, as part of a sentence. */
export function duePhrase(due: readonly OrderName[]): string {
  return due.length === 0 ? "the end of standard input" : due.join(" or ");
}

function orderOf(value: unknown): Order {
  const name = read.oneOf(read.fieldsOf(value, "order", FIELDS.slice), "order", NAMES);
  const fields = read.fieldsOf(value, `order ${name}`, FIELDS[name]);
  if (name !== "slice") {
    return { order: name };
  }
  return {
    order: name,
    slice: read.integer(fields, "slice", { least: 1 }),
    durationNs: read.integer(fields, "duration_ns", { least: 1 }),
    leadInNs: read.integer(fields, "lead_in_ns", { least: 0 }, 0),
    firstCommand: read.integer(fields, "first_command", { least: 0 }),
    keepSamples: read.flag(fields, "keep_samples"),
  };
}
