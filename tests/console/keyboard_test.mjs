// The console with the keyboard alone: every step of an operator's work can be done, the focus can be
// seen, and it never gets lost. And with reduced motion nothing moves.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, openPage, Server } from './support.mjs';

const tabLimit = 80;

async function filled() {
  const server = await new Server().start();
  await server.api('PUT', 'boards/arena', { policy: 'best' });
  await server.api('PUT', 'boards/quarry', { policy: 'sum' });
  const entries = ['ann', 'bob', 'cid', 'dee', 'eve'].map((member, i) => ({
    member,
    score: 100 - i * 10,
  }));
  await server.api('POST', 'boards/arena/entries', { entries });
  await server.api('POST', 'boards/quarry/entries', { entries });
  await server.api('PUT', 'templates/rank:*', { policy: 'best' });
  return server;
}

/** What has the focus: its name as a screen reader says it, roughly, and whether it can be seen. */
function focused(page) {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return { tag: 'body', name: '' };
    const label = element.labels?.[0]?.textContent;
    const name = (element.getAttribute('aria-label') ?? label ?? element.textContent).trim();
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    const center = [
      box.left + Math.min(box.width, 600) / 2,
      box.top + Math.min(box.height, 400) / 2,
    ];
    const above = document.elementFromPoint(...center);
    return {
      tag: element.localName,
      name,
      hasRing:
        (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) ||
        style.boxShadow !== 'none',
      isInView: above !== null && (element.contains(above) || above.contains(element)),
      inDialog: element.closest('dialog') !== null,
    };
  });
}

/** Presses Tab until the element of this name has the focus. At each stop the focus must be visible. */
async function tabTo(page, name, { tag, back = false } = {}) {
  const passed = [];
  for (let i = 0; i < tabLimit; ++i) {
    await page.keyboard.press(back ? 'Shift+Tab' : 'Tab');
    const now = await focused(page);
    // After the last element the focus goes to the browser's own controls.
    if (now.tag === 'body') continue;
    passed.push(now.name.slice(0, 30));
    assert.ok(now.hasRing, `the focus on ${now.tag} "${now.name}" has no mark`);
    assert.ok(now.isInView, `${now.tag} "${now.name}" has the focus and cannot be seen`);
    if (now.name === name && (tag === undefined || now.tag === tag)) return now;
  }
  return assert.fail(`Tab does not reach "${name}": ${passed.join(' | ')}`);
}

async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
}

/**
 * The focus is somewhere in the page, and not on <body>, from where Tab begins at the top. If `place`
 * is given, its properties are those of the element that gets the focus in the end.
 */
async function keepsFocus(page, when, place = {}) {
  // Gives what happens after an answer the time to take the focus away.
  await page.evaluate(() => new Promise((done) => setTimeout(done, 150)));
  let now;
  const isThere = async () => {
    now = await focused(page);
    return now.tag !== 'body' && Object.keys(place).every((key) => now[key] === place[key]);
  };
  try {
    await eventually(`the focus ${when}`, isThere);
  } catch {
    assert.notEqual(now.tag, 'body', `the focus is lost ${when}`);
    assert.fail(`the focus ${when} is on ${now.tag} "${now.name}"`);
  }
}

async function dialogOpen(page) {
  await page.waitForSelector('dialog[open]');
  const now = await focused(page);
  assert.ok(now.inDialog, `the focus is on ${now.tag} "${now.name}", outside of the dialog`);
}

/** Waits until a menu is open and has taken the focus, which it does a frame later. */
async function menuOpen(page) {
  await page.waitForFunction(() => document.activeElement?.closest('[role=menu]'));
}

async function dialogGone(page) {
  await page.waitForFunction(() => document.querySelector('dialog[open]') === null);
}

