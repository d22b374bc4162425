// Tokens: who is signed in, which controls a role sees, and where a token is kept.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { BoardPage, dialog, everythingIsLoaded, pageAddress, signIn } from './pages.mjs';
import { Resp, Server, eventually, makeToken, openPage, openTab } from './support.mjs';

const tokens = {
  reader: makeToken('read'),
  submitter: makeToken('submit'),
  writer: makeToken('write'),
  owner: makeToken('admin'),
  cups: makeToken('write', 'cup:*'),
};
const secretOf = (name) => tokens[name].secret;

/** A configuration file with the tokens of these names. */
function configure(file, names) {
  const blocks = names.map((name) => {
    const [, role, hash, boards] = /^[^:]*:(\w+):(sha256:[0-9a-f]+)(?::(.*))?$/.exec(
      tokens[name].option,
    );
    return `[[token]]\nname = "${name}"\nrole = "${role}"\nhash = "${hash}"\nboards = "${boards ?? '*'}"\n`;
  });
  writeFileSync(file, blocks.join('\n'));
}

let server;
let config;
before(async () => {
  server = new Server();
  config = path.join(server.folder, 'laurel.toml');
  configure(config, Object.keys(tokens));
  server.options.push('--config', config);
  await server.start();
  const admin = (method, target, body) => server.api(method, target, body, secretOf('owner'));
  for (const board of ['arena', 'cup:1']) {
    await admin('PUT', `boards/${board}`, {});
    await admin('POST', `boards/${board}/entries`, { member: 'ann', score: 5 });
  }
  await admin('PUT', 'templates/rank:*', {});
  const resp = await Resp.open({ after: () => {} }, server);
  await resp.call('AUTH', secretOf('owner'));
  await resp.call('ZADD', 'old', '1', 'ann');
  resp.close();
});

/** A page that is signed in as one of the tokens. */
async function openAs(test, name, address = pageAddress(server, 'boards')) {
  const page = await openPage(test, address);
  await page.getByRole('heading', { name: 'This server asks for a token' }).waitFor();
  await signIn(page, secretOf(name));
  await page.getByRole('banner').getByText(name, { exact: true }).waitFor();
  return page;
}

/** The names of buttons, links and menu items on the pages where controls that write are. */
async function controlsOf(page) {
  const found = new Set();
  const collect = async () => {
    for (const role of ['button', 'link', 'menuitem']) {
      for (const name of await page.locator('main').getByRole(role).allInnerTexts()) {
        found.add(name.trim().replace(/\s+rank:\*$/, '')); // "Edit rank:*"
      }
    }
  };
  for (const [address, ready] of [
    [pageAddress(server, 'boards'), page.getByRole('link', { name: 'arena' })],
    [`${pageAddress(server, 'boards')}?kind=sorted-set`, page.getByRole('cell', { name: 'old' })],
    [
      `${pageAddress(server, 'board', 'arena')}?member=ann`,
      page.getByText('ordinal', { exact: true }),
    ],
    [pageAddress(server, 'templates'), page.getByRole('row').filter({ hasText: 'rank:*' })],
  ]) {
    await page.goto(address);
    await ready.waitFor();
    await everythingIsLoaded(page);
    await sleep(300); // gives a control that should not be there the time to come
    const manage = page.getByRole('button', { name: 'Manage' });
    if (await manage.isVisible()) {
      await manage.click();
      await page.getByRole('menuitem').first().waitFor();
    }
    await collect();
    await page.keyboard.press('Escape');
  }
  return found;
}

const submitting = ['Submit a score'];
const writing = ['Hide', 'Remove', 'Correct'];
const emptying = ['Trim', 'Clear'];
const administering = [
  'New board',
  'Adopt',
  'Edit the declaration',
  'End or extend the event',
  'Drop',
  'New template',
  'Edit',
  'Delete',
];
const changing = [...submitting, ...writing, ...emptying, ...administering];

/** Waits until the controls that change something are exactly these. */
async function changingControlsAre(page, expected) {
  let found;
  try {
    await eventually('the controls', async () => {
      const controls = await controlsOf(page);
      found = changing.filter((control) => controls.has(control));
      return expected.every((control) => found.includes(control));
    });
  } catch (error) {
    if (found === undefined) throw error;
  }
  assert.deepEqual(found.sort(), [...expected].sort());
}

