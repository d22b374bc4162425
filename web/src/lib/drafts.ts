// Forms that were left before they were sent. They stay while the tab is open, so that signing in
// again or a look at another page costs nothing that was typed.
import { useState } from 'preact/hooks';

const kept = new Map<string, unknown>();

export interface Kept<T> {
  draft: T;
  change: (changes: Partial<T>) => void;
  /** Forgets what was typed, and starts again. */
  reset: () => void;
  /** Forgets what was typed when the page is left. */
  forget: () => void;
}

/** The draft under this key, or else a new one. */
export function useDraft<T extends object>(key: string, make: () => T): Kept<T> {
  const [draft, setDraft] = useState<T>(() => (kept.get(key) as T | undefined) ?? make());
  return {
    draft,
    change: (changes) =>
      setDraft((old) => {
        const next = { ...old, ...changes };
        kept.set(key, next);
        return next;
      }),
    reset: () => {
      kept.delete(key);
      setDraft(make());
    },
    forget: () => kept.delete(key),
  };
}
