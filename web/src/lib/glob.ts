// Glob patterns as the server has them: * ? [abc] [^a-z] and \ before a byte. They are patterns of
// bytes, so that ? is one byte of a UTF-8 character.

const [star, question, open, close, caret, dash, backslash] = Array.from('*?[]^-\\', (c) =>
  c.charCodeAt(0),
);

/** How many bytes the first element of a pattern has, and whether it matches the byte. */
type Element = [bytes: number, matches: boolean];

/** Ranges compare as signed bytes, and may be given in either order, as in Redis. */
function inRange(byte: number, a: number, b: number): boolean {
  const [value, from, to] = [byte, a, b].map((one) => (one << 24) >> 24) as [
    number,
    number,
    number,
  ];
  return Math.min(from, to) <= value && value <= Math.max(from, to);
}

function tryClass(pattern: Uint8Array, at: number, byte: number): Element {
  const begin = at;
  at += 1;
  const isInverted = pattern[at] === caret;
  if (isInverted) at += 1;
  let isListed = false;
  while (at < pattern.length && pattern[at] !== close) {
    const left = pattern.length - at;
    if (pattern[at] === backslash && left >= 2) {
      isListed ||= pattern[at + 1] === byte;
      at += 2;
    } else if (left >= 3 && pattern[at + 1] === dash) {
      isListed ||= inRange(byte, pattern[at]!, pattern[at + 2]!);
      at += 3;
    } else {
      isListed ||= pattern[at] === byte;
      at += 1;
    }
  }
  return [Math.min(at + 1, pattern.length) - begin, isListed !== isInverted];
}

function tryElement(pattern: Uint8Array, at: number, byte: number): Element {
  const first = pattern[at];
  if (first === question) return [1, true];
  if (first === open) return tryClass(pattern, at, byte);
  if (first === backslash && at + 1 < pattern.length) return [2, pattern[at + 1] === byte];
  return [1, first === byte];
}

/** Whether the text matches the pattern. */
export function matchesGlob(patternText: string, text: string): boolean {
  const encoder = new TextEncoder();
  const [pattern, bytes] = [encoder.encode(patternText), encoder.encode(text)];
  let [p, b] = [0, 0];
  // Where to go on if an element does not match: behind the last star, one byte later.
  let [afterStar, retryAt] = [-1, 0];
  while (b < bytes.length) {
    if (p < pattern.length && pattern[p] === star) {
      afterStar = ++p;
      retryAt = b;
      continue;
    }
    const [length, matches] = p < pattern.length ? tryElement(pattern, p, bytes[b]!) : [0, false];
    if (matches) {
      p += length;
      b += 1;
    } else if (afterStar >= 0) {
      p = afterStar;
      b = ++retryAt;
    } else {
      return false;
    }
  }
  while (p < pattern.length && pattern[p] === star) p += 1;
  return p === pattern.length;
}
