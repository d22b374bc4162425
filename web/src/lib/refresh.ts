// Reading data again and again while a component is shown.
import { useEffect } from 'preact/hooks';
import { connection, Problem } from './api';
import { useLoad, type Loaded } from './load';

/** Reads again `everyMs` after each answer, so that a slow answer is never overtaken. */
export function useRefreshed<T>(
  key: string,
  everyMs: number,
  load: (signal: AbortSignal) => Promise<T>,
): Loaded<T> {
  const loaded = useLoad(key, load);
  const { value, error, reload } = loaded;
  useEffect(() => {
    if (error instanceof Problem && error.status < 500) return;
    let timer = setTimeout(again, everyMs);
    function again() {
      // When a lost server is back, useLoad reads again by itself.
      if (document.hidden || connection.value !== 'up') timer = setTimeout(again, everyMs);
      else reload();
    }
    return () => clearTimeout(timer);
  }, [value, error]);
  return loaded;
}
