// Entries as CSV, for spreadsheets.
import type { Entry, Field } from './api';

/**
 * A cell. Text that a spreadsheet would take for a formula gets an apostrophe before it. So does text
 * that begins with one: an apostrophe at the beginning is always an added one.
 */
function textCell(text: string): string {
  return quoted(/^['=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text);
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** Lines as in RFC 4180. Members and meta that are not UTF-8 are in columns of base64. */
export function csvOf(entries: Entry[], fields: Field[]): string {
  const head = [
    'rank',
    'member',
    'member_base64',
    ...fields.map((field) => field.name),
    'reached',
    'meta',
    'meta_base64',
  ];
  const lines = [head.map(textCell).join(',')];
  for (const { rank, name, score, reached, meta, metaBase64 } of entries) {
    const isText = name.base64 === undefined;
    lines.push(
      [
        String(rank ?? ''),
        isText ? textCell(name.text) : '',
        isText ? '' : name.base64,
        ...(score ?? []),
        reached ?? '',
        textCell(meta ?? ''),
        metaBase64 ?? '',
      ].join(','),
    );
  }
  // The mark at the beginning tells spreadsheets that it is UTF-8.
  return '\ufeff' + lines.join('\r\n') + '\r\n';
}

/** Gives the user a file. */
export function download(fileName: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
