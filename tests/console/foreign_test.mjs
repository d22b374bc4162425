// What a page of another site can do to a server on loopback that has no tokens: nothing. It can
// neither write, nor read, nor show the console in a frame. Tried in the browser, which is what the
// rules of Host, Origin and Content-Type (docs/http.md) and the headers of the answers are for.
//
// Server and foreign pages are both on loopback, so that no rule of the browser about local networks
// stands before those of the server.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { browser, launchBrowser, limitMs, makeToken, openPage, Server } from './support.mjs';

/** In all names of the server's data. A foreign page that shows this has read something. */
const secret = 'hush7f3a';
const board = `${secret}-board`;
const member = `${secret}-member`;

let server;
let foreign; // the origin of the foreign pages
let foreignServer;

before(async () => {
  foreignServer = createServer((request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end('<!doctype html><title>foreign</title><p>foreign</p>');
  });
  await new Promise((done) => foreignServer.listen(0, '127.0.0.1', done));
  foreign = `http://localhost:${foreignServer.address().port}`;
  server = await filled(new Server());
});
after(() => {
  foreignServer.closeAllConnections();
  foreignServer.close();
});

async function filled(made) {
  await made.start();
  await made.api('PUT', `boards/${board}`, { policy: 'best' });
  await made.api('POST', `boards/${board}/entries`, { member, score: 100 });
  await made.api('PUT', `boards/${board}/entries/${member}-hidden/hidden`);
  await made.api('PUT', `templates/${secret}:*`, { policy: 'sum' });
  return made;
}

/** All that a write could change: boards, templates, entries, and every event of the log. */
async function stateOf(target) {
  const { boards } = await target.api('GET', 'boards');
  const { templates } = await target.api('GET', 'templates');
  const { count, entries } = await target.api('GET', `boards/${board}/entries?meta=1`);
  const { events } = await target.api('GET', `boards/${board}/changes?from=0`);
  const { hidden } = await target.api('GET', `boards/${board}`);
  return { boards, templates, count, entries, events, hidden };
}

let profile; // all foreign pages share one: a site's pages do, too

async function pageOf(t, address, using) {
  profile ??= (await browser()).newContext();
  const page = await (using ?? (await profile)).newPage();
  t.after(() => page.close());
  page.setDefaultTimeout(limitMs);
  await page.goto(address);
  return page;
}

/**
 * A test in which a foreign page runs `run(page, address)`. What run returns is what the page saw: it
 * must have no data. Nothing may be written.
 */
function attack(name, run, { target = () => server, from = () => foreign } = {}) {
  test(name, async (t) => {
    const was = await stateOf(target());
    const page = await pageOf(t, from());
    const saw = await run(page, target().url);
    assert.ok(
      !JSON.stringify(saw ?? null).includes(secret),
      `the page read ${JSON.stringify(saw)}`,
    );
    assert.deepEqual(await stateOf(target()), was, 'the page wrote');
  });
}

/** The answer to a request that the page sends while `send` runs; null if the browser refused to send. */
async function answerTo(page, address, send) {
  const isIt = (request) => request.url().startsWith(address);
  const answered = Promise.race([
    page.waitForEvent('response', (response) => isIt(response.request())),
    page.waitForEvent('requestfailed', isIt).then(() => null),
  ]);
  await send();
  return answered;
}

// Forms --------------------------------------------------------------------------------------------

const entry = JSON.stringify({ member: 'eve', score: 999 });
const json = { 'Content-Type': 'application/json' };

/** Submits a form whose body looks like JSON, as far as the encoding permits. */
async function submitForm(page, { action, encoding, body }) {
  // A text/plain form sends NAME=VALUE, so the equals sign has to hide in a string.
  const [name, value] =
    encoding === 'text/plain' ? [`${body.slice(0, -1)},"x":"`, '"}'] : [body, ''];
  await page.evaluate(
    ([action, encoding, name, value]) => {
      const form = document.createElement('form');
      Object.assign(form, { action, method: 'POST', enctype: encoding });
      const input = document.createElement('input');
      Object.assign(input, { name, value });
      form.append(input);
      document.body.append(form);
      form.submit();
    },
    [action, encoding, name, value],
  );
}

for (const encoding of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
  attack(`a form sent as ${encoding} writes no entry`, async (page, address) => {
    const action = `${address}v1/boards/${board}/entries`;
    const answer = await answerTo(page, action, () =>
      submitForm(page, { action, encoding, body: entry }),
    );
    assert.equal(answer.status(), 403);
    assert.equal((await answer.request().allHeaders())['content-type'].split(';')[0], encoding);
    await page.waitForURL(action);
    return page.textContent('body');
  });
}

