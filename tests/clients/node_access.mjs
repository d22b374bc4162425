// node-redis and ioredis against a server with TLS and the tokens of access.toml:
// node_access.mjs HOST PORT. See run.py for the environment. On Redis, which has no such tokens, TLS
// alone is tried.

import { readFileSync } from 'node:fs';

import { check, checkRejects, host, load, onLaurel, port, runAll } from './check.mjs';

const { createClient, ErrorReply } = load('redis');
const { Redis, ReplyError } = load('ioredis');

const tlsPort = Number(process.env.LAUREL_TLS_PORT);
const ca = readFileSync(process.env.LAUREL_CA);

const keeper = onLaurel ? { password: 'keeper-token' } : {};

// A node-redis client that is connected; it does not try twice.
async function connect(options, socket = { host, port }) {
  const client = createClient({ socket: { reconnectStrategy: false, ...socket }, ...options });
  client.on('error', () => {});
  await client.connect();
  return client;
}

// An ioredis client that connects with its first command; it does not try twice.
function connectIo(options) {
  const client = new Redis({ host, port, lazyConnect: true, retryStrategy: null, ...options });
  client.on('error', () => {});
  return client;
}

// Without RESP node-redis sends AUTH, with it HELLO n AUTH name token.
async function nodeRedisLogsIn() {
  for (const RESP of [undefined, 2, 3]) {
    for (const name of [{}, { username: 'anyname' }]) {
      const client = await connect({ RESP, ...name, password: 'writer-token' });
      check('ZADD', await client.zAdd('lb:1', { score: 1, value: 'a' }), 1);
      check('ZREM', await client.zRem('lb:1', 'a'), 1);
      await checkRejects('DEL', ErrorReply, 'NOPERM', client.del('lb:1'));
      await checkRejects('another board', ErrorReply, 'NOPERM', client.zScore('other', 'a'));
      client.destroy();
    }
    await checkRejects('a wrong token', ErrorReply, 'WRONGPASS',
      connect({ RESP, password: 'wrong-token' }));
  }
  const stranger = await connect({});
  await checkRejects('no token', ErrorReply, 'NOAUTH', stranger.zScore('lb:1', 'a'));
  check('AUTH later', await stranger.auth({ password: 'reader-token' }), 'OK');
  check('a read after it', await stranger.zScore('lb:1', 'a'), null);
  await checkRejects('a write after it', ErrorReply, 'NOPERM',
    stranger.zAdd('lb:1', { score: 1, value: 'a' }));
  stranger.destroy();
}

async function ioredisLogsIn() {
  for (const name of [{}, { username: 'anyname' }]) {
    const client = connectIo({ ...name, password: 'writer-token' });
    check('ZADD', await client.zadd('lb:2', 1, 'a'), 1);
    check('ZREM', await client.zrem('lb:2', 'a'), 1);
    await checkRejects('DEL', ReplyError, 'NOPERM', client.del('lb:2'));
    await checkRejects('another board', ReplyError, 'NOPERM', client.zscore('other', 'a'));
    client.disconnect();
  }
  const wrong = connectIo({ password: 'wrong-token' });
  const refused = new Promise((resolve) => wrong.once('error', resolve));
  await checkRejects('a connect with a wrong token', Error, 'Connection is closed', wrong.connect());
  const error = await refused;
  check('its error event', [error.constructor, error.message.split(' ')[0]],
    [ReplyError, 'WRONGPASS']);
  wrong.disconnect();
}

async function tls() {
  const trusted = { host, port: tlsPort, tls: true, ca };
  for (const RESP of [2, 3]) {
    const client = await connect({ RESP, ...keeper }, trusted);
    const writes = Array.from({ length: 2000 },
      (_, i) => client.zAdd(`lb:tls${RESP}`, { score: i, value: `m${i}` }));
    check('ZADDs over TLS', (await Promise.all(writes)).every((added) => added === 1), true);
    check('ZRANGE over TLS', (await client.zRange(`lb:tls${RESP}`, 0, -1)).length, 2000);
    client.destroy();
  }
  const io = connectIo({ ...keeper, port: tlsPort, tls: { ca } });
  check('ioredis over TLS', await io.zcard('lb:tls3'), 2000);
  io.disconnect();
  await checkRejects('an unknown CA', Error, 'certificate',
    connect(keeper, { host, port: tlsPort, tls: true }));
}

await runAll('node-redis and ioredis', onLaurel ? [nodeRedisLogsIn, ioredisLogsIn, tls] : [tls]);
