// The texts of the page, in English and Chinese. English decides which texts there are.
import { signal } from '@preact/signals';
import type { Texts } from '../text/en';

export type Language = 'en' | 'zh';
export type Key = keyof Texts;
type Values = Record<string, string | number>;

const storageKey = 'laurel.language';
const load = {
  en: () => import('../text/en'),
  zh: () => import('../text/zh'),
};

export const language = signal<Language>('en');
const texts = signal<Texts | null>(null);

/** The language chosen before, or else the first of the browser's that the page has. */
export function preferredLanguage(): Language {
  const chosen = localStorage.getItem(storageKey);
  for (const tag of [chosen ?? '', ...navigator.languages]) {
    const base = tag.split('-')[0];
    if (base === 'en' || base === 'zh') return base;
  }
  return 'en';
}

/** Shows the page in this language; `keep` remembers it. */
export async function useLanguage(chosen: Language, keep = false): Promise<void> {
  texts.value = (await load[chosen]()).default;
  language.value = chosen;
  document.documentElement.lang = chosen === 'zh' ? 'zh-CN' : 'en';
  if (keep) localStorage.setItem(storageKey, chosen);
}

/**
 * A text. `{name}` is replaced by a value; "one entry|{n} entries" has a form for n = 1. Values are
 * inserted as they are: the page shows the result as text, never as HTML.
 */
export function t(key: Key, values: Values = {}): string {
  const text = texts.value?.[key] ?? key;
  const forms = text.split('|');
  const form =
    forms.length > 1 && Number(values['count'] ?? values['n']) === 1 ? forms[0]! : forms.at(-1)!;
  return form.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
