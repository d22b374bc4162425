// Who uses the page, and what the token permits.
import { signal } from '@preact/signals';
import { call, Problem } from './api';
import { matchesGlob } from './glob';
import type { Name } from './name';
import { keepToken, token } from './token';

export type Role = 'read' | 'submit' | 'write' | 'admin';
const roles: Role[] = ['read', 'submit', 'write', 'admin'];

export interface Who {
  name: string;
  role: Role;
  /** A pattern of board names. */
  boards: string;
  /** The request had no token, and the server lets such requests read. */
  anonymous: boolean;
  /** Whether the server has tokens. */
  tokens: boolean;
}

/** Null while it is not known; 'stranger' if a token is needed. */
export const who = signal<Who | 'stranger' | null>(null);

/** Asks the server who the token belongs to. Throws Lost, and Problem other than NOAUTH. */
export async function identify(): Promise<void> {
  try {
    who.value = await call<Who>('GET', 'v1/whoami');
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'NOAUTH') throw error;
    if (token.value !== null) {
      // The token has ended: go on as a request without one would.
      keepToken(null);
      return identify();
    }
    who.value = 'stranger';
  }
}

/** Signs in; false if the token is not known. The token that was there stays then. */
export async function signIn(secret: string): Promise<boolean> {
  const before = token.value;
  token.value = secret;
  try {
    who.value = await call<Who>('GET', 'v1/whoami');
    keepToken(secret);
    return true;
  } catch (error) {
    token.value = before;
    if (error instanceof Problem && error.code === 'NOAUTH') return false;
    throw error;
  }
}

export async function signOut(): Promise<void> {
  keepToken(null);
  who.value = null;
  await identify();
}

/** Whether the user's role is at least this one, and its pattern has the board. */
export function may(role: Role, board?: Name): boolean {
  const user = who.value;
  if (user === null || user === 'stranger') return false;
  if (roles.indexOf(user.role) < roles.indexOf(role)) return false;
  return board === undefined || matchesGlob(user.boards, board.text);
}
