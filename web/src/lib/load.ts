// Reading data for a component, with the states that a reader must see.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Lost, returns } from './api';

export interface Loaded<T> {
  /** The newest value; undefined until there is one. It stays while it is read again. */
  value: T | undefined;
  /** What went wrong the last time; undefined if nothing did. */
  error: unknown;
  /** Reads again. */
  reload: () => void;
}

/**
 * Calls `load` at first, whenever `key` changes, on reload(), and when a lost server is back. A
 * value of another key is not shown.
 */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; value?: T; error?: unknown }>({ key });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const returned = returns.value;
  useEffect(() => {
    const controller = new AbortController();
    latest.current(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setState({ key, value });
      },
      (error) => {
        if (controller.signal.aborted) return;
        // While the server is away, what was read before stays on the page.
        setState((old) =>
          old.key === key && error instanceof Lost ? { ...old, error } : { key, error },
        );
      },
    );
    return () => controller.abort();
  }, [key, turn, returned]);
  const mine = state.key === key;
  return {
    value: mine ? state.value : undefined,
    error: mine ? state.error : undefined,
    reload: () => setTurn((old) => old + 1),
  };
}

/** Calls `action` every `everyMs` while the tab is visible. */
export function useInterval(everyMs: number, action: () => void): void {
  const latest = useRef(action);
  latest.current = action;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}

/** Renders the component every second, for what depends on the time. */
export function useSeconds(isOn = true): void {
  const [, setSecond] = useState(0);
  useInterval(1000, () => {
    if (isOn) setSecond((old) => old + 1);
  });
}

/** Calls `action` `waitMs` after the last of several calls, but at least every `atMostMs`. */
export function useDebounced(action: () => void, waitMs: number, atMostMs: number): () => void {
  const latest = useRef(action);
  latest.current = action;
  const state = useRef<{ timer?: ReturnType<typeof setTimeout>; since: number }>({ since: 0 });
  useEffect(() => () => clearTimeout(state.current.timer), []);
  return () => {
    const { current } = state;
    const now = Date.now();
    if (current.timer === undefined) current.since = now;
    clearTimeout(current.timer);
    const rest = Math.max(0, current.since + atMostMs - now);
    current.timer = setTimeout(
      () => {
        current.timer = undefined;
        latest.current();
      },
      Math.min(waitMs, rest),
    );
  };
}
