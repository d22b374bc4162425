// The live top of a board as state of a component.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem, type Entry } from './api';
import { movesBetween, type Move } from './moves';
import type { Name } from './name';
import { follow, type LiveTop } from './stream';

export interface Live {
  top: LiveTop | undefined;
  /** Moves of the newest update, by the keys of members. */
  moves: Map<string, Move>;
  state: 'connecting' | 'open' | 'waiting' | Problem;
}

const noMoves = new Map<string, Move>();

/** Follows the top of a board, and some members, whose changes are told to `onMembers`. */
export function useLive(
  board: Name,
  topSize: number,
  members: Name[],
  onMembers: (members: Entry[]) => void,
): Live {
  const [live, setLive] = useState<Live>({ top: undefined, moves: noMoves, state: 'connecting' });
  const tell = useRef(onMembers);
  tell.current = onMembers;
  const followed = useRef(board.key);
  useEffect(() => {
    // Rows of the same board stay until the new state is there; those of another board do not.
    const isSame = followed.current === board.key;
    followed.current = board.key;
    setLive((old) => ({ top: isSame ? old.top : undefined, moves: noMoves, state: 'connecting' }));
    return follow(board, topSize, members, {
      onTop: (top) =>
        setLive((old) => ({
          top,
          moves:
            top.isNew || old.top === undefined
              ? noMoves
              : movesBetween(old.top.entries, top.entries),
          state: 'open',
        })),
      onMembers: (changed) => tell.current(changed),
      onState: (state) => setLive((old) => ({ ...old, state })),
    });
  }, [board.key, topSize, members.map((member) => member.key).join()]);
  return live;
}