for (const route of ['clear', 'pop', 'trim', 'remove']) {
  attack(`a form cannot call the route ${route}`, async (page, address) => {
    const action = `${address}v1/boards/${board}/${route}`;
    const body = JSON.stringify({ n: 0 });
    const answer = await answerTo(page, action, () =>
      submitForm(page, { action, encoding: 'text/plain', body }),
    );
    assert.equal(answer.status(), 403);
  });
}

for (const target of [
  `v1/boards/${board}?_method=DELETE`,
  `v1/boards/${board}/entries/${member}?_method=DELETE`,
]) {
  attack(`a form to ${target} deletes nothing`, async (page, address) => {
    const action = address + target;
    const answer = await answerTo(page, action, () =>
      submitForm(page, {
        action,
        encoding: 'application/x-www-form-urlencoded',
        body: '_method=DELETE',
      }),
    );
    assert.equal(answer.status(), 403);
  });
}

// Scripts ------------------------------------------------------------------------------------------

/** What fetch gives the page: its text, or the error. */
function fetchIn(page, address, options) {
  return page.evaluate(
    async ([address, options]) => {
      try {
        const answer = await fetch(address, options);
        return {
          type: answer.type,
          status: answer.status,
          text: await answer.text(),
        };
      } catch (error) {
        return { error: error.name };
      }
    },
    [address, options],
  );
}

for (const type of ['text/plain', 'application/json']) {
  attack(`fetch without CORS and with ${type} writes no entry`, async (page, address) => {
    const action = `${address}v1/boards/${board}/entries`;
    let saw;
    const answer = await answerTo(page, action, async () => {
      const headers = { 'Content-Type': type };
      saw = await fetchIn(page, action, {
        method: 'POST',
        mode: 'no-cors',
        body: entry,
        headers,
      });
    });
    assert.equal(answer.status(), 403);
    assert.deepEqual(saw, { type: 'opaque', status: 0, text: '' });
    return saw;
  });

  attack(`fetch with CORS and ${type} writes no entry`, async (page, address) => {
    const action = `${address}v1/boards/${board}/entries`;
    const saw = await fetchIn(page, action, {
      method: 'POST',
      body: entry,
      headers: { 'Content-Type': type },
    });
    assert.deepEqual(saw, { error: 'TypeError' });
    return saw;
  });
}

const lists = ['v1/boards', `v1/boards/${board}/entries`, 'v1/templates'];
for (const target of [...lists, 'v1/server', 'v1/whoami', 'metrics', 'healthz', '']) {
  attack(`fetch cannot read /${target}`, async (page, address) => {
    const plain = await fetchIn(page, address + target, {});
    const opaque = await fetchIn(page, address + target, { mode: 'no-cors' });
    const withCookies = await fetchIn(page, address + target, {
      credentials: 'include',
    });
    const withToken = await fetchIn(page, address + target, {
      headers: { Authorization: 'Bearer x' },
    });
    assert.deepEqual([plain, withCookies, withToken], Array(3).fill({ error: 'TypeError' }));
    assert.ok(
      opaque.error === 'TypeError' || (opaque.type === 'opaque' && opaque.text === ''),
      JSON.stringify(opaque),
    );
    return [plain, opaque, withCookies, withToken];
  });
}

const changes = [
  ['PUT', `v1/boards/${secret}-made`, '{}'],
  ['PUT', `v1/boards/${board}/entries/${member}/hidden`],
  ['DELETE', `v1/boards/${board}`],
  ['DELETE', `v1/boards/${board}/entries/${member}`],
  ['DELETE', `v1/templates/${secret}:*`],
  ['PATCH', `v1/boards/${board}`, '{"cap":1}'],
];
for (const [method, target, body] of changes) {
  attack(`the preflight of ${method} /${target} is refused`, async (page, address) => {
    const headers = body === undefined ? {} : json;
    const saw = [
      await fetchIn(page, address + target, { method, body, headers }),
      await fetchIn(page, address + target, {
        method,
        body,
        headers,
        credentials: 'include',
      }),
    ];
    assert.deepEqual(saw, Array(2).fill({ error: 'TypeError' }));
    return saw;
  });
}

