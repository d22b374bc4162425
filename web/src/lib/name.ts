// Names of boards and members. A name is any bytes; most are UTF-8 text.

/** A name in the two forms that the page needs. Two names are equal if their keys are. */
export interface Name {
  /** Percent-encoded bytes: for paths, for the page's own address, and as a key of maps. */
  readonly key: string;
  /** What people read. Bytes that are not UTF-8 are shown as U+FFFD. */
  readonly text: string;
  /** Base64 of the bytes if they are not UTF-8. */
  readonly base64?: string;
}

/** The name that a person has typed. */
export function nameOfText(text: string): Name {
  const whole = text.replace(/[\ud800-\udfff]/gu, '\ufffd'); // lone surrogates have no bytes
  return { key: encodeURIComponent(whole), text: whole };
}

function nameOfBase64(base64: string): Name {
  const binary = atob(base64);
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  let key = '';
  for (const byte of bytes) key += '%' + byte.toString(16).toUpperCase().padStart(2, '0');
  return { key, text: new TextDecoder().decode(bytes), base64 };
}

/** The name of a percent-encoded key, as an address has it; null if it is malformed. */
export function nameOfKey(key: string): Name | null {
  try {
    return nameOfText(decodeURIComponent(key));
  } catch {
    if (!/^(?:%[0-9a-fA-F]{2}|[^%])*$/.test(key)) return null;
    // Valid percent-encoding, but not of UTF-8.
    let binary = '';
    const bytes = new TextEncoder();
    for (const part of key.match(/%[0-9a-fA-F]{2}|[^%]+/g) ?? []) {
      if (part.startsWith('%')) binary += String.fromCharCode(parseInt(part.slice(1), 16));
      else for (const byte of bytes.encode(part)) binary += String.fromCharCode(byte);
    }
    return nameOfBase64(btoa(binary));
  }
}

type Wire = Record<string, unknown>;

/** The name under `what` in an answer: `member`, or `member_base64`. */
export function nameIn(object: object, what: 'member' | 'board' | 'pattern' | 'name'): Name | null {
  const wire = object as Wire;
  const text = wire[what];
  if (typeof text === 'string') return nameOfText(text);
  const base64 = wire[`${what}_base64`];
  return typeof base64 === 'string' ? nameOfBase64(base64) : null;
}

/** The same in the other direction: the keys for a body. */
export function nameOut(name: Name, what: 'member' | 'board'): Wire {
  return name.base64 === undefined ? { [what]: name.text } : { [`${what}_base64`]: name.base64 };
}

/** Whether a browser can put the name into a path. It resolves "." and ".." even if encoded. */
export function hasPath(name: Name): boolean {
  return name.text !== '' && name.text !== '.' && name.text !== '..';
}

/** The name of an instance: `day:-1` of `lb` is `lb@day:-1`. */
export function instanceName(board: Name, period: string): Name {
  return nameOfKey(`${board.key}@${encodeURIComponent(period)}`) ?? board;
}