test('a read token shows name and role, and no control that writes on any page', async (t) => {
  const page = await openAs(t, 'reader');
  await page.getByRole('banner').getByText('read', { exact: true }).waitFor();
  const controls = await controlsOf(page);
  assert.deepEqual(
    changing.filter((control) => controls.has(control)),
    [],
  );
  assert.ok(!controls.has('Manage'));
  for (const [address, marker] of [
    [pageAddress(server, 'new'), 'Changing this needs the role admin'],
    [pageAddress(server, 'board', 'arena') + '/edit', 'Changing this needs the role admin'],
    [`${pageAddress(server, 'templates')}?new=1`, 'Changing this needs the role admin'],
  ]) {
    await page.goto(address);
    await page.getByText(marker).waitFor();
    assert.equal(
      await page.getByRole('button', { name: /^(Create the board|Save)$/ }).count(),
      0,
      address,
    );
    assert.equal(await page.locator('main').getByRole('textbox').count(), 0, address);
  }
  await page.goto(`${pageAddress(server, 'board', 'arena')}?member=nobody`);
  await page.getByText('There is no such player here').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Hide', exact: true }).count(), 0);
});

test('a submit token sees Submit and no other control that writes', async (t) => {
  const page = await openAs(t, 'submitter');
  await changingControlsAre(page, submitting);
  await page.goto(pageAddress(server, 'board', 'arena'));
  await page.getByRole('button', { name: 'Submit a score' }).click();
  const form = dialog(page, 'Submit to arena');
  assert.equal(await form.getByRole('button', { name: /^(Set|Add)$/ }).count(), 0);
  await form.getByRole('textbox', { name: 'Player' }).fill('sub');
  await form.getByRole('textbox', { name: 'score' }).fill('77');
  await form.getByRole('button', { name: 'Submit', exact: true }).last().click();
  await new BoardPage(page).membersAre(['sub', 'ann']);
});

test('a write token sees hide, remove and correct, and nothing of the role admin', async (t) => {
  const page = await openAs(t, 'writer');
  await changingControlsAre(page, [...submitting, ...writing, ...emptying]);
  await page.goto(pageAddress(server, 'server'));
  await page.getByText('They show addresses and data of others').waitFor();
});

test('an admin token sees every control', async (t) => {
  const page = await openAs(t, 'owner');
  await changingControlsAre(page, changing);
});

test('a token with a pattern sees its boards only, and is told so on others', async (t) => {
  const page = await openAs(t, 'cups');
  await page.getByRole('link', { name: 'cup:1' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'arena' }).count(), 0);
  await page.goto(pageAddress(server, 'board', 'cup:1') + '?member=ann');
  await page.getByRole('button', { name: 'Hide', exact: true }).waitFor();
  await page.goto(pageAddress(server, 'board', 'arena'));
  await page.getByText('Your token does not permit this').first().waitFor();
  await page.goto(pageAddress(server, 'boards'));
  await page.getByRole('banner').getByText('cups', { exact: true }).waitFor();
  assert.equal(
    await page.getByText('Sign in', { exact: true }).count(),
    0,
    'a refusal ends no session',
  );
});

test('a wrong token is refused with a message and can be corrected', async (t) => {
  const page = await openPage(t, pageAddress(server, 'boards'));
  await signIn(page, 'not-a-token');
  await page.getByRole('alert').getByText('The server does not know this token.').waitFor();
  await signIn(page, secretOf('reader'));
  await page.getByRole('banner').getByText('reader', { exact: true }).waitFor();
});

