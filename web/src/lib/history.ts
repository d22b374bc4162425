// Collects the server's figures of the last hour, whichever page is shown.
import { effect, signal, untracked } from '@preact/signals';
import { call, connection, Lost, Problem } from './api';
import type { Figures } from './figures';
import { sampleOf, type Reading, type Sample } from './samples';
import { who } from './session';
import { token } from './token';

export const everyMs = 5_000;
export const hourMs = 3_600_000;
/** An hour of samples, and some for polls out of turn when the tab is shown again. */
const maxSamples = hourMs / everyMs + 80;
const timeoutMs = 15_000;

/** The newest figures; null until there are some. */
export const latest = signal<Figures | null>(null);
/** The last hour, oldest first. */
export const samples = signal<readonly Sample[]>([]);
/** What went wrong the last time; null if nothing did. */
export const trouble = signal<unknown>(null);

let last: Reading | null = null;
let asking: AbortController | null = null;
let askedAt = 0;
/** The server has refused the token. It is asked again when the user is another one. */
let isRefused = false;
let isStarted = false;
/** Anonymous users are refused, so they are asked for only when they want to see the figures. */
let isWanted = false;

/** Begins to collect as soon as the user is known. */
export function startHistory(): void {
  if (isStarted) return;
  isStarted = true;
  setInterval(tick, everyMs);
  document.addEventListener('visibilitychange', () => {
    if (Date.now() - askedAt >= everyMs) tick();
  });
  // The user is identified anew after each sign-in, and when a lost server is back.
  effect(() => {
    void who.value;
    untracked(askAgain);
  });
}

/** Collects for anonymous users too: the page of the figures is open. */
export function openHistory(): void {
  isWanted = true;
  startHistory();
  if (latest.value === null) tick();
}

/** Asks at once, even if the server has refused before. */
export function askAgain(): void {
  asking?.abort();
  asking = null;
  isRefused = false;
  if (who.value === 'stranger') forget();
  tick();
}

function mayAsk(): boolean {
  const user = who.value;
  if (user === null || user === 'stranger' || (user.anonymous && !isWanted)) return false;
  return !document.hidden && connection.value === 'up' && asking === null && !isRefused;
}

function tick(): void {
  if (mayAsk()) void ask();
}

async function ask(): Promise<void> {
  const mine = new AbortController();
  const askedWith = token.value;
  asking = mine;
  askedAt = Date.now();
  const timer = setTimeout(() => mine.abort(new Lost('no answer in time')), timeoutMs);
  try {
    const figures = await call<Figures>('GET', 'v1/server', { signal: mine.signal });
    if (asking === mine) take({ at: (askedAt + Date.now()) / 2, figures });
  } catch (error) {
    if (asking === mine && token.value === askedWith) fail(error);
  } finally {
    clearTimeout(timer);
    if (asking === mine) asking = null;
  }
}

function take(now: Reading): void {
  latest.value = now.figures;
  trouble.value = null;
  if (isTooSoon(now)) return;
  const sample = sampleOf(last, now);
  last = now;
  // Samples after this one are there if the browser's clock was set back.
  const kept = samples.value.filter(({ at }) => at > now.at - hourMs && at < now.at);
  samples.value = [...kept.slice(1 - maxSamples), sample];
}

/** After a sign-in the server is asked out of turn. A rate over so short a time would be noise. */
function isTooSoon(now: Reading): boolean {
  if (last === null || last.figures.run_id !== now.figures.run_id) return false;
  return now.at >= last.at && now.at - last.at < everyMs / 2;
}

/** What was collected stays, unless the user may not see it any more. */
function fail(error: unknown): void {
  if (error instanceof Problem && (error.status === 401 || error.status === 403)) {
    isRefused = true;
    forget();
  }
  trouble.value = error;
}

function forget(): void {
  last = null;
  latest.value = null;
  samples.value = [];
  trouble.value = null;
}
