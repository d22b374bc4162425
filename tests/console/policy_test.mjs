// The console keeps its content security policy, asks no other origin for anything, works below a
// prefix, and its files are kept by the browser.
import assert from 'node:assert/strict';
import { createServer, request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { eventually, openPage, Server } from './support.mjs';
import { makeTour, settled } from './tour.mjs';

/** The files that the console's page names, and those that they load in turn. */
async function filesOf(address) {
  const found = new Map([['', await (await fetch(address)).text()]]);
  for (const text of found.values()) {
    for (const [file] of text.matchAll(
      /assets\/[\w.-]+\.(?:js|css|svg|\w+)|(?<=["'`]\.\/)[\w-]+\.(?:js|css)/g,
    )) {
      const name = file.startsWith('assets/') ? file : `assets/${file}`;
      if (found.has(name)) continue;
      const answer = await fetch(address + name);
      if (answer.status === 200) found.set(name, await answer.text());
    }
  }
  return found;
}

test('every page and state keeps the policy and calls its own server only', async (t) => {
  const tour = await makeTour('en');
  t.after(tour.close);
  const page = await openPage(t, 'about:blank');
  const foreign = [];
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol === 'about:' || protocol === 'blob:') return;
    if (origin !== new URL(page.url()).origin && !request.isNavigationRequest())
      foreign.push(request.url());
  });
  await page.addInitScript(() => {
    globalThis.violations = [];
    addEventListener('securitypolicyviolation', (event) => {
      const where = `${event.sourceFile}:${event.lineNumber}`;
      globalThis.violations.push(`${event.violatedDirective}: ${event.blockedURI} at ${where}`);
    });
  });
  for (const state of tour.states) {
    await t.test(state.name, async () => {
      await state.open(page);
      assert.deepEqual(await page.evaluate(() => globalThis.violations), []);
      const found = await page.evaluate(() => {
        const all = (selector) => Array.from(document.querySelectorAll(selector));
        const inline =
          'script:not([src]), style, [onclick], [onload], [onerror], [href^="javascript:" i]';
        return {
          // No `style` here: the page sets positions through the properties of elements.
          inline: all(inline).map((element) => element.outerHTML),
          windows: all('a[target]:not([rel~=noopener])').map((element) => element.outerHTML),
          fonts: Array.from(document.fonts, (font) => font.family),
          loaded: all('script[src], link[href], img[src], iframe, object, embed')
            .map((element) => element.src ?? element.href)
            .filter((address) => !address.startsWith(location.origin)),
        };
      });
      assert.deepEqual(found, {
        inline: [],
        windows: [],
        fonts: [],
        loaded: [],
      });
      await state.end?.(page);
    });
  }
  assert.deepEqual(foreign, []);
});

test('the page has nothing inline, and its policy allows nothing but its own files', async () => {
  const server = await new Server([], { inMemory: true }).start();
  const answer = await fetch(server.url);
  const policy = answer.headers.get('content-security-policy');
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|https?:|data:|blob:|\*/);
  const html = await answer.text();
  for (const [script] of html.matchAll(/<script[^>]*>[^]*?<\/script>/g)) {
    assert.match(script, /^<script[^>]* src="\.\/assets\/[^"]+"[^>]*><\/script>$/);
  }
  assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|https?:|\/\//);
  await server.close();
});

