// The live stream of a board, read by fetch, which can send a token. There is at most one per tab;
// it is closed while the tab is hidden.
import { entryOf, headersOf, noteLost, problemOf, Problem, urlOf, type Entry } from './api';
import { nameIn, type Name } from './name';

/** What a stream tells. */
export interface LiveTop {
  /** The board or instance that the name means now. */
  board: Name;
  /** Entries of the board. */
  count: number;
  /** The top, best first. */
  entries: Entry[];
  /** The top is another board's or a new one: nothing has moved. */
  isNew: boolean;
}

export interface LiveHandlers {
  onTop(top: LiveTop): void;
  /** Followed members whose entries have changed. */
  onMembers(members: Entry[]): void;
  /** The stream works, is interrupted and will come back, or is refused. */
  onState(state: 'open' | 'waiting' | Problem): void;
}

interface Following {
  board: Name;
  top: number;
  members: Name[];
  handlers: LiveHandlers;
}

let following: Following | null = null;
let reading: AbortController | null = null;
let retry: ReturnType<typeof setTimeout> | undefined;
let failures = 0;

/** Follows a board instead of the one before. Returns the function that ends it. */
export function follow(
  board: Name,
  top: number,
  members: Name[],
  handlers: LiveHandlers,
): () => void {
  stop();
  const mine: Following = { board, top, members, handlers };
  following = mine;
  failures = 0;
  if (!document.hidden) start();
  return () => {
    if (following !== mine) return;
    stop();
    following = null;
  };
}

function stop(): void {
  clearTimeout(retry);
  reading?.abort();
  reading = null;
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) stop();
  else if (following !== null && reading === null) start();
});

function start(): void {
  clearTimeout(retry);
  const mine = following!;
  const controller = new AbortController();
  reading = controller;
  void read(mine, controller.signal).then(
    (waitMs) => again(mine, controller, waitMs),
    (error) => {
      if (controller.signal.aborted) return;
      if (error instanceof Problem && error.status < 500) {
        reading = null;
        mine.handlers.onState(error);
        return;
      }
      if (!(error instanceof Problem)) noteLost();
      again(mine, controller, null);
    },
  );
}

function again(mine: Following, controller: AbortController, waitMs: number | null): void {
  if (controller.signal.aborted || following !== mine) return;
  reading = null;
  failures += 1;
  mine.handlers.onState('waiting');
  retry = setTimeout(start, waitMs ?? Math.min(500 * 1.6 ** failures, 5000));
}

/** Reads the stream to its end. Returns how long to wait, if the server said so. */
async function read(mine: Following, signal: AbortSignal): Promise<number | null> {
  const members = mine.members.map((member) => `&member=${member.key}`).join('');
  const answer = await fetch(urlOf(`v1/boards/${mine.board.key}/live?top=${mine.top}${members}`), {
    headers: headersOf({ Accept: 'text/event-stream' }),
    cache: 'no-store',
    credentials: 'omit',
    signal,
  });
  if (!answer.ok) throw await problemOf(answer);
  failures = 0;
  mine.handlers.onState('open');
  const state = new TopState();
  let retryMs: number | null = null;
  for await (const event of eventsOf(answer.body!)) {
    if (signal.aborted) break;
    if (event.retryMs !== null) retryMs = event.retryMs;
    const data = event.data === '' ? {} : JSON.parse(event.data);
    if (event.name === 'state' || event.name === 'update')
      mine.handlers.onTop(state.take(data, event.name));
    if (event.name === 'members') mine.handlers.onMembers(data.members.map(entryOf));
  }
  return retryMs;
}

/** Puts the differences of a stream together. */
class TopState {
  private entries: Entry[] = [];

  take(data: { count: number; size: number; entries: object[] }, event: string): LiveTop {
    const isNew = event === 'state';
    const next = isNew ? [] : this.entries.slice(0, data.size);
    for (const wire of data.entries) {
      const entry = entryOf(wire);
      next[entry.rank! - 1] = entry;
    }
    this.entries = next;
    return { board: nameIn(data, 'board')!, count: data.count, entries: next, isNew };
  }
}

interface ServerEvent {
  name: string;
  data: string;
  retryMs: number | null;
}

/** The server-sent events of a body. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      let end: number;
      while ((end = text.indexOf('\n\n')) >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        const event = eventOf(block);
        if (event !== null) yield event;
      }
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

function eventOf(block: string): ServerEvent | null {
  const event: ServerEvent = { name: 'message', data: '', retryMs: null };
  let isEmpty = true;
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) continue; // a comment
    const value = line.slice(colon + 1).replace(/^ /, '');
    isEmpty = false;
    switch (line.slice(0, colon)) {
      case 'event':
        event.name = value;
        break;
      case 'data':
        event.data += (event.data === '' ? '' : '\n') + value;
        break;
      case 'retry':
        event.retryMs = Number(value);
    }
  }
  return isEmpty ? null : event;
}
