// Calls every operation of the API with a client made from its document. Each answer must have a
// status and a type that the document lists, and must fit the schema with no field beyond it.

import { Ajv2020 } from 'ajv/dist/2020.js';
import createClient, { type Middleware } from 'openapi-fetch';

import type { components, paths } from './api.js';

declare const process: { env: Record<string, string | undefined>; exit(code: number): never };

type Json = { [key: string]: any };
type Entry = components['schemas']['PageEntry'];

const base = process.env.LAUREL_HTTP ?? '';
const document: Json = await (await fetch(`${base}/openapi.json`)).json();
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
const called = new Set<string>(); // operation and type of the answer

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function check(what: string, actual: unknown, expected: unknown) {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) fail(`${what}: expected ${right}, got ${left}`);
}

// Schemas ------------------------------------------------------------------------------------------

function resolved(node: Json): Json {
  if (typeof node.$ref !== 'string') return node;
  let target: Json = document;
  for (const part of node.$ref.slice(2).split('/')) target = target[part];
  return target;
}

// The schema without references, and with no room for fields that it does not name. A branch of an
// allOf leaves that to the whole.
function strict(schema: Json, isBranch = false): Json {
  const { $ref, ...siblings } = schema;
  const copy: Json = { ...($ref ? resolved(schema) : {}), ...siblings };
  if (copy.$ref) return strict(copy, isBranch);
  for (const key of ['properties']) {
    if (!copy[key]) continue;
    copy[key] = Object.fromEntries(
      Object.entries<Json>(copy[key]).map(([name, part]) => [name, strict(part)]));
  }
  for (const key of ['items', 'additionalProperties']) {
    if (typeof copy[key] === 'object') copy[key] = strict(copy[key]);
  }
  for (const key of ['oneOf', 'anyOf']) {
    if (copy[key]) copy[key] = copy[key].map((part: Json) => strict(part));
  }
  if (copy.allOf) copy.allOf = copy.allOf.map((part: Json) => strict(part, true));
  const namesFields = copy.properties || copy.allOf;
  if (namesFields && !isBranch && copy.additionalProperties === undefined) {
    copy.unevaluatedProperties = false;
  }
  return copy;
}

function checkFits(what: string, schema: Json, value: unknown) {
  if (!ajv.validate(strict(schema), value)) {
    fail(`${what}: ${ajv.errorsText()}: ${JSON.stringify(value)}`);
  }
}

const checksAnswers: Middleware = {
  async onResponse({ request, response, schemaPath }) {
    const operation: Json = document.paths[schemaPath][request.method.toLowerCase()];
    const what = `${operation.operationId}, status ${response.status}`;
    const listed = operation.responses[response.status];
    if (!listed) fail(`${what} is not in the document`);
    const type = (response.headers.get('Content-Type') ?? '').split(';')[0] ?? '';
    if (!response.headers.get('X-Request-Id')) fail(`${what} has no X-Request-Id`);
    for (const header of Object.keys(resolved(listed).headers ?? {})) {
      if (!response.headers.get(header)) fail(`${what} has no ${header}`);
    }
    const types = resolved(listed).content;
    const fitting = types?.[type] ? type : '*/*';
    const content = types?.[fitting];
    if (!content && response.status !== 304) fail(`${what} has the type ${type}`);
    if (response.ok) called.add(`${operation.operationId} ${fitting}`);
    if (type.endsWith('json')) {
      checkFits(what, content.schema, await response.clone().json());
    }
    return undefined;
  },
};

const client = createClient<paths>({ baseUrl: base });
client.use(checksAnswers);

