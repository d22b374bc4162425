// How the tests read and use the pages of the console: by roles, names and visible text.
import assert from 'node:assert/strict';
import { eventually } from './support.mjs';

/** The address of a page: pageAddress(server, 'board', name) or pageAddress(server, 'players'). */
export function pageAddress(server, ...segments) {
  return `${server.url}#/${segments.map(encodeURIComponent).join('/')}`;
}

/** What reads a board's page with fewer words. Rows and cells are texts as people see them. */
export class BoardPage {
  constructor(page) {
    this.page = page;
    this.list = page.getByRole('region', { name: /^(Top|From rank .*)$/ });
    this.player = page.getByRole('region', { name: 'Player', exact: true });
    this.changes = page.getByRole('region', {
      name: 'Recent changes',
      exact: true,
    });
  }

  /** [[rank, move, member, score …, reached] …] of the list, [] if there is none. */
  async rows() {
    const tables = await this.list.getByRole('table').elementHandles();
    return tables.length === 0 ? [] : tables[0].evaluate(cellsOfTable);
  }

  /** Waits until the list shows exactly these members, in this order. */
  async membersAre(members) {
    let shown;
    try {
      await eventually('the members of the list', async () => {
        shown = (await this.rows()).map((row) => row[2]);
        return JSON.stringify(shown) === JSON.stringify(members);
      });
    } catch {
      assert.deepEqual(shown, members);
    }
  }

  row(member) {
    const link = this.page.getByRole('link', { name: member, exact: true });
    return this.list.getByRole('row').filter({ has: link });
  }

  async find(member) {
    await this.player.getByRole('searchbox', { name: "Player's exact name" }).fill(member);
    await this.player.getByRole('button', { name: 'Find', exact: true }).click();
  }

  /** Opens the menu and takes one of its items. */
  async manage(item) {
    await this.page.getByRole('button', { name: 'Manage', exact: true }).click();
    await this.page.getByRole('menuitem', { name: item, exact: true }).click();
  }
}

/** The texts of the cells below the head of a table, for locator.evaluate. */
export function cellsOfTable(table) {
  const textsOf = (cells) => Array.from(cells, (cell) => cell.innerText.trim());
  if (table.tagName === 'TABLE') {
    return Array.from(table.tBodies[0]?.rows ?? [], (row) => textsOf(row.cells));
  }
  return Array.from(table.querySelectorAll('[role="row"]'), (row) =>
    textsOf(row.querySelectorAll('[role="cell"]')),
  ).filter((cells) => cells.length > 0);
}

/** The dialog that is open, if its title is this one. */
export function dialog(page, title) {
  return page.getByRole('dialog', {
    name: title,
    exact: typeof title === 'string',
  });
}

/** Waits until no part of the page's content says that it is still loading. */
export function everythingIsLoaded(page) {
  const loading = page
    .locator('main')
    .getByRole('status')
    .filter({ hasText: /Loading …|正在加载/ });
  return eventually('the end of loading', async () => (await loading.count()) === 0);
}

/** Waits for a message at the edge of the page. */
export function toast(page, text) {
  return page.getByRole('status').filter({ hasText: text }).first();
}

/** The code that is shown under a label such as "Command" or "The same with curl". */
export function shownCode(scope, label) {
  return scope.getByLabel(label, { exact: true }).innerText();
}

/** Splits a line into words as redis-cli does: quotes, and escapes inside double quotes. */
export function wordsOf(line) {
  const words = [];
  const named = { n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b' };
  const pattern = /"((?:\\[^]|[^"\\])*)"|'((?:\\'|[^'])*)'|([^\s"']+)/g;
  for (const [, double, single, bare] of line.matchAll(pattern)) {
    if (bare !== undefined) words.push(Buffer.from(bare));
    else if (single !== undefined) words.push(Buffer.from(single.replaceAll("\\'", "'")));
    else {
      const parts = double.match(/\\x[0-9a-fA-F]{2}|\\[^]|[^\\]+/g) ?? [];
      words.push(
        Buffer.concat(
          parts.map((part) => {
            if (/^\\x../.test(part)) return Buffer.from(part.slice(2), 'hex');
            return Buffer.from(part[0] === '\\' ? (named[part[1]] ?? part[1]) : part);
          }),
        ),
      );
    }
  }
  return words;
}

/** Signs in with the form that is shown. */
export async function signIn(page, secret) {
  await page.getByLabel('Token', { exact: true }).fill(secret);
  await page.getByRole('button', { name: 'Sign in', exact: true }).last().click();
}