for (const [method, withCredentials] of [
  ['GET', false],
  ['GET', true],
  ['POST', false],
  ['DELETE', false],
]) {
  const how = `${method}${withCredentials ? ' with credentials' : ''}`;
  attack(`XMLHttpRequest ${how} does nothing`, async (page, address) => {
    const target = `${address}v1/boards/${board}/entries${method === 'DELETE' ? `/${member}` : ''}`;
    const saw = await page.evaluate(
      ([method, target, withCredentials, body]) =>
        new Promise((done) => {
          const request = new XMLHttpRequest();
          request.open(method, target);
          request.withCredentials = withCredentials;
          request.onloadend = () => done({ status: request.status, text: request.responseText });
          request.send(method === 'POST' ? body : undefined);
        }),
      [method, target, withCredentials, entry],
    );
    assert.deepEqual(saw, { status: 0, text: '' });
    return saw;
  });
}

for (const type of ['text/plain', 'application/json']) {
  attack(`navigator.sendBeacon with ${type} writes no entry`, async (page, address) => {
    const action = `${address}v1/boards/${board}/entries`;
    const answer = await answerTo(page, action, () =>
      page.evaluate(
        ([action, entry, type]) => navigator.sendBeacon(action, new Blob([entry], { type })),
        [action, entry, type],
      ),
    );
    // The browser does not send application/json without a preflight that succeeds.
    if (type === 'text/plain') assert.equal(answer.status(), 403);
    else assert.ok(answer === null || answer.status() === 403);
  });
}

for (const withCredentials of [false, true]) {
  attack(
    `EventSource${withCredentials ? ' with credentials' : ''} reads no live stream`,
    async (page, address) => {
      const saw = await page.evaluate(
        ([target, withCredentials]) =>
          new Promise((done) => {
            const events = [];
            const source = new EventSource(target, { withCredentials });
            for (const name of ['open', 'message', 'state', 'update', 'end']) {
              source.addEventListener(name, (event) => events.push([name, event.data]));
            }
            source.onerror = () => {
              done({ events, state: source.readyState });
              source.close();
            };
          }),
        [`${address}v1/boards/${board}/live`, withCredentials],
      );
      assert.deepEqual(saw, { events: [], state: 2 });
      return saw;
    },
  );
}

attack('a WebSocket to either port does not open', async (page, address) => {
  const targets = [
    `${address.replace('http', 'ws')}v1/boards/${board}/live`,
    `ws://127.0.0.1:${server.ports.resp}/`,
  ];
  for (const target of targets) {
    const saw = await page.evaluate(
      (target) =>
        new Promise((done) => {
          const socket = new WebSocket(target);
          socket.onopen = () => done('open');
          socket.onmessage = (event) => done(event.data);
          socket.onclose = (event) => done(`closed ${event.code}`);
        }),
      target,
    );
    assert.equal(saw, 'closed 1006', target);
  }
});

attack('a request to the port of the Redis protocol runs no command', async (page) => {
  const target = `http://127.0.0.1:${server.ports.resp}/`;
  const body = `\r\nLB.SUBMIT ${board} eve 999\r\nLB.CLEAR ${board}\r\n`;
  const saw = [];
  for (const mode of ['cors', 'no-cors']) {
    saw.push(
      await fetchIn(page, target, {
        method: 'POST',
        mode,
        body,
        headers: { 'Content-Type': 'text/plain' },
      }),
    );
  }
  // The answer says only where HTTP is, and a foreign page cannot read it.
  assert.deepEqual(saw, [{ error: 'TypeError' }, { type: 'opaque', status: 0, text: '' }]);
  return saw;
});

// Elements -----------------------------------------------------------------------------------------

/** Adds an element that loads an address, and tells whether it was loaded. */
function load(page, name, attributes) {
  return page.evaluate(
    ([name, attributes]) =>
      new Promise((done) => {
        const element = document.createElement(name);
        element.onload = () => done('load');
        element.onerror = () => done('error');
        Object.assign(element, attributes);
        document.head.append(element);
      }),
    [name, attributes],
  );
}

for (const target of ['v1/boards', `v1/boards/${board}/entries`, 'metrics', 'openapi.json', '']) {
  attack(`script, image and style sheet of /${target} are not loaded`, async (page, address) => {
    const globals = await page.evaluate(() => Object.keys(globalThis).length);
    const errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    assert.equal(await load(page, 'script', { src: address + target }), 'error');
    assert.equal(await load(page, 'img', { src: address + target }), 'error');
    assert.equal(await load(page, 'link', { rel: 'stylesheet', href: address + target }), 'error');
    assert.equal(await page.evaluate(() => Object.keys(globalThis).length), globals);
    assert.deepEqual(errors, [], 'the answer was run as a script');
  });
}

