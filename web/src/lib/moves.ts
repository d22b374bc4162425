// What has moved between two states of a list.
import type { Entry } from './api';

/** What has happened to a row since the state before. */
export type Move = { kind: 'up' | 'down'; places: number } | { kind: 'new' } | { kind: 'score' };

/** The moves between two states of one top. */
export function movesBetween(before: Entry[], after: Entry[]): Map<string, Move> {
  const old = new Map(before.map((entry) => [entry.name.key, entry]));
  const moves = new Map<string, Move>();
  for (const entry of after) {
    const was = old.get(entry.name.key);
    if (was === undefined) moves.set(entry.name.key, { kind: 'new' });
    else if (was.rank! > entry.rank!)
      moves.set(entry.name.key, { kind: 'up', places: was.rank! - entry.rank! });
    else if (was.rank! < entry.rank!)
      moves.set(entry.name.key, { kind: 'down', places: entry.rank! - was.rank! });
    else if (was.score!.join() !== entry.score!.join())
      moves.set(entry.name.key, { kind: 'score' });
  }
  return moves;
}
