// Calls of the HTTP API. Paths are relative to the page, so that a prefix of a proxy is kept.
import { signal } from '@preact/signals';
import { nameIn, nameOut, type Name } from './name';
import { token } from './token';

/** An answer that is a problem (RFC 9457), or the part of POST /v1/read that is one. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly field?: string,
  ) {
    super(detail);
  }
}

/** The server did not answer: whether the request was carried out is not known. */
export class Lost extends Error {}

/** Whether the server answers. While it does not, the page asks again by itself. */
export const connection = signal<'up' | 'loading' | 'lost'>('up');

/** Rises each time the server is back after it was lost; pages read their data again. */
export const returns = signal(0);

/** Rises when the server does not know the token any more. */
export const refusals = signal(0);

/** How far the clock of the server's machine is ahead of the browser's, in milliseconds. */
let clockLeadMs = 0;

/** How far boards are ahead of that clock: --clock-offset. */
let boardsLeadMs = 0;

/** The clock that windows and periods follow. */
export function serverNow(): number {
  return Date.now() + clockLeadMs + boardsLeadMs;
}

/** Notes what GET v1/server says of the time, which is that of the boards. */
function noteBoardsClock(answer: unknown, date: string | null): void {
  const { time } = answer as { time?: string };
  const lead = Date.parse(time ?? '') - Date.parse(date ?? '') - 500;
  if (!Number.isNaN(lead)) boardsLeadMs = Math.abs(lead) < 2000 ? 0 : lead;
}

function noteClock(date: string | null, sentAt: number): void {
  if (date === null) return;
  // The header has whole seconds, and was written at some time while the answer was awaited.
  const lead = Date.parse(date) + 500 - (sentAt + Date.now()) / 2;
  const uncertain = 2000 + (Date.now() - sentAt) / 2;
  if (!Number.isNaN(lead)) clockLeadMs = Math.abs(lead) < uncertain ? 0 : lead;
}

let asking = false;

/** Notes that the server is lost, and asks until it is back. */
export function noteLost(state: 'lost' | 'loading' = 'lost'): void {
  connection.value = state;
  if (!asking) {
    asking = true;
    void askUntilBack();
  }
}

async function askUntilBack(): Promise<void> {
  for (let waitMs = 500; ; waitMs = Math.min(waitMs * 1.6, 5000)) {
    await new Promise((done) => setTimeout(done, waitMs));
    try {
      const answer = await fetch(urlOf('readyz'), { cache: 'no-store' });
      if (answer.ok) break;
      if (answer.status === 503) connection.value = 'loading';
    } catch {
      connection.value = 'lost';
    }
  }
  asking = false;
  connection.value = 'up';
  returns.value += 1;
}

export function urlOf(path: string): URL {
  return new URL(path, document.baseURI);
}

export function headersOf(more: Record<string, string> = {}): Record<string, string> {
  return token.value === null ? more : { ...more, Authorization: `Bearer ${token.value}` };
}

/** The problem of an answer that is not a success. */
export async function problemOf(answer: Response): Promise<Problem> {
  try {
    const body = await answer.json();
    return new Problem(answer.status, String(body.code), String(body.detail), body.field);
  } catch {
    // A proxy may answer with a page of its own.
    return new Problem(answer.status, 'ERR', `${answer.status} ${answer.statusText}`);
  }
}

