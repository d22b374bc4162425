// The command line of an action, as redis-cli and curl take it.
import type { Name } from './name';
import type { Method } from './api';

/** One word of a line for redis-cli. */
export function word(text: string): string {
  if (/^[^\s"'\\\p{Cc}\p{Cf}]+$/u.test(text)) return text;
  let out = '';
  for (const c of text) {
    if (c === '"' || c === '\\') out += '\\' + c;
    else if (c === '\n') out += '\\n';
    else if (c === '\r') out += '\\r';
    else if (c === '\t') out += '\\t';
    else if (c < ' ' || c === '\u007f')
      out += '\\x' + c.charCodeAt(0).toString(16).padStart(2, '0');
    else out += c;
  }
  return `"${out}"`;
}

/** The same of a name, whose bytes may not be text. */
export function nameWord(name: Name): string {
  if (name.base64 === undefined) return word(name.text);
  const bytes = Array.from(atob(name.base64), (c) => {
    const code = c.charCodeAt(0);
    if (c === '"' || c === '\\') return '\\' + c;
    return code >= 32 && code < 127 ? c : '\\x' + code.toString(16).padStart(2, '0');
  });
  return `"${bytes.join('')}"`;
}

/** "LB.HIDE arena ann" of its words. */
export function commandLine(...words: (string | Name)[]): string {
  return words.map((part) => (typeof part === 'string' ? word(part) : nameWord(part))).join(' ');
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`;
}

/** The curl call of a request. The token is a placeholder: it is never shown. */
export function curlLine(method: Method, url: URL, body: unknown, hasToken: boolean): string {
  const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} ${shellWord(url.href)}`];
  if (hasToken) lines.push(`-H 'Authorization: Bearer TOKEN'`);
  if (body !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`);
    lines.push(`-d ${shellWord(JSON.stringify(body))}`);
  }
  return lines.join(' \\\n  ');
}