attack("the console's own script and style sheet are not loaded", async (page, address) => {
  const index = await (await fetch(address)).text();
  const assets = [...index.matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+\.(js|css))"/g)];
  assert.ok(assets.length >= 2, index);
  for (const [, file, kind] of assets) {
    const script = ['script', { src: address + file }];
    const sheet = ['link', { rel: 'stylesheet', href: address + file }];
    assert.equal(await load(page, ...(kind === 'js' ? script : sheet)), 'error', file);
  }
});

/** What a frame of the address shows: its text, and what the foreign page can reach of it. */
async function framed(page, target, attributes = {}) {
  const isIt = (frame) => frame.parentFrame() !== null;
  const reached = await page.evaluate(
    ([target, attributes]) =>
      new Promise((done) => {
        const frame = document.createElement('iframe');
        for (const [name, value] of Object.entries(attributes)) frame.setAttribute(name, value);
        frame.onload = () => {
          let text = null;
          try {
            text = frame.contentWindow.document.documentElement.outerHTML;
          } catch (error) {
            text = error.name;
          }
          done(text);
        };
        frame.src = target;
        document.body.append(frame);
      }),
    [target, attributes],
  );
  const frame = page.frames().find(isIt);
  const shown = await frame.evaluate(() => [location.href, document.documentElement.textContent]);
  return {
    reached,
    address: shown[0],
    text: shown[1],
    isConsole: (await frame.$('#app')) !== null,
  };
}

for (const target of ['', `#/board/${board}`]) {
  attack(`the console at /${target} is not shown in a frame`, async (page, address) => {
    const saw = await framed(page, address + target);
    assert.equal(saw.isConsole, false);
    assert.equal(saw.reached, 'SecurityError');
    assert.match(saw.address, /^chrome-error:/, `the frame shows ${saw.text.slice(0, 200)}`);
    return saw;
  });
}

// The browser shows the user the text of an answer in a frame: it has nothing to click on, and the
// page around it reads none of it (docs/decisions.md).
for (const target of ['v1/boards', `v1/boards/${board}/entries`, 'openapi.json', 'metrics']) {
  attack(`a frame of /${target} is out of reach of the page around it`, async (page, address) => {
    const saw = await framed(page, address + target);
    assert.equal(saw.isConsole, false);
    assert.equal(saw.reached, 'SecurityError');
    return saw.reached;
  });
}

/** How many requests the server has refused before it looked at their route. */
async function refusedRequests(address) {
  const text = await (await fetch(`${address}metrics`)).text();
  const found = text.match(
    /^laurel_http_requests_total\{method="none",route="none",status="4xx"\} (\d+)$/m,
  );
  return Number(found?.[1] ?? 0);
}

attack(
  'a sandboxed frame, whose origin is null, neither reads nor writes',
  async (page, address) => {
    const script = `
    const calls = [
      ['v1/boards', {}],
      ['v1/boards', {mode: 'no-cors'}],
      ['v1/boards/${board}/entries', {method: 'POST', body: '${entry}', mode: 'no-cors'}],
      ['v1/boards/${board}/entries', {method: 'POST', body: '${entry}', headers: {'Content-Type': 'application/json'}}],
      ['v1/boards/${board}', {method: 'DELETE'}],
    ];
    (async () => {
      const saw = [location.origin, origin];
      for (const [target, options] of calls) {
        saw.push(await fetch('${address}' + target, options).then((answer) => answer.text(), (error) => error.name));
      }
      parent.postMessage(saw, '*');
    })();`;
    const refused = await refusedRequests(address);
    const saw = await page.evaluate(
      (script) =>
        new Promise((done) => {
          addEventListener('message', (event) => done(event.data));
          const frame = document.createElement('iframe');
          frame.sandbox = 'allow-scripts allow-forms';
          frame.srcdoc = `<script>${script}</scr` + 'ipt>';
          document.body.append(frame);
        }),
      script,
    );
    // The frame has a process of its own, whose network events the driver may miss.
    // Refused: every call but the second, which has no Origin and whose answer the page cannot read.
    assert.equal((await refusedRequests(address)) - refused, 4);
    assert.equal(saw[1], 'null');
    assert.deepEqual(
      saw.slice(2).filter((text) => text !== 'TypeError' && text !== ''),
      [],
    );
    return saw;
  },
);