test('a token is in no address and in no storage but that of its tab, and signing out removes it', async (t) => {
  const page = await openPage(t, 'about:blank');
  const urls = [];
  page
    .context()
    .on('request', (request) => urls.push(request.url(), request.headers().referer ?? ''));
  await page.goto(pageAddress(server, 'boards'));
  await signIn(page, secretOf('owner'));
  await page.getByRole('link', { name: 'arena' }).click();
  await new BoardPage(page).row('ann').waitFor();
  for (const name of ['players', 'templates', 'server']) await page.goto(pageAddress(server, name));
  await page.goto(`${pageAddress(server, 'board', 'arena')}?member=ann`);
  await page.getByText('ordinal', { exact: true }).waitFor();
  urls.push(
    page.url(),
    ...(await page.evaluate(() => performance.getEntries().map(({ name }) => name))),
  );
  assert.ok(urls.some((url) => url.includes('/v1/')));
  assert.deepEqual(
    urls.filter((url) => decodeURIComponent(url).includes(secretOf('owner'))),
    [],
  );
  const kept = () =>
    page.evaluate(async (secret) => {
      const has = (storage) => JSON.stringify({ ...storage }).includes(secret);
      const databases = (await indexedDB.databases()).length;
      return [has(sessionStorage), has(localStorage), document.cookie, databases, history.state];
    }, secretOf('owner'));
  assert.deepEqual(await kept(), [true, false, '', 0, null]);
  assert.ok(!(await page.content()).includes(secretOf('owner')), 'the token is not in the page');

  await page.reload();
  await page.getByRole('banner').getByText('owner', { exact: true }).waitFor();
  const second = await openTab(page.context(), pageAddress(server, 'boards'));
  await second.getByRole('heading', { name: 'This server asks for a token' }).waitFor();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'This server asks for a token' }).waitFor();
  assert.equal((await kept())[0], false);
  assert.equal(
    await page.getByText('ann', { exact: true }).count(),
    0,
    'nothing of a board is left',
  );
});

test('a token that ends leads to signing in, and a new one goes on at the same page', async (t) => {
  const page = await openAs(t, 'writer', `${pageAddress(server, 'board', 'arena')}?member=ann`);
  const view = new BoardPage(page);
  await view.list.getByText('live', { exact: true }).waitFor();
  configure(config, ['reader', 'owner']);
  server.reloadTokens();
  await page.getByRole('heading', { name: 'This server asks for a token' }).waitFor();
  await signIn(page, secretOf('owner'));
  await view.player.getByText('ordinal', { exact: true }).waitFor();
  await view.list.getByText('live', { exact: true }).waitFor();
  assert.match(page.url(), /#\/board\/arena\?member=ann$/);
  configure(config, Object.keys(tokens));
  server.reloadTokens();
  await eventually('the tokens are there again', async () => {
    try {
      return await server.api('GET', 'whoami', undefined, secretOf('writer'));
    } catch {
      return false;
    }
  });
});

test('--anonymous reads without a token, offers signing in, and the wall needs no token', async (t) => {
  const open = await new Server([
    '--anonymous',
    'read:cup:*',
    '--token',
    tokens.owner.option,
  ]).start();
  const admin = (method, target, body) => open.api(method, target, body, secretOf('owner'));
  for (const board of ['arena', 'cup:1']) {
    await admin('PUT', `boards/${board}`, {});
    await admin('POST', `boards/${board}/entries`, { member: 'ann', score: 5 });
  }
  const page = await openPage(t, pageAddress(open, 'boards'));
  await page.getByRole('link', { name: 'cup:1' }).waitFor();
  await page.getByRole('banner').getByText('No token').waitFor();
  assert.equal(await page.getByRole('link', { name: 'arena' }).count(), 0);
  await page.goto(`${pageAddress(open, 'board', 'cup:1')}?view=wall`);
  await page.getByRole('listitem').filter({ hasText: 'ann' }).waitFor();
  await admin('POST', 'boards/cup:1/entries', { member: 'bob', score: 9 });
  await eventually('the wall moves', async () => {
    const lines = await page.getByRole('listitem').allInnerTexts();
    return /bob/.test(lines[0] ?? '') && /ann/.test(lines[1] ?? '');
  });
  assert.equal(await page.getByRole('button').count(), 0, 'a wall has no controls');
  assert.equal(await page.getByRole('link').count(), 0, 'a wall has no links');

  await page.goto(`${pageAddress(open, 'board', 'arena')}?view=wall`);
  await page
    .getByText(/asks for a token|does not permit/)
    .first()
    .waitFor();

  await page.goto(pageAddress(open, 'boards'));
  await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click();
  await signIn(page, secretOf('owner'));
  await page.getByRole('link', { name: 'arena' }).waitFor();
  await page.getByRole('link', { name: 'New board' }).waitFor();
});

test('the wall of a server with tokens asks for one and shows the board then', async (t) => {
  const page = await openPage(t, `${pageAddress(server, 'board', 'arena')}?view=wall`);
  await page.getByRole('heading', { name: 'This server asks for a token' }).waitFor();
  await signIn(page, secretOf('reader'));
  await page.getByRole('listitem').filter({ hasText: 'ann' }).waitFor();
  assert.equal(await page.getByRole('button').count(), 0);
});