test('the skip link comes first and leads to the content', async (t) => {
  const server = await filled();
  const page = await openPage(t, server.url);
  await page.getByRole('link', { name: 'arena' }).waitFor();
  await press(page, 'Tab');
  const first = await focused(page);
  assert.equal(first.name, 'Skip to the content');
  assert.ok(first.isInView && first.hasRing);
  await press(page, 'Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  await press(page, 'Tab');
  assert.ok(await page.evaluate(() => document.activeElement.closest('main') !== null));
});

test('an operator finds a board and a player, hides the player and undoes it', async (t) => {
  const server = await filled();
  const page = await openPage(t, server.url);
  await page.getByRole('link', { name: 'quarry' }).waitFor();
  await tabTo(page, 'Filter by name');
  await page.keyboard.type('aren');
  await page.getByText('1 board', { exact: true }).waitFor();
  assert.equal(
    (await focused(page)).name,
    'Filter by name',
    'the filter keeps the focus while the list changes',
  );
  await tabTo(page, 'arena', { tag: 'a' });
  await press(page, 'Enter');
  await page.waitForSelector('.live-tag');
  await keepsFocus(page, 'after a board was opened');

  await tabTo(page, "Player's exact name");
  await page.keyboard.type('cid');
  await press(page, 'Enter');
  await page.waitForSelector('.player-name');
  await keepsFocus(page, 'after a player was found');

  await tabTo(page, 'Hide');
  await press(page, 'Enter');
  await dialogOpen(page);
  await press(page, 'Escape');
  await dialogGone(page);
  await keepsFocus(page, 'after Escape', { name: 'Hide' });
  assert.equal((await server.api('GET', 'boards/arena')).hidden, 0);

  await press(page, 'Enter');
  await dialogOpen(page);
  assert.equal((await focused(page)).name, 'Hide', 'what can be undone needs one key more');
  await press(page, 'Enter');
  await dialogGone(page);
  await page.getByText('cid is hidden.').waitFor();
  await page.waitForSelector('.player-name .tag');
  await keepsFocus(page, 'after a player was hidden');
  assert.equal((await server.api('GET', 'boards/arena')).hidden, 1);

  await tabTo(page, 'Undo');
  await press(page, 'Enter');
  await page.getByText('cid is shown again.').waitFor();
  await keepsFocus(page, 'after Undo');
  assert.equal((await server.api('GET', 'boards/arena')).hidden, 0);
});

test('a menu works with arrow keys, Home, End and Escape, and its dialogs give the focus back', async (t) => {
  const server = await filled();
  const page = await openPage(t, `${server.url}#/board/arena`);
  await page.waitForSelector('.live-tag');
  const manage = await tabTo(page, 'Manage ▾');
  const seen = [];
  const now = async () => seen.push((await focused(page)).name);
  await press(page, 'Enter');
  await menuOpen(page);
  await now();
  await press(page, 'ArrowDown');
  await now();
  await press(page, 'End');
  await now();
  await press(page, 'ArrowDown');
  await now();
  await press(page, 'ArrowUp');
  await now();
  await press(page, 'Home');
  await now();
  const [first, second, last] = ['Edit the declaration', 'End or extend the event', 'Drop'];
  assert.deepEqual(seen, [first, second, last, first, last, first]);
  await press(page, 'Escape');
  await page.waitForFunction(() => document.querySelector('[role=menu]') === null);
  await keepsFocus(page, 'after a menu', { name: manage.name });

  const titles = ['End or extend arena', 'Trim arena?', 'Clear arena?', 'Drop arena?'];
  for (const [i, title] of titles.entries()) {
    await press(page, 'Enter');
    await menuOpen(page);
    await press(page, ...Array(i + 1).fill('ArrowDown'), 'Enter');
    await page.getByRole('dialog', { name: title }).waitFor();
    await dialogOpen(page);
    await press(page, 'Escape');
    await dialogGone(page);
    await keepsFocus(page, `after the dialog ${title}`, { name: manage.name });
  }
});

test('an arrow key opens a menu at its first or last item', async (t) => {
  const server = await filled();
  const page = await openPage(t, `${server.url}#/board/arena`);
  await page.waitForSelector('.live-tag');
  await tabTo(page, 'Manage ▾');
  for (const [key, item] of [
    ['ArrowDown', 'Edit the declaration'],
    ['ArrowUp', 'Drop'],
  ]) {
    await press(page, key);
    await eventually(`the focus on ${item}`, async () => (await focused(page)).name === item);
    await press(page, 'Escape');
    await page.waitForFunction(() => document.querySelector('[role=menu]') === null);
  }
});

test('Tab stays inside a dialog', async (t) => {
  const server = await filled();
  const page = await openPage(t, `${server.url}#/board/arena`);
  await page.waitForSelector('.live-tag');
  await tabTo(page, 'Submit a score');
  await press(page, 'Enter');
  await dialogOpen(page);
  for (let i = 0; i < 16; ++i) {
    await press(page, 'Tab');
    const now = await focused(page);
    assert.ok(now.tag === 'body' || now.inDialog, `Tab reached "${now.name}" behind the dialog`);
  }
});

/** Actions after which the element that had the focus may be gone. */
const actions = [
  [
    'Submit a score',
    async (page) => {
      await page.keyboard.type('zoe');
      await tabTo(page, 'score');
      await page.keyboard.type('55');
      await press(page, 'Enter');
    },
  ],
  [
    'Correct',
    async (page) => {
      await tabTo(page, 'score');
      await press(page, 'Control+A');
      await page.keyboard.type('81');
      await press(page, 'Enter');
    },
  ],
  [
    'Remove',
    async (page) => {
      assert.equal(
        (await focused(page)).name,
        'Cancel',
        'what is dangerous does not begin with its button',
      );
      await tabTo(page, 'Remove', { tag: 'button' });
      await press(page, 'Enter');
    },
  ],
];
for (const [name, act] of actions) {
  test(`the focus is not lost after the dialog of "${name}"`, async (t) => {
    const server = await filled();
    const page = await openPage(t, `${server.url}#/board/arena?member=cid`);
    await page.waitForSelector('.live-tag');
    await page.waitForSelector('.player-actions');
    await tabTo(page, name);
    await press(page, 'Enter');
    await dialogOpen(page);
    await act(page);
    await dialogGone(page);
    await page.waitForSelector('.toast');
    await keepsFocus(page, `after ${name}`);
  });
}

test('a board is dropped with the keyboard, and the focus is in the list then', async (t) => {
  const server = await filled();
  const page = await openPage(t, `${server.url}#/board/quarry`);
  await page.waitForSelector('.live-tag');
  await tabTo(page, 'Manage ▾');
  await press(page, 'Enter');
  await menuOpen(page);
  await press(page, 'End', 'Enter');
  await dialogOpen(page);
  assert.equal((await focused(page)).name, 'Type quarry to go on');
  await page.keyboard.type('quarry');
  await press(page, 'Enter');
  await page.getByText('quarry was dropped.').waitFor();
  await page.getByRole('heading', { name: 'Boards' }).waitFor();
  await keepsFocus(page, 'after a board was dropped');
});

test('a template is deleted with the keyboard, and the focus stays', async (t) => {
  const server = await filled();
  const page = await openPage(t, `${server.url}#/templates`);
  await page.getByRole('button', { name: 'Delete rank:*' }).waitFor();
  await tabTo(page, 'Delete rank:*');
  await press(page, 'Enter');
  await dialogOpen(page);
  await tabTo(page, 'Delete', { tag: 'button' });
  await press(page, 'Enter');
  await page.getByText('There are no templates yet').waitFor();
  await keepsFocus(page, 'after a template was deleted');
});

test('a board is created with the keyboard, mistakes are found, and the focus moves to them', async (t) => {
  const server = await filled();
  const page = await openPage(t, server.url);
  await page.getByRole('link', { name: 'arena' }).waitFor();
  await tabTo(page, 'New board');
  await press(page, 'Enter');
  await page.getByRole('heading', { name: 'New board' }).waitFor();
  await keepsFocus(page, 'after the form was opened');
  await tabTo(page, 'Create the board');
  await press(page, 'Enter');
  await page.getByText('The board needs a name.').waitFor();
  await keepsFocus(page, 'after a mistake', { name: 'Name' });
  await page.keyboard.type('made');
  await press(page, 'Enter');
  await page.getByRole('heading', { name: 'made' }).waitFor();
  await keepsFocus(page, 'after a board was created');
  assert.equal((await server.api('GET', 'boards/made')).board, 'made');
});

test('going from page to page by keyboard keeps the focus, and back again too', async (t) => {
  const server = await filled();
  const page = await openPage(t, server.url);
  await page.getByRole('link', { name: 'arena' }).waitFor();
  for (const link of ['Find a player', 'Templates', 'Server', 'Boards']) {
    // The next page begins at the content, so the links are behind the focus.
    await tabTo(page, link, { tag: 'a', back: link !== 'Find a player' });
    await press(page, 'Enter');
    await page.getByRole('heading', { name: link, exact: true, level: 1 }).waitFor();
    await keepsFocus(page, `after ${link}`, { tag: 'main' });
  }
  await page.goBack();
  await page.getByRole('heading', { name: 'Server', exact: true, level: 1 }).waitFor();
  await keepsFocus(page, 'after the way back');
});

test('the wall view can be entered and left with the keyboard', async (t) => {
  const server = await filled();
  const page = await openPage(t, `${server.url}#/board/arena`);
  await page.waitForSelector('.live-tag');
  await tabTo(page, 'Wall view');
  await press(page, 'Enter');
  await page.waitForSelector('.wall');
  await keepsFocus(page, 'in the wall view');
  await page.goBack();
  await page.waitForSelector('.live-tag');
});

test('with reduced motion nothing moves after a change of ranks', async (t) => {
  const server = await filled();
  const page = await openPage(t, `${server.url}#/board/arena`, {
    reducedMotion: 'reduce',
  });
  await page.waitForSelector('.live-tag');
  await page.evaluate(() => {
    globalThis.moving = new Set();
    const watch = () => {
      for (const animation of document.getAnimations()) {
        globalThis.moving.add(animation.animationName ?? animation.transitionProperty ?? 'script');
      }
      requestAnimationFrame(watch);
    };
    watch();
  });
  for (const [member, score] of [
    ['eve', 500],
    ['zoe', 400],
    ['dee', 600],
  ]) {
    await server.api('POST', 'boards/arena/entries', { member, score });
    await page.getByRole('row', { name: new RegExp(`${member}.*${score}`) }).waitFor();
  }
  await page.locator('tbody tr').first().getByRole('link', { name: 'dee' }).waitFor();
  assert.deepEqual(await page.evaluate(() => [...globalThis.moving]), []);
  await page.goto(`${server.url}#/board/arena?view=wall`);
  await page.waitForSelector('.wall-rows li');
  await server.api('POST', 'boards/arena/entries', {
    member: 'ann',
    score: 700,
  });
  await page.locator('.wall-rows li').first().getByText('ann').waitFor();
  assert.deepEqual(await page.evaluate(() => [...globalThis.moving]), []);
});

test('with reduced motion a change of the theme reaches every text at once', async (t) => {
  const server = await filled();
  const page = await openPage(t, `${server.url}#/board/arena`, {
    reducedMotion: 'reduce',
    colorScheme: 'light',
  });
  await page.waitForSelector('.live-tag');
  const colors = () =>
    page.evaluate(() => {
      const cells = document.querySelectorAll('td.c-score, h1, h2, dt');
      return [...new Set(Array.from(cells, (cell) => getComputedStyle(cell).color))];
    });
  const light = await colors();
  assert.equal(light.length, 1);
  await tabTo(page, 'Light or dark');
  await press(page, 'Enter');
  const dark = await colors();
  assert.equal(dark.length, 1, dark.join());
  assert.notDeepEqual(dark, light);
});

test('without that wish rows slide to their places', async (t) => {
  const server = await filled();
  const page = await openPage(t, `${server.url}#/board/arena`);
  await page.waitForSelector('.live-tag');
  await page.evaluate(() => {
    globalThis.moved = false;
    const watch = () => {
      globalThis.moved ||= document.getAnimations().length > 0;
      requestAnimationFrame(watch);
    };
    watch();
  });
  await server.api('POST', 'boards/arena/entries', {
    member: 'eve',
    score: 500,
  });
  await eventually('a motion', () => page.evaluate(() => globalThis.moved));
});
