// The list of boards that match a filter, read page by page as far as it is needed.
import { useEffect, useRef, useState } from 'preact/hooks';
import { listBoards, returns, type BoardLine } from './api';

export type BoardKind = 'leaderboard' | 'sorted-set';

/** Up to this many boards can be sorted: they are all in the page. */
export const maxSorted = 1000;

export interface BoardList {
  rows: BoardLine[];
  /** The whole list is here. */
  isComplete: boolean;
  isLoading: boolean;
  error: unknown;
  /** Reads the next page, if there is one. */
  more: () => void;
  reload: () => void;
}

/** A filter is a glob pattern, or text that a name contains. */
export function patternOf(filter: string): string {
  const text = filter.trim();
  if (text === '') return '*';
  return /[*?[\\]/.test(text) ? text : `*${text}*`;
}

interface State {
  rows: BoardLine[];
  cursor: string | null;
  isComplete: boolean;
  error: unknown;
}

const empty: State = { rows: [], cursor: null, isComplete: false, error: undefined };

/** Reads until there are more boards than can be sorted, then page by page on more(). */
export function useBoardList(filter: string, kind: BoardKind): BoardList {
  const [state, setState] = useState<State>(empty);
  const [isLoading, setLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  const reading = useRef<AbortController | null>(null);
  const key = `${kind} ${filter}`;
  const shownKey = useRef(key);

  const read = async (from: State, atLeast: number) => {
    const controller = new AbortController();
    reading.current?.abort();
    reading.current = controller;
    setLoading(true);
    let next = from;
    try {
      do {
        const page = await listBoards(patternOf(filter), kind, next.cursor, controller.signal);
        next = {
          rows: next.rows.concat(page.boards),
          cursor: page.cursor,
          isComplete: page.cursor === null,
          error: undefined,
        };
        // The first rows are shown at once; a list that is read again replaces the old one as a whole.
        if (next.rows.length > 0 && shownKey.current !== key) {
          shownKey.current = key;
          setState(next);
        }
      } while (!next.isComplete && next.rows.length < atLeast);
    } catch (error) {
      if (controller.signal.aborted) return;
      next = { ...next, error };
    }
    if (controller.signal.aborted) return;
    shownKey.current = key;
    reading.current = null;
    setState(next);
    setLoading(false);
  };

  useEffect(() => {
    void read(empty, maxSorted + 1);
    return () => reading.current?.abort();
  }, [key, turn, returns.value]);

  return {
    rows: shownKey.current === key ? state.rows : [],
    isComplete: state.isComplete,
    isLoading,
    error: state.error,
    more: () => {
      if (isLoading || state.isComplete || state.error !== undefined) return;
      void read(state, state.rows.length + 1);
    },
    reload: () => setTurn((old) => old + 1),
  };
}
