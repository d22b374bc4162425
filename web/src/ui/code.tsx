// Names and lines of code, shown so that hostile text can do no harm.
import { useState } from 'preact/hooks';
import { t } from '../lib/i18n';
import type { Name } from '../lib/name';

/** A name. It keeps its own direction, and is cut at the end of its column. */
export function NameText({ name, href }: { name: Name; href?: string }) {
  const text = name.text === '' ? t('emptyName') : visible(name.text);
  const shown = <bdi>{text}</bdi>;
  const title = text.length > 24 ? text : undefined;
  const note = name.base64 !== undefined && (
    <span class="tag" title={t('notUtf8Help')}>
      {t('notUtf8')}
    </span>
  );
  return (
    <span class={name.text === '' ? 'name none' : 'name'}>
      {href === undefined ? (
        <span class="name-text" title={title}>
          {shown}
        </span>
      ) : (
        <a class="name-text" href={href} title={title}>
          {shown}
        </a>
      )}
      {note}
    </span>
  );
}

/** The text with control characters, and characters that reorder text, shown as symbols. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, (c) => {
    const code = c.codePointAt(0)!;
    if (code === 0x200d) return c; // joins emoji
    if (code < 32) return String.fromCodePoint(0x2400 + code);
    if (code === 127) return '\u2421';
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** A line to copy. */
export function CodeLine({ label, text }: { label: string; text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text); // not there on a page without TLS
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    } catch {
      setCopied(false);
    }
  };
  return (
    <div class="code">
      <span class="code-label">{label}</span>
      {/* A long line scrolls, and so must be reachable by keyboard. */}
      <pre tabIndex={0} aria-label={label}>
        {visibleLines(text)}
      </pre>
      {navigator.clipboard !== undefined && (
        <button type="button" class="quiet small" onClick={() => void copy()}>
          {copied ? t('copied') : t('copy')}
        </button>
      )}
    </div>
  );
}

function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}