// Windows ------------------------------------------------------------------------------------------

attack('a window that the page opens on the console is out of its reach', async (page, address) => {
  const [opened] = await Promise.all([
    page.waitForEvent('popup'),
    page.evaluate((target) => {
      globalThis.opened = window.open(`${target}#/board/x`);
    }, address),
  ]);
  await opened.waitForSelector('#app header');
  assert.equal(await opened.evaluate(() => window.opener), null);
  const saw = await page.evaluate(async () => {
    const { opened } = globalThis;
    const answer = new Promise((done) =>
      addEventListener('message', (event) => done(String(event.data))),
    );
    opened.postMessage('hello', '*');
    const silence = new Promise((done) => setTimeout(done, 200, 'silence'));
    return {
      closed: opened.closed,
      frames: opened.length,
      answer: await Promise.race([answer, silence]),
    };
  });
  // To its opener the window looks closed: the two are in different groups of windows.
  assert.deepEqual(saw, { closed: true, frames: 0, answer: 'silence' });
  return saw;
});

const addresses = [
  `#/board/${board}`,
  `#/board/${board}?member=${member}`,
  `#/board/${board}?member=nobody&rank=5`,
  `#/board/${board}?view=wall`,
  `#/board/${board}/edit`,
  '#/new?name=evil',
  `#/new?adopt=${board}`,
  '#/templates?new=1',
  `#/templates?edit=${secret}%3A*`,
  `#/players?name=${member}`,
  '#/server',
  '#/boards?filter=*',
];
attack(
  'an address of the console that the page goes to writes nothing by itself',
  async (page, address) => {
    const calls = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      // The console reads several boards together with POST.
      if (request.method() !== 'GET' && pathname !== '/v1/read')
        calls.push(`${request.method()} ${pathname}`);
    });
    for (const target of addresses) {
      await page.goto(foreign);
      await page.evaluate((to) => (location.href = to), address + target);
      await page.waitForSelector('#main h1, #main h2, .wall');
      await page.waitForFunction(() => document.querySelector('#main .loading') === null);
    }
    assert.deepEqual(calls, []);
  },
);

// Rebinding ----------------------------------------------------------------------------------------

test('a name of another site that resolves to the server is refused, page and API alike', async (t) => {
  const rebound = await launchBrowser(['--host-resolver-rules=MAP evil.test 127.0.0.1']);
  const was = await stateOf(server);
  const evil = `http://evil.test:${server.ports.http}/`;
  const page = await pageOf(t, evil, rebound);
  assert.equal(await page.$('#app'), null, 'the console is shown');
  assert.match(
    await page.evaluate(() => document.body.textContent),
    /"code":"NOPERM".*'evil\.test:/,
  );
  const calls = [
    ['', {}],
    ['v1/boards', {}],
    ['v1/boards', { mode: 'no-cors' }],
    ['v1/whoami', { credentials: 'include' }],
    ['metrics', {}],
    ['openapi.json', {}],
    [`v1/boards/${board}/entries`, { method: 'POST', body: entry, headers: json }],
    [`v1/boards/${board}/entries`, { method: 'POST', body: entry, mode: 'no-cors' }],
    [`v1/boards/${board}`, { method: 'DELETE' }],
    [`v1/boards/${board}`, { method: 'PATCH', body: '{"cap":1}', headers: json }],
    [`v1/boards/${secret}-made`, { method: 'PUT', body: '{}', headers: json }],
  ];
  for (const [target, options] of calls) {
    const saw = await fetchIn(page, evil + target, options);
    assert.equal(saw.status, 403, `${options.method ?? 'GET'} /${target}: ${JSON.stringify(saw)}`);
    assert.match(saw.text, /"field":"Host"/);
  }
  const events = await page.evaluate(
    (target) =>
      new Promise((done) => {
        const source = new EventSource(target);
        source.addEventListener('state', (event) => done(event.data));
        source.onerror = () => done(source.readyState);
      }),
    `${evil}v1/boards/${board}/live`,
  );
  assert.equal(events, 2);
  assert.deepEqual(await stateOf(server), was);
});

// Origins that are listed --------------------------------------------------------------------------

