// Light or dark: as the system is, or as the user has chosen.
import { signal } from '@preact/signals';

export type Theme = 'light' | 'dark';

const storageKey = 'laurel.theme';
const system = matchMedia('(prefers-color-scheme: dark)');

function chosen(): Theme | null {
  const kept = localStorage.getItem(storageKey);
  return kept === 'light' || kept === 'dark' ? kept : null;
}

/** The theme that is shown. */
export const theme = signal<Theme>('light');

function apply(): void {
  theme.value = chosen() ?? (system.matches ? 'dark' : 'light');
  document.documentElement.dataset['theme'] = theme.value;
}

export function toggleTheme(): void {
  localStorage.setItem(storageKey, theme.value === 'dark' ? 'light' : 'dark');
  apply();
}

system.addEventListener('change', apply);
apply();
