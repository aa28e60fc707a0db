// Issues commands without waiting for replies: all of them at once, or at most so many at a time.
// `node unbounded.mjs PACKAGES PORT COMMANDS MOST`; MOST is 0 for no bound; PASSWORD in the environment is the server's.
import { createRequire } from "node:module";

const [packages, port, commands, most] = process.argv.slice(2);
const { createClient } = createRequire(`${packages}/`)("redis");
const client = await createClient({ socket: { port: Number(port) }, password: process.env.PASSWORD }).connect();
const value = "x".repeat(1024);
let issued = 0;

async function worker() {
  while (issued < Number(commands)) await client.set(`key:${issued++ % 1000}`, value);
}

if (Number(most) > 0) {
  await Promise.all(Array.from({ length: Number(most) }, worker));
} else {
  const replies = [];
  while (issued < Number(commands)) replies.push(client.set(`key:${issued++ % 1000}`, value));
  await Promise.all(replies);
}
client.destroy();