export interface CallOptions {
  body?: unknown;
  query?: Record<string, string | number | undefined>;
  /** Idempotency-Key. */
  id?: string;
  signal?: AbortSignal;
  /** Gets the status of a success: 201 or 200 of a PUT. */
  onStatus?: (status: number) => void;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Throws Problem, Lost, or the AbortError of the signal. */
export async function call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
  const url = urlOf(path);
  for (const [key, value] of Object.entries(options.query ?? {})) {
    if (value !== undefined) url.searchParams.append(key, String(value));
  }
  const headers = headersOf();
  const hasBody = options.body !== undefined || method === 'POST';
  if (hasBody) headers['Content-Type'] = 'application/json';
  if (options.id !== undefined) headers['Idempotency-Key'] = options.id;
  const sentAt = Date.now();
  let answer: Response;
  try {
    answer = await fetch(url, {
      method,
      headers,
      body: hasBody ? JSON.stringify(options.body ?? {}) : undefined,
      signal: options.signal,
      credentials: 'omit',
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    noteLost();
    throw new Lost(String(error));
  }
  noteClock(answer.headers.get('Date'), sentAt);
  if (!answer.ok) {
    const problem = await problemOf(answer);
    if (problem.code === 'LOADING') noteLost('loading');
    if (problem.code === 'NOAUTH' && token.value !== null) refusals.value += 1;
    if (answer.status === 502 || answer.status === 504) noteLost();
    throw problem;
  }
  options.onStatus?.(answer.status);
  try {
    const json: unknown = await answer.json();
    if (path === 'v1/server') noteBoardsClock(json, answer.headers.get('Date'));
    return json as T;
  } catch (error) {
    if (options.signal?.aborted) throw error;
    noteLost();
    throw new Lost(String(error));
  }
}

export function boardPath(board: Name, rest = ''): string {
  return `v1/boards/${board.key}${rest}`;
}

// What routes answer -------------------------------------------------------------------------------

export interface Field {
  name: string;
  type: string;
  direction: 'asc' | 'desc';
  operator: 'set' | 'sum' | 'max' | 'min';
}

export type Policy = 'set' | 'best' | 'sum';

export interface Spec {
  fields: Field[];
  policy: Policy;
  tie: 'first' | 'last' | 'member';
  cap: number;
  start: string | null;
  end: string | null;
  grace: string;
  expire: string | null;
  dedup: number;
  periods?: string[];
  tz?: string;
  turn?: string;
  keep?: number;
}

export interface Board extends Spec {
  ids: number;
  size: number;
  hidden: number;
  bytes: number;
  create: string;
}

export type WindowState = 'upcoming' | 'open' | 'grace' | 'ended';

export interface BoardLine {
  name: Name;
  policy: Policy;
  periods: string[];
  start: string | null;
  end: string | null;
  window: WindowState;
  size: number;
  bytes: number;
}

export interface Entry {
  rank: number | null;
  name: Name;
  score: string[] | null;
  reached: string | null;
  /** Present if it was asked for; null: there is none. */
  meta?: string | null;
  /** Base64 of the meta if it is not UTF-8; `meta` is empty then. */
  metaBase64?: string;
}

export interface Instance {
  name: Name;
  period: string;
  begin: string | null;
  end: string | null;
  present: boolean;
  size: number;
  closed: string | null;
}

export interface Verdict {
  status: 'accepted' | 'unchanged' | 'not-best' | 'not-ranked' | 'skipped';
  rank: number | null;
  previous_rank: number | null;
  score: string[] | null;
  previous_score: string[] | null;
  needs?: string[] | null;
  hidden?: boolean;
  duplicate?: boolean;
}

/** An event of a board. */
export interface Change {
  cursor: string;
  cause: string;
  board: Name | null;
  member: Name | null;
  score?: string[];
  reached?: string;
  count?: number;
  spec?: string;
  /** Of `renamed`. */
  newName: Name | null;
}

interface Wire {
  [key: string]: unknown;
}

export function entryOf(wire: object): Entry {
  const { rank, score, reached, meta, meta_base64: metaBase64 } = wire as Wire & Entry;
  const entry: Entry = { rank, score, reached, name: nameIn(wire, 'member')! };
  if (typeof metaBase64 === 'string') return { ...entry, meta: '', metaBase64 };
  return meta === undefined ? entry : { ...entry, meta };
}

// Reads --------------------------------------------------------------------------------------------

/** One read of POST /v1/read. */
export interface Read {
  read: string;
  board: Name;
  member?: Name;
  [key: string]: unknown;
}

/** Up to 32 reads of one state. Each result is what its route answers, or a Problem. */
export async function readTogether(reads: Read[], signal?: AbortSignal): Promise<unknown[]> {
  const body = {
    reads: reads.map(({ board, member, ...rest }) => ({
      ...rest,
      ...nameOut(board, 'board'),
      ...(member === undefined ? {} : nameOut(member, 'member')),
    })),
  };
  const answer = await call<{ results: Wire[] }>('POST', 'v1/read', { body, signal });
  return answer.results.map((result) =>
    typeof result['code'] === 'string'
      ? new Problem(0, result['code'], String(result['detail']))
      : result,
  );
}

/** The result of a read, or its problem thrown. */
export function resultOf<T>(result: unknown): T {
  if (result instanceof Problem) throw result;
  return result as T;
}

/** The result of a read; null if the member has no entry. */
export function memberResultOf<T>(result: unknown): T | null {
  if (result instanceof Problem && result.code === 'NOMEMBER') return null;
  return resultOf<T>(result);
}

export interface Page {
  count: number;
  entries: Entry[];
}

export function pageOf(result: unknown): Page {
  const page = resultOf<{ count: number; entries: object[] }>(result);
  return { count: page.count, entries: page.entries.map(entryOf) };
}

export function instancesOf(result: unknown): Instance[] {
  const { periods } = resultOf<{ periods: (Wire & Instance)[] }>(result);
  return periods.map((wire) => ({ ...wire, name: nameIn(wire, 'board')! }));
}

export interface BoardsPage {
  boards: BoardLine[];
  cursor: string | null;
}

/** A page of the list of boards. */
export async function listBoards(
  match: string,
  kind: 'leaderboard' | 'sorted-set',
  cursor: string | null,
  signal?: AbortSignal,
): Promise<BoardsPage> {
  const answer = await call<{ boards: (Wire & BoardLine)[]; cursor: string | null }>(
    'GET',
    'v1/boards',
    { query: { match, kind, cursor: cursor ?? undefined, limit: 1000 }, signal },
  );
  const boards = answer.boards.map((wire) => ({ ...wire, name: nameIn(wire, 'board')! }));
  return { boards, cursor: answer.cursor };
}

export interface Changes {
  events: Change[];
  next: string;
  /** Earlier events are missing. */
  gap: boolean;
}

export async function listChanges(
  board: Name,
  from: string,
  options: { member?: Name; limit?: number; signal?: AbortSignal } = {},
): Promise<Changes> {
  let path = boardPath(board, `/changes?from=${encodeURIComponent(from)}`);
  // The key is percent-encoded already, and has bytes that text cannot have.
  if (options.member !== undefined) path += `&member=${options.member.key}`;
  if (options.limit !== undefined) path += `&limit=${options.limit}`;
  const answer = await call<{ events: (Wire & Change)[]; next: string; gap?: unknown }>(
    'GET',
    path,
    { signal: options.signal },
  );
  const events = answer.events.map((wire) => ({
    ...wire,
    board: nameIn(wire, 'board'),
    member: nameIn(wire, 'member'),
    newName: nameIn(wire, 'name'),
  }));
  return { events, next: answer.next, gap: answer.gap === true };
}

let knownLog: { run: number; has: boolean } | undefined;

/** Whether the server keeps a log, from which changes are read. One with --in-memory has none. */
export async function hasLog(signal?: AbortSignal): Promise<boolean> {
  if (knownLog?.run === returns.value) return knownLog.has;
  const run = returns.value;
  try {
    const { disk } = await call<{ disk: { durable: boolean } }>('GET', 'v1/server', { signal });
    knownLog = { run, has: disk.durable };
  } catch (error) {
    // Readers without a token may not ask; then the changes themselves will tell.
    if (!(error instanceof Problem)) throw error;
    knownLog = { run, has: true };
  }
  return knownLog.has;
}

/** A random Idempotency-Key. */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return 'console-' + Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
