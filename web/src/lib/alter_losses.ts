// What an alteration takes away at once and for good.
import { boardPath, call, instancesOf, type Board, type Instance, type Spec } from './api';
import type { Name } from './name';

export interface Losses {
  /** Entries beyond the new cap, of all instances together; null if the cap is not lowered. */
  entries: number | null;
  /** Instances beyond the new KEEP; null if it is not lowered. */
  instances: Name[] | null;
  /** Request ids beyond the new DEDUP; null if it is not lowered. */
  ids: number | null;
}

function isCapLower(from: Spec, to: Spec): boolean {
  return to.cap > 0 && (from.cap === 0 || to.cap < from.cap);
}

/** How many instances of its period an instance is behind the present one. */
function distance({ period, begin }: Instance, present: Instance): number {
  const [older, newer] = [new Date(begin ?? 0), new Date(present.begin ?? 0)];
  if (period === 'month') {
    // The middle of the month is in the same month in every zone.
    const month = (at: Date) => {
      const middle = new Date(at.getTime() + 15 * 86_400_000);
      return middle.getUTCFullYear() * 12 + middle.getUTCMonth();
    };
    return month(newer) - month(older);
  }
  const hours = { hour: 1, day: 24, week: 168 }[period] ?? Infinity;
  // A day on which clocks change has 23 or 25 hours.
  return Math.round((newer.getTime() - older.getTime()) / 3_600_000 / hours);
}

/** The instances that are not kept any more. */
function beyondKeep(instances: Instance[], keep: number): Name[] {
  const gone = instances.filter((instance) => {
    const present = instances.find((other) => other.period === instance.period && other.present);
    return present !== undefined && !instance.present && distance(instance, present) > keep;
  });
  return gone.map(({ name }) => name);
}

/** Null if the alteration takes nothing away. */
export async function lossesOf(name: Name, from: Spec, to: Spec): Promise<Losses | null> {
  const { keep: oldKeep = 1 } = from;
  const { keep = 1 } = to;
  const [isCap, isKeep, isDedup] = [isCapLower(from, to), keep < oldKeep, to.dedup < from.dedup];
  if (!isCap && !isKeep && !isDedup) return null;
  const board = await call<Board>('GET', boardPath(name));
  const isPeriodic = (board.periods ?? []).length > 0;
  const instances = isPeriodic ? instancesOf(await call('GET', boardPath(name, '/periods'))) : [];
  const sizes = isPeriodic ? instances.map(({ size }) => size) : [board.size];
  const ids = Math.max(0, board.ids - to.dedup);
  const losses: Losses = {
    entries: isCap ? sizes.reduce((sum, size) => sum + Math.max(0, size - to.cap), 0) : null,
    instances: isKeep ? beyondKeep(instances, keep) : null,
    ids: isDedup && ids > 0 ? ids : null,
  };
  return Object.values(losses).every((lost) => lost === null) ? null : losses;
}
