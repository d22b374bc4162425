// What every page does when it is opened.
import { useEffect } from 'preact/hooks';

/** Sets the title of the tab, and moves the focus to a page that was opened by a link. */
export function usePage(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Laurel' : `${title} · Laurel`;
  }, [title]);
  useEffect(() => {
    // At the start nothing has the focus, and the browser's own order holds.
    if (document.activeElement === document.body) return;
    document.getElementById('main')?.focus({ preventScroll: true });
  }, []);
}
