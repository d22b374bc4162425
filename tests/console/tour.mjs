// A tour of the console: every page and state, on servers filled for it. Tests that look at all of
// them, whatever they look for, take this tour.
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import path from 'node:path';
import { Clock, makeToken, root, Server } from './support.mjs';

const { buildSync } = createRequire(path.join(root, 'web/package.json'))('esbuild');

/** The texts of the console in a language, as a function of key and values. */
export async function textsOf(language) {
  const built = buildSync({
    entryPoints: [path.join(root, `web/src/text/${language}.ts`)],
    bundle: true,
    format: 'esm',
    write: false,
  });
  const source = Buffer.from(built.outputFiles[0].contents).toString('base64');
  const { default: texts } = await import(`data:text/javascript;base64,${source}`);
  return (key, values = {}) => {
    if (texts[key] === undefined) throw new Error(`there is no text ${key}`);
    const forms = texts[key].split('|');
    const form = Number(values.count ?? values.n) === 1 ? forms[0] : forms.at(-1);
    return form.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  };
}

/** A connection of the Redis protocol that sends commands and keeps the replies to itself. */
export function redisClient(server) {
  const socket = connect(server.ports.resp, '127.0.0.1');
  const send = (...words) =>
    new Promise((done) => {
      const bulks = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
      socket.once('data', (reply) => done(String(reply)));
      socket.write(`*${words.length}\r\n${bulks.join('')}`);
    });
  return { send, close: () => socket.destroy() };
}

// Data ---------------------------------------------------------------------------------------------

export const longName =
  'tournament:2026:europe:qualifier-round-17:group-stage:bracket-b:second-chance-table';
const longMember = 'Maximiliane-Alexandra-von-Hohenstein-zu-Schwarzenberg-the-Third#EUW-0042';
const start = Date.parse('2026-11-10T12:00:00Z');
const dayMs = 86_400_000;

/** Scores that look like scores, the same in every run. */
function scoreOf(i) {
  return 98_400 - i * 731 - ((i * 7919) % 613);
}

const names = [
  'ann',
  'Björn',
  '李小龙',
  'cid',
  'ليلى',
  'Zoë 🦊',
  longMember,
  'dee',
  'eve',
  'fay',
  'gus',
  '山田太郎',
  'hal',
];

function entriesOf(count, score = (i) => scoreOf(i)) {
  return Array.from({ length: count }, (_, i) => ({
    member: names[i] ?? `player-${i + 1}`,
    score: score(i),
  }));
}

async function fillMain(server, clock) {
  const put = (name, spec) => server.api('PUT', `boards/${encodeURIComponent(name)}`, spec);
  const write = (name, entries) =>
    server.api('POST', `boards/${encodeURIComponent(name)}/entries`, {
      entries,
    });
  await put('season', {
    fields: [{ name: 'points' }, { name: 'time', type: 'decimal2', direction: 'asc' }],
    policy: 'best',
    periods: ['day', 'week', 'all'],
    tz: 'Asia/Shanghai',
    turn: '05:00',
    keep: 7,
  });
  for (let day = 0; day < 5; ++day) {
    clock.set(start + day * dayMs);
    await write(
      'season',
      entriesOf(12 + day, (i) => [String(scoreOf(i + day)), `${60 + i}.${10 + day}`]),
    );
  }
  await put('arena', { policy: 'best', cap: 1000 });
  await write('arena', entriesOf(60));
  await server.api('POST', 'boards/arena/entries', {
    member: 'ann',
    score: 99_000,
    meta: 'Ann A. · level 80',
  });
  await server.api('PUT', 'boards/arena/entries/fay/hidden');
  const seconds = { name: 'seconds', type: 'decimal3', direction: 'asc' };
  await put('race:nordschleife', { fields: [seconds], policy: 'best' });
  await write(
    'race:nordschleife',
    entriesOf(8, (i) => `${378 + i}.${100 + i * 13}`),
  );
  const at = (days) => new Date(start + days * dayMs).toISOString();
  await put('cup', { policy: 'sum', start: at(-9), end: at(5), expire: '30d' });
  await write(
    'cup',
    entriesOf(9, (i) => 900 - i * 41),
  );
  await put('cup-next', {
    policy: 'sum',
    start: at(20),
    end: at(27),
    grace: '10m',
  });
  await put('guilds', { policy: 'sum' });
  await put(longName, { policy: 'best' });
  await write(longName, entriesOf(3));
  await put('排行榜:春季赛', {
    fields: [
      { name: '积分', operator: 'sum' },
      { name: '用时', type: 'decimal1', direction: 'asc', operator: 'min' },
    ],
  });
  await write(
    '排行榜:春季赛',
    entriesOf(5, (i) => [String(5000 - i * 300), `${30 + i}.5`]),
  );
  await server.api('PUT', 'templates/rank:*', { policy: 'best', cap: 1000 });
  const weekly = {
    policy: 'sum',
    periods: ['week'],
    tz: 'Europe/Berlin',
    expire: '30d',
  };
  await server.api('PUT', 'templates/weekly:*:europe', weekly);
  clock.set(start + 6 * dayMs);
  await write(
    'season',
    entriesOf(17, (i) => [String(scoreOf(i + 6)), `${60 + i}.20`]),
  );
  const redis = redisClient(server);
  await redis.send('CLIENT', 'SETNAME', 'match-server-7');
  await redis.send('ZADD', 'legacy:scores', '10', 'ann', '20', 'bob');
  await redis.send('ZADD', 'legacy:times', '1.5', 'ann');
  await redis.send('LB.RANGE', 'arena', '0', '9');
  return redis;
}

