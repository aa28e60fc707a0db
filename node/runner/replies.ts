/** A reply as the contract has it in JSON. */
export function encoded(reply: unknown): unknown {
  if (Buffer.isBuffer(reply)) {
    return { bytes: reply.toString("base64") };
  }
  if (Array.isArray(reply)) {
    return reply.map(encoded);
  }
  if (typeof reply === "object" && reply !== null) {
    const pairs = reply instanceof Map ? [...reply] : Object.entries(reply);
    return { map: pairs.map((pair) => pair.map(encoded)) };
  }
  return reply ?? null;
}
