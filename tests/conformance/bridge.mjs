// Sends commands through ioredis' cluster client: bridge.mjs HOST PORT, any server of the cluster.
//
// Listens on a free port of 127.0.0.1 and prints it. Serves one connection: each command (RESP) goes
// through the client, and its reply goes back as RESP2. LAUREL_MODULES is the folder of node_modules.

import { createServer } from 'node:net';

import { host, load, port } from '../clients/check.mjs';

const { Cluster, ReplyError } = load('ioredis');
const Parser = load('redis-parser');

function encoded(reply) {
  if (reply === null) return Buffer.from('$-1\r\n');
  if (typeof reply === 'number') return Buffer.from(`:${reply}\r\n`);
  if (Array.isArray(reply)) {
    return Buffer.concat([Buffer.from(`*${reply.length}\r\n`), ...reply.map(encoded)]);
  }
  const bytes = Buffer.from(reply);  // a status is a string, everything else a Buffer
  return Buffer.concat([Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n')]);
}

async function answer(client, [name, ...words]) {
  try {
    return encoded(await client.callBuffer(name.toString(), ...words));
  } catch (error) {
    if (!(error instanceof ReplyError)) throw error;  // ends this program
    return Buffer.from(`-${error.message}\r\n`);
  }
}

function serve(client, connection) {
  let last = Promise.resolve();  // replies go back in the order of the commands
  const parser = new Parser({
    returnBuffers: true,
    returnReply: (words) => {
      last = last.then(async () => connection.write(await answer(client, words)));
    },
    returnError: (error) => connection.destroy(error),
  });
  connection.setNoDelay(true);
  connection.on('data', (bytes) => parser.execute(bytes));
  connection.on('close', () => process.exit(0));
}

const client = new Cluster([{ host, port }]);
await new Promise((resolve) => client.once('ready', resolve));
const server = createServer((connection) => serve(client, connection));
server.listen(0, '127.0.0.1', () => {
  console.log(`bridge.mjs ready: resp 127.0.0.1:${server.address().port}`);
});