test('an origin of --cors-origins reads and writes as documented, and frames nothing all the same', async (t) => {
  const open = await filled(new Server(['--cors-origins', foreign]));
  t.after(() => open.close());
  const page = await pageOf(t, foreign);
  const list = await fetchIn(page, `${open.url}v1/boards`, {});
  assert.equal(list.status, 200);
  assert.equal(JSON.parse(list.text).boards[0].board, board);
  const written = await fetchIn(page, `${open.url}v1/boards/${board}/entries`, {
    method: 'POST',
    body: entry,
    headers: json,
  });
  assert.equal(JSON.parse(written.text).status, 'accepted');
  // Without a preflight nothing is written, even by a listed origin.
  const form = await fetchIn(page, `${open.url}v1/boards/${board}/entries`, {
    method: 'POST',
    body: entry,
  });
  assert.equal(form.status, 415);
  assert.equal((await open.api('GET', `boards/${board}/count`)).count, 2);
  const saw = await framed(page, open.url);
  assert.equal(saw.isConsole, false);
  assert.match(saw.address, /^chrome-error:/);
  const other = await pageOf(t, `http://127.0.0.1:${foreignServer.address().port}`);
  assert.deepEqual(await fetchIn(other, `${open.url}v1/boards`, {}), {
    error: 'TypeError',
  });
});

// Tokens -------------------------------------------------------------------------------------------

test('a token typed in the console goes nowhere but into the header Authorization', async (t) => {
  const token = makeToken('admin');
  const guarded = new Server(['--token', token.option]);
  await guarded.start();
  t.after(() => guarded.close());
  await guarded.api('PUT', `boards/${board}`, { policy: 'best' }, token.secret);
  await guarded.api('POST', `boards/${board}/entries`, { member, score: 1 }, token.secret);
  const page = await openPage(t, guarded.url);
  const requests = [];
  page.context().on('request', (request) => requests.push(request));
  await page.getByLabel('Token').fill(token.secret);
  await page.locator('#main').getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: board }).click();
  await page.getByRole('link', { name: member }).first().waitFor();
  const pages = [
    '#/new?name=made',
    '#/templates?new=1',
    '#/server',
    `#/players?name=${member}`,
    `#/board/${board}/edit`,
  ];
  for (const target of pages) {
    await page.goto(guarded.url + target);
    await page.waitForSelector('#main h1');
    const text = await page.evaluate(() => document.documentElement.outerHTML);
    assert.ok(!text.includes(token.secret), `${target} shows the token`);
  }
  await page.reload();
  await page.waitForSelector('#main h1');
  let carried = 0;
  for (const request of requests) {
    assert.ok(!request.url().includes(token.secret), request.url());
    assert.ok(!(request.postData() ?? '').includes(token.secret), 'in a body');
    for (const [name, value] of Object.entries(await request.allHeaders())) {
      if (name === 'referer') assert.equal(value, '', request.url());
      assert.notEqual(name, 'cookie');
      if (!value.includes(token.secret)) continue;
      assert.equal(name, 'authorization');
      assert.equal(new URL(request.url()).origin, new URL(guarded.url).origin);
      ++carried;
    }
  }
  assert.ok(carried > 5, 'the token was used');
  const kept = await page.evaluate(() => ({
    local: JSON.stringify(localStorage),
    cookies: document.cookie,
    state: JSON.stringify(history.state),
    entries: navigation
      .entries()
      .map((entry) => `${entry.url} ${JSON.stringify(entry.getState())}`),
    title: document.title,
    name: window.name,
  }));
  assert.ok(kept.entries.length > 5);
  assert.ok(!JSON.stringify(kept).includes(token.secret), JSON.stringify(kept));
  assert.deepEqual(await page.context().cookies(), []);
  assert.equal(JSON.stringify(await page.evaluate(() => indexedDB.databases())), '[]');
  assert.deepEqual(await page.evaluate(() => caches?.keys() ?? []).catch(() => []), []);
});

// The attacks would succeed if the server did not refuse them --------------------------------------

test('the same calls from the console itself succeed', async (t) => {
  const own = await filled(new Server());
  t.after(() => own.close());
  const page = await pageOf(t, own.url);
  assert.equal((await fetchIn(page, `${own.url}v1/boards`, {})).status, 200);
  const options = { method: 'POST', body: entry, headers: json };
  const written = await fetchIn(page, `${own.url}v1/boards/${board}/entries`, options);
  assert.equal(written.status, 200);
  assert.equal((await own.api('GET', `boards/${board}/count`)).count, 2);
  const dropped = await fetchIn(page, `${own.url}v1/boards/${board}`, {
    method: 'DELETE',
  });
  assert.equal(dropped.status, 200);
});
