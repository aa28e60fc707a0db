// A program that uses a server in one way: `load.cjs PORT WAY NAME`; node-redis.
const { createClient } = require('redis');
const { setTimeout: sleep } = require('node:timers/promises');

const [port, way, name] = process.argv.slice(2);
const script = 'local sum = 0 for i = 1, 1000000 do sum = sum + i end return sum';
const connect = () =>
  createClient({ url: `redis://127.0.0.1:${port}`, name })
    .on('error', () => {})
    .connect();
const kept = [];

async function forever(pauseMs, work) {
  for (let number = 0; ; number++) {
    await work(number);
    await sleep(pauseMs);
  }
}

const ways = {
  churn: [20, async () => {
    const one = await connect();
    await one.get('key:1');
    await one.close();
  }],
  loop: [0, (client, number) => client.set(`new:${number % 1000}`, 'value')],
  keys: [20, (client) => client.keys('*')],
  'whole-set': [50, (client) => client.sMembers('members')],
  script: [50, (client) => client.eval(script)],
  'set-expire': [4, async (client, number) => {
    await client.set(`new:${number % 1000}`, 'value');
    await client.expire(`new:${number % 1000}`, 60);
  }],
  poll: [5, (client) => client.lPop('nothing')],
  'wrong-type': [10, (client) => client.lPush('text', 'value').catch(() => {})],
  'large-values': [100, (client) => client.get('large')],
  leak: [200, async () => kept.push(await connect())],
  requests: [10, async (client, number) => {
    await client.get(`key:${number % 1000}`);
    if (number % 3 === 0) await client.set(`new:${number % 1000}`, 'value', { expiration: { type: 'EX', value: 600 } });
    await client.hGet('hash', 'field');
  }],
  batch: [20, (client, number) =>
    Promise.all(Array.from({ length: 50 }, (_, place) => client.get(`key:${(number + place) % 1000}`)))],
  'set-ex': [4, (client, number) =>
    client.set(`new:${number % 1000}`, 'value', { expiration: { type: 'EX', value: 600 } })],
  worker: [0, async (client, number) => {
    if (number === 0) connect().then((one) => forever(50, () => one.rPush('queue', 'job')));
    await client.blPop('queue', 2);
  }],
  subscriber: [1000, async (client, number) => {
    if (number > 0) return;
    connect().then((one) => forever(20, () => one.publish('news', 'message')));
    await client.subscribe('news', () => {});
  }],
};

(async () => {
  const client = await connect();
  const [pauseMs, work] = ways[way];
  for (let number = 0; ; number++) {
    await work(client, number);
    if (number === 0) console.log('begun');
    if (pauseMs > 0) await sleep(pauseMs);
  }
})();
