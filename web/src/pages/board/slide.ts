// Rows slide from their old places to the new ones. A row is known by its data-key.

const places = new WeakMap<HTMLElement, Map<string, number>>();
const slideMs = 350;

/** To be called after each change of the rows, before the browser paints. */
export function slideRows(body: HTMLElement): void {
  const before = places.get(body);
  const now = new Map<string, number>();
  const rows = Array.from(body.children) as HTMLElement[];
  for (const row of rows) now.set(row.dataset['key']!, row.offsetTop);
  places.set(body, now);
  if (before === undefined || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  for (const row of rows) {
    const old = before.get(row.dataset['key']!);
    const top = row.offsetTop;
    if (old === undefined || old === top) continue;
    // A row that still slides goes on from where it is seen.
    const seen = new DOMMatrixReadOnly(getComputedStyle(row).transform).m42;
    for (const animation of row.getAnimations()) if (animation.id === 'slide') animation.cancel();
    row.animate([{ transform: `translateY(${old + seen - top}px)` }, { transform: 'none' }], {
      id: 'slide',
      duration: slideMs,
      easing: 'cubic-bezier(0.2, 0.7, 0.2, 1)',
    });
  }
}