// The data of an answer that must be a success.
async function done<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>) {
  const { data, error, response } = await answer;
  if (data === undefined) fail(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
  return data;
}

// The status and the code of an answer that must be a problem.
async function refused(
  answer: Promise<{ error?: components['schemas']['Problem']; response: Response }>) {
  const { error, response } = await answer;
  if (error === undefined) fail(`${response.url}: ${response.status}, expected a problem`);
  return `${response.status} ${error.code}`;
}

// Calls --------------------------------------------------------------------------------------------

const arena = { path: { board: 'arena' } };
const ann = { path: { board: 'arena', member: 'ann' } };
const [boardPath, entriesPath, entryPath] = ['/v1/boards/{board}', '/v1/boards/{board}/entries',
  '/v1/boards/{board}/entries/{member}'] as const;

const names = (page: { entries: Entry[] }) => page.entries.map((entry) => entry.member);

async function boards() {
  const created = await client.PUT(boardPath, { params: arena, body: { policy: 'best' } });
  check('createBoard', [created.response.status, created.data?.policy], [201, 'best']);
  const again = await client.PUT(boardPath, { params: arena, body: { policy: 'best' } });
  check('createBoard again', again.response.status, 200);
  check('another spec', await refused(client.PUT(boardPath, {
    params: arena, body: { policy: 'sum' } })), '409 EXISTS');
  await done(client.PUT(boardPath, { params: { path: { board: '赛季/1' } }, body: {
    fields: ['points', { name: 'time', type: 'decimal2', direction: 'asc' }],
    periods: ['day', 'all'], tz: 'Asia/Shanghai', start: '2026-01-01T00:00:00Z', expire: '30d',
  } }));
  const described = await done(client.GET(boardPath, { params: arena }));
  check('getBoard', [described.size, described.fields[0]?.name], [0, 'score']);
  const altered = await done(client.PATCH(boardPath, {
    params: arena, body: { cap: 100, grace: null } }));
  check('alterBoard', altered.cap, 100);
  const list = await done(client.GET('/v1/boards', { params: { query: { limit: 1000 } } }));
  check('listBoards', list.boards.map((line) => line.board).sort(), ['arena', '赛季/1']);
  await done(client.GET('/v1/boards', { params: { query: { kind: 'sorted-set' } } }));
  check('no board', await refused(client.GET(boardPath, {
    params: { path: { board: 'nowhere' } } })), '404 NOBOARD');
}

async function templates() {
  const rank = { path: { pattern: 'rank:*' } };
  const made = await client.PUT('/v1/templates/{pattern}', {
    params: rank, body: { policy: 'sum', periods: ['week'] } });
  check('setTemplate', [made.response.status, made.data?.ok], [201, true]);
  const list = await done(client.GET('/v1/templates'));
  check('listTemplates', list.templates.map((each) => each.pattern), ['rank:*']);
  const one = await done(client.GET('/v1/templates/{pattern}', { params: rank }));
  check('getTemplate', one.spec.policy, 'sum');
  const gone = await done(client.DELETE('/v1/templates/{pattern}', { params: rank }));
  check('deleteTemplate', gone.removed, 1);
  check('no template', await refused(client.GET('/v1/templates/{pattern}', { params: rank })),
    '404 NOBOARD');
}

async function writes() {
  const header = { 'Idempotency-Key': 'match-1' };
  const body = { member: 'ann', score: ['100'], meta: 'Ann A.' };
  const first = await done(client.POST(entriesPath, { params: { ...arena, header }, body }));
  if (!('status' in first)) fail('one entry has one verdict');
  check('writeEntries', [first.status, first.rank, first.duplicate],
    ['accepted', 1, undefined]);
  const retry = await done(client.POST(entriesPath, { params: { ...arena, header }, body }));
  check('a retry', 'status' in retry && retry.duplicate, true);
  check('the key for another write', await refused(client.POST(entriesPath, {
    params: { ...arena, header }, body: { member: 'ann', score: 7 } })), '422 REUSED');
  const many = await done(client.POST(entriesPath, { params: arena, body: { entries: [
    { member: 'bob', score: 90 }, { member_base64: '/w==', score: { score: '80' } },
    { member: 'cid', score: ['70'] }] } }));
  check('several entries', 'verdicts' in many && many.verdicts.map((each) => each.rank), [2, 3, 4]);
  check('no number', await refused(client.POST(entriesPath, {
    params: arena, body: { member: 'ann', score: 'many' } })), '422 BADSCORE');
  check('a body without a score', await refused(client.POST(entriesPath, {
    params: arena, body: { member: 'ann' } })), '400 ERR');
  const both = await done(client.POST('/v1/submit', { body: { submits: [
    { board: 'arena', member: 'dee', score: 60 },
    { board: '赛季/1', member: 7, score: { points: 5, time: '1.50' } }] } }));
  check('submitToBoards', both.verdicts.map((each) => each.score), [['60'], ['5', '1.50']]);
  check('a verdict by period', both.verdicts[1]?.periods?.all?.rank, 1);
  const meta = await done(client.PUT('/v1/boards/{board}/entries/{member}/meta', {
    params: ann, body: { meta_base64: '/w==' } }));
  check('setMeta', meta.changed, 1);
  const hidden = '/v1/boards/{board}/entries/{member}/hidden' as const;
  check('hideMember', (await done(client.PUT(hidden, { params: ann }))).changed, 1);
  const unseen = await done(client.POST(entriesPath, {
    params: arena, body: { member: 'ann', score: 101 } }));
  check('a hidden member', 'status' in unseen && [unseen.hidden, unseen.rank], [true, null]);
  check('showMember', (await done(client.DELETE(hidden, { params: ann }))).changed, 1);
}

async function reads() {
  const page = await client.GET(entriesPath, { params: { ...arena, query: { meta: true } } });
  check('listEntries', page.data && names(page.data), ['ann', 'bob', undefined, 'cid', 'dee']);
  check('bytes', [page.data?.entries[0]?.meta_base64, page.data?.entries[2]?.member_base64],
    ['/w==', '/w==']);
  const etag = page.response.headers.get('ETag') ?? '';
  check('ETag', etag, `"${page.data?.version}"`);
  const known = await client.GET(entriesPath, {
    params: { ...arena, header: { 'If-None-Match': etag } } });
  check('If-None-Match', known.response.status, 304);
  const entry = await done(client.GET(entryPath, { params: { ...ann, query: { kind: 'dense' } } }));
  check('getEntry', [entry.rank, entry.count, entry.score], [1, 5, ['101']]);
  check('no entry', await refused(client.GET(entryPath, {
    params: { path: { board: 'arena', member: 'a/b' } } })), '404 NOMEMBER');
  const around = await done(client.GET('/v1/boards/{board}/entries/{member}/around', {
    params: { ...ann, query: { radius: 1 } } }));
  check('aroundEntry', names(around), ['ann', 'bob']);
  const among = await done(client.POST('/v1/boards/{board}/among', {
    params: arena, body: { members: ['nobody', 'cid', { member_base64: '/w==' }] } }));
  check('amongMembers', among.entries.map((each) => each.place), [1, 2, null]);
  const query = { min: '(60', max: 100 };
  check('rankOfScore', await done(client.GET('/v1/boards/{board}/rank-of', {
    params: { path: { board: '赛季/1' }, query: { score: ['9', '1.5'] } } })), { rank: 1 });
  check('countEntries', await done(client.GET('/v1/boards/{board}/count', {
    params: { ...arena, query } })), { count: 3 });
  check('listBetween', names(await done(client.GET('/v1/boards/{board}/between', {
    params: { ...arena, query: { ...query, limit: 2 } } }))), ['bob', undefined]);
  const percentile = await done(client.GET('/v1/boards/{board}/percentile', {
    params: { ...arena, query: { member: 'bob' } } }));
  check('getPercentile', percentile.percentile, 75);
  check('getQuantile', await done(client.GET('/v1/boards/{board}/quantile', {
    params: { ...arena, query: { p: 50 } } })), { score: ['80'] });
  const histogram = await done(client.GET('/v1/boards/{board}/histogram', {
    params: { ...arena, query: { buckets: 3 } } }));
  check('getHistogram', histogram.buckets.map((bucket) => bucket.count), [2, 1, 2]);
  const periods = await done(client.GET('/v1/boards/{board}/periods', {
    params: { path: { board: '赛季/1' } } }));
  check('listPeriods', periods.periods.map((each) => each.period), ['day', 'all']);
}

async function severalReads() {
  const results = (await done(client.POST('/v1/read', { body: { reads: [
    { read: 'entry', board: 'arena', member: 'ann' },
    { read: 'entries', board: 'arena', limit: 2, meta: true },
    { read: 'around', board: 'arena', member: 'ann', radius: 1 },
    { read: 'among', board: 'arena', members: ['ann'] },
    { read: 'rank-of', board: 'arena', score: 95 },
    { read: 'count', board: 'arena', min: '(60' },
    { read: 'between', board: 'arena', max: 80 },
    { read: 'percentile', board: 'arena', member: 'ann' },
    { read: 'quantile', board: 'arena', p: '50' },
    { read: 'histogram', board: 'arena', buckets: 2 },
    { read: 'periods', board: '赛季/1' },
    { read: 'board', board: '赛季/1@day' },
    { read: 'entry', board: 'nowhere', member: 'ann' }] } }))).results;
  check('readBoards', results.length, 13);
  const last = results[12];
  check('an error among them', last && 'code' in last && last.code, 'NOBOARD');
}

// A stream of events whose data must fit the schemas.
class EventReader {
  private text = '';
  private readonly seen: string[] = [];
  private readonly reader: ReadableStreamDefaultReader<string>;

  constructor(private readonly what: string, private readonly schemas: Json,
    stream: ReadableStream | null) {
    if (!stream) fail(`${what} has no body`);
    this.reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  }

  // Reads until each of the events has come, now or before.
  async until(...wanted: string[]) {
    while (wanted.some((name) => !this.seen.includes(name))) {
      const { value, done: ended } = await this.reader.read();
      if (ended) fail(`${this.what} ended after ${this.seen}`);
      const events = (this.text + value).split('\n\n');
      this.text = events.pop() ?? '';
      for (const event of events) this.check(event);
    }
  }

  private check(event: string) {
    const name = /^event: (.*)$/m.exec(event)?.[1] ?? '';
    const data = /^data: (.*)$/m.exec(event)?.[1];
    if (data === undefined) return; // a comment
    const schema = this.schemas[name] ?? this.schemas['*'];
    checkFits(`${this.what}, event ${name}`, schema, JSON.parse(data));
    this.seen.push(name);
  }
}

const eventsOf = (path: string) =>
  document.paths[path].get.responses[200].content['text/event-stream']['x-event-data'];

async function events() {
  const [changesPath, livePath] = ['/v1/boards/{board}/changes', '/v1/boards/{board}/live'] as const;
  const page = await done(client.GET(changesPath, {
    params: { ...arena, query: { from: '0', limit: 100 } } }));
  if (typeof page === 'string') fail('listChanges without Accept is a page');
  check('listChanges', page.events.slice(0, 3).map((event) => event.cause),
    ['created', 'altered', 'put']);
  const abort = new AbortController();
  const changes = await client.GET(changesPath, {
    params: { ...arena, query: { from: '0' } }, headers: { Accept: 'text/event-stream' },
    parseAs: 'stream', signal: abort.signal });
  await new EventReader('changes', eventsOf(changesPath), changes.response.body ?? null)
    .until('created', 'altered', 'put', 'hidden', 'shown');
  abort.abort();
  const abortLive = new AbortController();
  const live = await client.GET(livePath, {
    params: { ...arena, query: { top: 3, member: ['ann', 'nobody'] } }, parseAs: 'stream',
    signal: abortLive.signal });
  const reader = new EventReader('live', eventsOf(livePath), live.response.body ?? null);
  // A write before the first state would be part of it, and no update.
  await reader.until('state', 'members');
  await done(client.POST(entriesPath, { params: arena, body: { member: 'eve', score: 999 } }));
  await reader.until('update');
  abortLive.abort();
}

async function removals() {
  check('removeEntry', await done(client.DELETE(entryPath, { params: ann })), { removed: 1 });
  check('removeEntry of nobody', await refused(client.DELETE(entryPath, { params: ann })),
    '404 NOMEMBER');
  check('removeMembers', await done(client.POST('/v1/boards/{board}/remove', {
    params: arena, body: { members: ['bob', 'nobody', 7] } })), { removed: 1 });
  const popped = await done(client.POST('/v1/boards/{board}/pop', {
    params: arena, body: { n: 1, bottom: true } }));
  check('popEntries', names(popped), ['dee']);
  check('trimBoard', await done(client.POST('/v1/boards/{board}/trim', {
    params: arena, body: { n: 2 } })), { removed: 1 });
  check('clearBoard', await done(client.POST('/v1/boards/{board}/clear', {
    params: arena, body: {} })), { removed: 2 });
  check('dropBoard', await done(client.DELETE(boardPath, { params: arena })), { ok: true });
}

async function server() {
  check('whoAmI', (await done(client.GET('/v1/whoami'))).role, 'admin');
  check('getServer', (await done(client.GET('/v1/server'))).state, 'serving');
  check('listClients', (await done(client.GET('/v1/clients'))).clients.length > 0, true);
  await done(client.GET('/v1/slowlog'));
  check('health', (await done(client.GET('/healthz'))).ok, true);
  check('ready', (await done(client.GET('/readyz'))).writes, true);
  const metrics = await done(client.GET('/metrics', { parseAs: 'text' }));
  check('metrics', metrics.includes('# TYPE'), true);
  await done(client.GET('/openapi.json'));
  const page = await done(client.GET('/', { parseAs: 'text' }));
  const file = /"\.\/assets\/([^"]+)"/.exec(page)?.[1] ?? fail(`no file in the console: ${page}`);
  await done(client.GET('/assets/{file}', { params: { path: { file } }, parseAs: 'text' }));
  check('no file', await refused(client.GET('/assets/{file}', {
    params: { path: { file: 'none.js' } } })), '404 ERR');
}

for (const part of [boards, templates, writes, reads, severalReads, events, removals, server]) {
  console.log(part.name); // so that a run that is cut off shows where it was
  await part();
}

// Every operation, with every type of answer that the document lists.
for (const [path, methods] of Object.entries<Json>(document.paths)) {
  for (const [method, operation] of Object.entries<Json>(methods)) {
    for (const type of Object.keys(operation.responses[200].content)) {
      if (!called.has(`${operation.operationId} ${type}`)) {
        fail(`${method} ${path} (${operation.operationId}) was not called for ${type}`);
      }
    }
  }
}
console.log(`openapi-fetch: ${called.size} kinds of answers of all operations fit the document`);
process.exit(0);