/** The servers of the tour. Call close() at the end. */
async function serversOf() {
  const clock = new Clock(start);
  const tokens = {
    admin: makeToken('admin'),
    reader: makeToken('read', 'arena*'),
  };
  const servers = {
    main: new Server(['--slowlog-slower-than', '0s', '--slowlog-max-len', '12'], { clock }),
    empty: new Server([], { inMemory: true }),
    many: new Server(['--fsync', 'off']),
    guarded: new Server(['--token', tokens.admin.option, '--token', tokens.reader.option], {
      inMemory: true,
    }),
    lost: new Server(),
  };
  for (const server of Object.values(servers)) await server.start();
  const redis = await fillMain(servers.main, clock);
  for (let i = 0; i < 130; ++i) {
    await servers.many.api('PUT', `boards/rank:${String(i).padStart(3, '0')}`, {
      policy: 'best',
    });
  }
  for (const board of ['arena', 'season']) {
    await servers.guarded.api('PUT', `boards/${board}`, { policy: 'best' }, tokens.admin.secret);
  }
  await servers.lost.api('PUT', 'boards/arena', { policy: 'best' });
  await servers.lost.api('POST', 'boards/arena/entries', {
    entries: entriesOf(4),
  });
  const close = async () => {
    redis.close();
    for (const server of Object.values(servers)) await server.close();
  };
  return { servers, tokens, close };
}

// The states ---------------------------------------------------------------------------------------

/** Goes to an address as if the browser had just been started, and waits for the page. */
async function visit(page, server, hash) {
  await page.goto('about:blank');
  await page.goto(server.url + hash);
  await page.waitForSelector('#main > *');
  await settled(page);
}

/** Nothing in the page is being loaded any more. */
export async function settled(page) {
  await page.waitForFunction(() => document.querySelector('main .loading, main progress') === null);
}

/**
 * The tour in a language: {states, close}. A state is {name, open(page)}, with isMain for the pages that
 * people see most, and end(page) if something has to be put back. The states do not depend on each other.
 */
