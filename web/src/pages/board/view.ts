// What the parts of a board's page share.
import { instancesOf, readTogether, resultOf, type Board, type Instance } from '../../lib/api';
import { millisOf } from '../../lib/duration';
import { instanceName, type Name } from '../../lib/name';

export interface BoardInfo {
  board: Board;
  instances: Instance[];
}

export interface BoardView extends BoardInfo {
  /** The board's own name. */
  name: Name;
  /** The name that is read: the board's, or that of an instance. */
  shown: Name;
  /** The period that is shown: "day", "day:2026-11-16"; null on a board without periods. */
  period: string | null;
  /** The instance that is shown, if the board has periods. */
  instance: Instance | undefined;
  /** Whether the shown board or instance takes writes. */
  takesWrites: boolean;
  /** Reads the description again. */
  reload: () => void;
}

/** The description of a board and its instances, of one state. */
export async function readInfo(name: Name, signal: AbortSignal): Promise<BoardInfo> {
  const [board, periods] = await readTogether(
    [
      { read: 'board', board: name },
      { read: 'periods', board: name },
    ],
    signal,
  );
  return { board: resultOf<Board>(board), instances: instancesOf(periods) };
}

/** "day:2026-11-16" of the instance `arena@day:2026-11-16`. */
export function labelOf(instance: Instance): string {
  const { text } = instance.name;
  return text.slice(text.lastIndexOf('@') + 1);
}

/** The view of a board in one of its periods; `period` is from the address. */
export function viewOf(
  name: Name,
  info: BoardInfo,
  period: string | null,
  now: number,
  reload: () => void,
): BoardView {
  const { periods } = info.board;
  const opened = isOpen(info.board, now);
  if (periods === undefined || periods.length === 0) {
    return {
      ...info,
      name,
      shown: name,
      period: null,
      instance: undefined,
      takesWrites: opened,
      reload,
    };
  }
  const chosen = period ?? periods[0]!;
  const instance = info.instances.find((one) =>
    chosen.includes(':') ? labelOf(one) === chosen : one.present && one.period === chosen,
  );
  return {
    ...info,
    name,
    shown: instanceName(name, chosen),
    period: chosen,
    instance,
    takesWrites: opened && (instance?.present ?? !chosen.includes(':')),
    reload,
  };
}

/** Whether the board takes writes that come now. */
export function isOpen(board: Board, now: number): boolean {
  if (board.start !== null && now < Date.parse(board.start)) return false;
  return board.end === null || now < Date.parse(board.end) + millisOf(board.grace);
}
