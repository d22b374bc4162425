// The token of this tab. It is sent as a header only, never in an address.
import { signal } from '@preact/signals';

const storageKey = 'laurel.token';

export const token = signal<string | null>(sessionStorage.getItem(storageKey));

/** Keeps the token for this tab only; null forgets it. */
export function keepToken(secret: string | null): void {
  token.value = secret;
  if (secret === null) sessionStorage.removeItem(storageKey);
  else sessionStorage.setItem(storageKey, secret);
}