export async function makeTour(language) {
  const { servers, tokens, close } = await serversOf();
  const { main, empty, many, guarded, lost } = servers;
  const t = await textsOf(language);
  const states = [];
  const add = (name, open, more = {}) => states.push({ name, open, ...more });
  const at = (name, server, hash, more) => add(name, (page) => visit(page, server, hash), more);
  const button = (page, key, values) =>
    page.getByRole('button', { name: t(key, values), exact: true });
  const openSections = async (page, keys) => {
    for (const key of keys) await page.getByRole('heading', { name: t(key), exact: true }).click();
    await page
      .locator('details.section[open]')
      .nth(keys.length - 1)
      .waitFor();
  };
  const menuItem = async (page, menu, key) => {
    await button(page, menu).first().click();
    await page.getByRole('menuitem', { name: t(key), exact: true }).click();
    await page.waitForSelector('dialog[open]');
  };

  // The list.
  at('list', main, '#/boards', { isMain: true });
  at('list-empty', empty, '#/boards');
  at('list-no-match', main, '#/boards?filter=nothing-like-it');
  at('list-sorted-sets', main, '#/boards?kind=sorted-set');
  at('list-no-sorted-sets', empty, '#/boards?kind=sorted-set');
  at('list-many', many, '#/boards?sort=name-down');

  // Forms.
  at('new', main, '#/new', { isMain: true });
  add('new-all-sections', async (page) => {
    await visit(page, main, '#/new?name=arena-2');
    await openSections(page, ['form.window', 'form.periods', 'form.limits']);
  });
  add('new-all-options', async (page) => {
    await visit(page, main, '#/new?name=arena-2');
    await openSections(page, ['form.window', 'form.periods', 'form.limits']);
    await button(page, 'form.addField').click();
    await page.getByLabel(t('rule.operators'), { exact: true }).check();
    for (const box of await page.locator('details.section input[type=checkbox]').all())
      await box.check();
  });
  add('new-errors', async (page) => {
    await visit(page, main, '#/new?name=ar%40ena');
    await button(page, 'form.addField').click();
    await page.getByLabel(t('form.fieldName')).nth(1).fill('a b');
    await openSections(page, ['form.limits']);
    await page.getByLabel(t('form.cap'), { exact: true }).fill('many');
    await button(page, 'form.create').click();
    await page.waitForSelector('[role=alert] .error');
  });
  add('new-refused', async (page) => {
    await visit(page, main, '#/new?name=arena');
    await button(page, 'form.create').click();
    await page.getByRole('link', { name: t('form.openBoard') }).waitFor();
  });
  at('adopt', main, '#/new?adopt=legacy%3Ascores');
  at('edit', main, '#/board/arena/edit', { isMain: true });
  add('edit-lower-cap', async (page) => {
    await visit(page, main, '#/board/arena/edit');
    await page.getByLabel(t('form.cap'), { exact: true }).fill('10');
    await button(page, 'form.save').click();
    await page.waitForSelector('dialog[open]');
  });
  at('templates', main, '#/templates', { isMain: true });
  at('templates-empty', empty, '#/templates');
  at('template-new', main, '#/templates?new=1');
  at('template-edit', main, '#/templates?edit=rank%3A*');
  add('template-delete', async (page) => {
    await visit(page, main, '#/templates');
    await page
      .getByRole('button', { name: t('tpl.delete') })
      .first()
      .click();
    await page.waitForSelector('dialog[open]');
  });

  // A board.
  const board = async (page, query = '', name = 'arena') => {
    await visit(page, main, `#/board/${encodeURIComponent(name)}${query}`);
    await page.waitForSelector('.live-tag, .note, .pager');
  };
  add('board', (page) => board(page), { isMain: true });
  add('board-periods', (page) => board(page, '', 'season'), { isMain: true });
  add('board-past', (page) => board(page, '?period=day:2026-11-12', 'season'));
  add('board-empty', (page) => board(page, '', 'guilds'));
  add('board-closed', (page) => board(page, '', 'cup'));
  add('board-upcoming', (page) => board(page, '', 'cup-next'));
  add('board-long-name', (page) => board(page, '', longName));
  add('board-chinese-name', (page) => board(page, '', '排行榜:春季赛'));
  add('board-ranks', (page) => board(page, '?rank=31&size=10'));
  add('board-beyond-end', (page) => board(page, '?rank=5000'));
  const selected = async (page, member, name = 'arena') => {
    await board(page, `?member=${encodeURIComponent(member)}`, name);
    await page.waitForSelector('.player-name');
  };
  add('player', (page) => selected(page, 'cid'), { isMain: true });
  add('player-long-name', (page) => selected(page, longMember));
  add('player-hidden', (page) => selected(page, 'fay'));
  add('player-not-found', (page) => selected(page, 'nobody'));
  at('board-not-found', main, '#/board/nowhere');
  at('board-sorted-set', main, '#/board/legacy%3Ascores');
  at('unknown-page', main, '#/elsewhere');

  // Menus and dialogs.
  add('menu', async (page) => {
    await board(page);
    await button(page, 'manage').click();
    await page.waitForSelector('[role=menu]');
  });
  add('menu-csv', async (page) => {
    await board(page);
    await page.getByTitle(t('downloadCsv')).click();
    await page.waitForSelector('[role=menu]');
  });
  add(
    'dialog-submit',
    async (page) => {
      await board(page, '', 'season');
      await button(page, 'submitScore').click();
      await page.waitForSelector('dialog[open]');
    },
    { isMain: true },
  );
  add('dialog-submit-error', async (page) => {
    await board(page, '', 'season');
    await button(page, 'submitScore').click();
    await page.locator('dialog input').nth(0).fill('ann');
    await page.locator('dialog input').nth(1).fill('much');
    await page.locator('dialog input').nth(2).fill('1');
    await page.locator('dialog button[type=submit]').click();
    await page.waitForSelector('dialog [role=alert]');
  });
  for (const action of ['correct', 'hide', 'remove']) {
    add(`dialog-${action}`, async (page) => {
      await selected(page, 'cid');
      await page
        .locator('.player-actions')
        .getByRole('button', { name: t(action), exact: true })
        .click();
      await page.waitForSelector('dialog[open]');
    });
  }
  add('dialog-show', async (page) => {
    await selected(page, 'fay');
    await button(page, 'show').click();
    await page.waitForSelector('dialog[open]');
  });
  add('dialog-event', async (page) => {
    await board(page, '', 'cup-next');
    await menuItem(page, 'manage', 'endOrExtend');
  });
  for (const action of ['trim', 'clear', 'drop']) {
    add(`dialog-${action}`, async (page) => {
      await board(page);
      await menuItem(page, 'manage', action);
    });
  }
  add(
    'toast-undo',
    async (page) => {
      await selected(page, 'hal');
      await page
        .locator('.player-actions')
        .getByRole('button', { name: t('hide'), exact: true })
        .click();
      await page.locator('dialog button[type=submit]').click();
      await button(page, 'undo').waitFor();
      await page.waitForSelector('.player-name .tag');
    },
    { end: () => main.api('DELETE', 'boards/arena/entries/hal/hidden') },
  );

  // Players, server, wall.
  at('players', main, '#/players', { isMain: true });
  at('players-found', main, '#/players?name=ann');
  at('players-not-found', main, '#/players?name=nobody');
  const serverPage = async (page) => {
    await visit(page, main, '#/server');
    await page.waitForSelector('.uplot');
    await page.waitForSelector('.server-table');
  };
  add('server', serverPage, { isMain: true });
  at('wall', main, '#/board/arena?view=wall', { isMain: true });
  at('wall-periods', main, '#/board/season?view=wall&top=20');
  at('wall-empty', main, '#/board/guilds?view=wall');

  // Tokens.
  const signIn = async (page, token) => {
    await page.locator('#main input[type=password]').fill(token.secret);
    await page.locator('#main button[type=submit]').click();
    await page.waitForSelector('.session');
    await settled(page);
  };
  const signOut = (page) => page.evaluate(() => sessionStorage.clear());
  at('sign-in', guarded, '#/boards', { isMain: true });
  add('sign-in-wrong', async (page) => {
    await visit(page, guarded, '#/boards');
    await page.locator('#main input[type=password]').fill('wrong');
    await page.locator('#main button[type=submit]').click();
    await page.waitForSelector('[role=alert]');
  });
  add('dialog-sign-in', async (page) => {
    await visit(page, guarded, '#/boards');
    await page
      .locator('header')
      .getByRole('button', { name: t('signIn') })
      .click();
    await page.waitForSelector('dialog[open]');
  });
  for (const [name, hash] of [
    ['reader-list', '#/boards'],
    ['no-right', '#/board/season'],
    ['no-right-form', '#/new'],
    ['no-right-templates', '#/templates'],
    ['reader-server', '#/server'],
  ]) {
    add(
      name,
      async (page) => {
        await visit(page, guarded, hash);
        await signIn(page, tokens.reader);
      },
      { end: signOut },
    );
  }

  // A server that is slow, or gone.
  add(
    'loading',
    async (page) => {
      await page.route('**/v1/boards?*', () => {});
      await page.goto('about:blank');
      await page.goto(`${main.url}#/boards`);
      await page.waitForSelector('main .loading');
    },
    { end: (page) => page.unroute('**/v1/boards?*') },
  );
  add(
    'lost',
    async (page) => {
      await visit(page, lost, '#/board/arena');
      await page.waitForSelector('.live-tag');
      await lost.stop();
      await page.waitForFunction(
        (text) => document.querySelector('.banner')?.textContent === text,
        t('lostBanner'),
      );
    },
    { end: () => lost.start() },
  );
  return { states, servers, tokens, texts: t, close };
}
