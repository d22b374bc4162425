// A leaderboard over HTTP, with what Node 18 brings along.
//
//     LAUREL_URL=http://127.0.0.1:7680 LAUREL_TOKEN=… node leaderboard.mjs
//
// The token must have the role admin, because the program creates a board and drops it at the end.
// A server without tokens needs none.
import { randomUUID } from 'node:crypto';

const URL = process.env.LAUREL_URL ?? 'http://127.0.0.1:7680';
const TOKEN = process.env.LAUREL_TOKEN;
const BOARD = '/v1/boards/example';

// A refused request: the server's answer of the type application/problem+json.
class Problem extends Error {
  constructor({ status, code, detail, field }) {
    super(detail);
    Object.assign(this, { status, code, field });
  }
}

// The answer to a request, not read yet.
async function send(method, path, body, headers = {}) {
  if (TOKEN) headers.Authorization = `Bearer ${TOKEN}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const answer = await fetch(URL + path, { method, headers, body: JSON.stringify(body) });
  if (answer.ok) return answer;
  if (answer.headers.get('content-type') === 'application/problem+json') {
    throw new Problem(await answer.json());
  }
  throw new Error(`${answer.status} ${answer.statusText}`); // not from Laurel: a proxy perhaps
}

async function call(method, path, body, headers) {
  return (await send(method, path, body, headers)).json();
}

// Submits a score. A retry with the same key changes nothing and gets the first verdict.
async function submit(member, score, key = randomUUID()) {
  const verdict = await call('POST', `${BOARD}/entries`, { member, score: [score] },
    { 'Idempotency-Key': key });
  const duplicate = verdict.duplicate ? ', duplicate' : '';
  console.log(`${member} ${score}: ${verdict.status}, rank ${verdict.rank}${duplicate}`);
}

// Yields the name and the data of each event of a stream. To leave the loop ends the stream.
async function* events(path) {
  const stream = await send('GET', path, undefined, { Accept: 'text/event-stream' });
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of stream.body) {
    const parts = (text + decoder.decode(bytes, { stream: true })).split('\n\n');
    text = parts.pop();
    for (const part of parts) {
      // Laurel writes data as one line.
      const fields = Object.fromEntries(part.split('\n').map((line) => {
        const colon = line.indexOf(': ');
        return [line.slice(0, colon), line.slice(colon + 2)];
      }));
      if (fields.data) yield [fields.event, JSON.parse(fields.data)];
    }
  }
}

const lineOf = (entries) =>
  entries.map(({ rank, member, score }) => `${rank} ${member} ${score[0]}`).join(', ');

// The first event has the whole top. Each update has the entries that have changed since.
async function followLive() {
  const submits = [['dan', '2000'], ['cem', '1700']];
  const top = [];
  for await (const [name, data] of events(`${BOARD}/live?top=3`)) {
    for (const entry of data.entries) top[entry.rank - 1] = entry;
    top.length = data.size;
    console.log(`live ${name}: ${lineOf(top)}`);
    if (submits.length === 0) break;
    await submit(...submits.shift());
  }
}

// A cursor of now, and then every event after it. None is lost in between.
async function followChanges() {
  const { next } = await call('GET', `${BOARD}/changes?from=$`);
  await submit('eve', '800');
  for await (const [name, data] of events(`${BOARD}/changes?from=${next}`)) {
    console.log(`change ${name}: ${data.member} ${data.score[0]}`);
    break;
  }
}

await call('PUT', BOARD, { policy: 'best' });
console.log('created example');

const key = randomUUID();
await submit('ann', '1200', key);
await submit('ann', '1200', key); // as after a lost answer
await submit('bob', '1500');
await submit('cem', '900');

console.log(`top: ${lineOf((await call('GET', `${BOARD}/entries?limit=3`)).entries)}`);
const entry = await call('GET', `${BOARD}/entries/cem`);
console.log(`cem: rank ${entry.rank} of ${entry.count}`);

await followLive();
await followChanges();

try {
  await submit('ann', '12.5');
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  console.log(`refused: ${error.status} ${error.code}, field ${error.field}`);
}

await call('DELETE', BOARD);
console.log('dropped example');
