// Moments in inputs of type datetime-local, which are in the reader's zone and have whole seconds.

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** The value for the input: "2026-11-15T13:00:00". */
export function localOf(iso: string): string {
  const at = new Date(iso);
  const year = String(at.getFullYear()).padStart(4, '0');
  const date = [year, two(at.getMonth() + 1), two(at.getDate())];
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two);
  return `${date.join('-')}T${clock.join(':')}`;
}

/** Browsers leave out seconds that are zero. */
function withSeconds(local: string): string {
  return local.length === 16 ? `${local}:00` : local;
}

/** Whether the input still shows this moment. */
export function showsMoment(local: string, iso: string | null): boolean {
  return iso === null ? local === '' : withSeconds(local) === localOf(iso);
}

/**
 * The moment of an input, in UTC; null if it is empty. An input that still shows `original` means
 * exactly that: its microseconds are kept, and the second of two equal hours when clocks go back.
 */
export function momentOf(local: string, original: string | null = null): string | null {
  if (original !== null && showsMoment(local, original)) return original;
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? null : at.toISOString().replace('.000Z', 'Z');
}

/** The part of a second that the input cannot show: ".123456"; empty if there is none. */
export function hiddenFraction(iso: string | null): string {
  const fraction = /(\.\d+)Z$/.exec(iso ?? '')?.[1] ?? '';
  return /[1-9]/.test(fraction) ? fraction : '';
}