test('no file of the console names another site or turns text into code', async () => {
  const server = await new Server([], { inMemory: true }).start();
  const files = await filesOf(server.url);
  assert.ok(files.size > 10, [...files.keys()].join());
  for (const [name, text] of files) {
    assert.doesNotMatch(text, /\beval\(|new Function\(|@import|@font-face/, name);
    const addresses = [...text.matchAll(/https?:\/\/[\w.-]+/g)].map(([address]) => address);
    // Names of XML vocabularies are no addresses that anybody loads.
    const loaded = addresses.filter(
      (address) => address !== 'http://www.w3.org' && address !== 'http://127.0.0.1',
    );
    assert.deepEqual(loaded, [], name);
  }
  await server.close();
});

test('the browser refuses to run text as code in the page', async (t) => {
  const server = await new Server([], { inMemory: true }).start();
  const page = await openPage({ after: () => {} }, server.url);
  t.after(() => page.context().close());
  await page.waitForSelector('#main > *');
  await page.evaluate(() => {
    const refused = [];
    addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
    globalThis.isHit = false;
    const script = document.createElement('script');
    script.textContent = 'globalThis.isHit = true';
    document.body.append(script);
    const image = document.createElement('div');
    image.innerHTML =
      '<img src="data:,x" onerror="globalThis.isHit = true"><p style="color: red">x</p>';
    document.body.append(image);
    const timer = Object.assign(document.createElement('a'), {
      href: 'javascript:globalThis.isHit = true',
    });
    document.body.append(timer);
    timer.click();
    globalThis.refused = refused;
  });
  for (const directive of ['script-src-elem', 'script-src-attr', 'img-src', 'style-src-attr']) {
    await eventually(`the refusal by ${directive}`, () =>
      page.evaluate((wanted) => globalThis.refused.includes(wanted), directive),
    );
  }
  await page.waitForTimeout(200); // gives a script the time to run
  assert.equal(await page.evaluate(() => globalThis.isHit), false);
  await server.close();
});

// Below a prefix -----------------------------------------------------------------------------------

/** A proxy that passes /laurel/… on to the server as /…, streams included, and Host as it is. */
async function proxyTo(t, server) {
  const proxy = createServer((request, response) => {
    if (!request.url.startsWith('/laurel/')) {
      response.writeHead(404).end();
      return;
    }
    const passed = httpRequest(
      {
        port: server.ports.http,
        host: '127.0.0.1',
        method: request.method,
        path: request.url.slice('/laurel'.length),
        headers: request.headers,
      },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
      },
    );
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise((done) => proxy.listen(0, '127.0.0.1', done));
  t.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://localhost:${proxy.address().port}/laurel/`;
}

test('the console works below a prefix of a reverse proxy, with its stream and its form', async (t) => {
  const server = await new Server().start();
  await server.api('PUT', 'boards/arena', { policy: 'best' });
  await server.api('POST', 'boards/arena/entries', {
    member: 'ann',
    score: 10,
  });
  const address = await proxyTo(t, server);
  const page = await openPage(t, address);
  const outside = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(address)) outside.push(request.url());
  });
  await page.getByRole('link', { name: 'arena' }).click();
  await page.waitForSelector('.live-tag');
  // The stream comes through while it is open.
  await server.api('POST', 'boards/arena/entries', {
    member: 'bob',
    score: 20,
  });
  await page.locator('tbody tr').first().getByRole('link', { name: 'bob' }).waitFor();
  await page.goto(`${address}#/new`);
  await page.getByLabel('Name', { exact: true }).fill('made');
  await page.getByRole('button', { name: 'Create the board' }).click();
  await page.getByRole('heading', { name: 'made' }).waitFor();
  assert.equal((await server.api('GET', 'boards/made')).board, 'made');
  for (const hash of ['#/server', '#/templates', '#/players?name=ann', '#/board/arena?view=wall']) {
    await page.goto(address + hash);
    await settled(page);
  }
  await page.goto(`${address}#/new?name=x`);
  await page.reload();
  assert.match(await page.locator('aside').textContent(), new RegExp(`${address}v1/boards/x`));
  assert.deepEqual(outside, []);
});

// Caching ------------------------------------------------------------------------------------------

test('files carry hashes of their contents and are kept; only the page itself is asked for again', async (t) => {
  const server = await new Server([], { inMemory: true }).start();
  for (const name of (await filesOf(server.url)).keys()) {
    const { headers } = await fetch(server.url + name);
    if (name === '') assert.equal(headers.get('cache-control'), 'no-cache');
    else {
      assert.match(name, /^assets\/\w+-[\w-]{8}\.\w+$/);
      assert.match(headers.get('cache-control'), /\bimmutable\b/);
      assert.match(headers.get('cache-control'), /\bmax-age=\d{7,}\b/);
    }
  }
  const page = await openPage(t, server.url);
  await page.waitForSelector('#main .note');
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const sent = [];
  const cached = new Set();
  session.on('Network.requestServedFromCache', ({ requestId }) => cached.add(requestId));
  session.on('Network.responseReceived', ({ requestId, response }) => {
    if (response.fromDiskCache) cached.add(requestId);
    sent.push({
      requestId,
      path: new URL(response.url).pathname,
      status: response.status,
    });
  });
  await page.reload();
  await eventually('the calls of the page', () => sent.some(({ path }) => path === '/v1/boards'));
  const assets = sent.filter(({ path }) => path.startsWith('/assets/'));
  assert.ok(assets.length >= 3, JSON.stringify(sent));
  assert.deepEqual(
    assets.filter(({ requestId }) => !cached.has(requestId)).map(({ path }) => path),
    [],
  );
  const version = (await fetch(server.url)).headers.get('etag');
  assert.equal((await fetch(server.url, { headers: { 'If-None-Match': version } })).status, 304);
});
