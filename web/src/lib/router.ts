// The page's own address: "#/board/arena?period=day&member=ann". What a page shows is in it, so that
// an address can be sent to a colleague, and the browser's back button works.
import { signal } from '@preact/signals';
import { nameOfKey, type Name } from './name';

/** Parameters of an address. They stay percent-encoded, because names may have any bytes. */
export class Query {
  constructor(private readonly encoded: ReadonlyMap<string, string>) {}

  /** A parameter that is text; null if it is not there. */
  get(name: string): string | null {
    return this.name(name)?.text ?? null;
  }

  /** A parameter that is a name; null if it is not there or malformed. */
  name(name: string): Name | null {
    const value = this.encoded.get(name);
    return value === undefined ? null : nameOfKey(value.replace(/\+/g, '%20'));
  }

  entries(): Iterable<[string, string]> {
    return this.encoded;
  }
}

export interface Route {
  /** Segments of the path, still percent-encoded: ["board", "arena"]. */
  path: string[];
  query: Query;
}

function routeOf(hash: string): Route {
  const text = hash.replace(/^#\/?/, '');
  const mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  const pairs = mark < 0 ? [] : text.slice(mark + 1).split('&');
  const query = new Map<string, string>();
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    if (equals > 0) query.set(pair.slice(0, equals), pair.slice(equals + 1));
  }
  return { path: path.split('/').filter((segment) => segment !== ''), query: new Query(query) };
}

export const route = signal(routeOf(location.hash));
window.addEventListener('hashchange', () => {
  route.value = routeOf(location.hash);
});

/** Parameters for an address. Null and empty text leave a parameter out; a name may be empty. */
export type Parameters = Record<string, string | Name | null | undefined>;

function write(path: string[], query: ReadonlyMap<string, string>): string {
  const text = Array.from(query, ([key, value]) => `${key}=${value}`).join('&');
  return `#/${path.join('/')}${text === '' ? '' : '?' + text}`;
}

function change(query: Map<string, string>, changes: Parameters): Map<string, string> {
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === '') query.delete(key);
    else query.set(key, typeof value === 'string' ? encodeURIComponent(value) : value.key);
  }
  return query;
}

/** The address of a page. Segments must be percent-encoded. */
export function addressOf(path: string[], query: Parameters = {}): string {
  return write(path, change(new Map(), query));
}

/** The address of the present page with some parameters changed. */
export function addressWith(changes: Parameters): string {
  return write(route.value.path, change(new Map(route.value.query.entries()), changes));
}

export function go(address: string): void {
  location.hash = address;
}

/** Changes parameters of the present address. */
export function setQuery(changes: Parameters, history: 'replace' | 'push' = 'replace'): void {
  const address = addressWith(changes);
  if (address === location.hash) return;
  if (history === 'push') location.hash = address;
  else {
    window.history.replaceState(null, '', address);
    route.value = routeOf(address);
  }
}
