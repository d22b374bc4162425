// English texts. The keys here are all there are; zh.ts has the same.
import { boardTexts } from './en_board';
import { formTexts } from './en_form';
import { serverTexts } from './en_server';

const texts = {
  ...boardTexts,
  ...formTexts,
  ...serverTexts,

  // The frame.
  pages: 'Pages',
  boards: 'Boards',
  players: 'Find a player',
  templates: 'Templates',
  server: 'Server',
  skip: 'Skip to the content',
  theme: 'Light or dark',
  allBoards: 'All boards',
  noPage: 'There is no such page',

  // States.
  loading: 'Loading …',
  working: 'Working …',
  failed: 'That did not work',
  tryAgain: 'Try again',
  lostServer: 'The server does not answer',
  lostServerHelp: 'The page asks again by itself and goes on when the server is back.',
  lostBanner: 'The server does not answer. The page asks again by itself.',
  loadingBanner: 'The server is reading its boards from disk. The page goes on when it is ready.',
  unknownOutcome:
    'The server did not answer, so it is not known whether this was carried out. Trying again is safe.',
  needToken: 'This server asks for a token',
  needTokenHelp: 'Sign in with a token that may read this.',
  noRight: 'Your token does not permit this',
  noRightHelp: 'Its role or its pattern of boards leaves this out. Another token may see it.',
  noBoard: 'There is no such board',
  noBoardHelp: 'It was dropped or renamed, or the name is misspelt. Names are exact.',
  sortedSet: 'This is a sorted set',
  sortedSetHelp: 'The console shows leaderboards. The list of sorted sets can turn it into one.',
  serverLoads: 'The server is starting',
  serverLoadsHelp: 'It is reading its boards from disk.',

  // Signing in.
  signIn: 'Sign in',
  signOut: 'Sign out',
  signInHelp:
    'Enter a token of this server (`laurel token` makes one). It is kept for this tab only and sent as a header.',
  token: 'Token',
  wrongToken: 'The server does not know this token.',
  sessionHelp: 'Boards: {boards}',
  anonymous: 'No token',
  'role.read': 'read',
  'role.submit': 'submit',
  'role.write': 'write',
  'role.admin': 'admin',

  // Actions.
  cancel: 'Cancel',
  close: 'Close',
  undo: 'Undo',
  dismiss: 'Dismiss',
  copy: 'Copy',
  copied: 'Copied',
  command: 'Command',
  typeName: 'Type {name} to go on',

  // Names.
  emptyName: '(empty name)',
  notUtf8: 'not UTF-8',
  notUtf8Help:
    'These bytes are not UTF-8. What cannot be shown is replaced; actions use the exact bytes.',
};

// A key must be in one file only: the compiler refuses `true` if two files share one.
type Shared =
  | (keyof typeof boardTexts & (keyof typeof formTexts | keyof typeof serverTexts))
  | (keyof typeof formTexts & keyof typeof serverTexts);
export const isDisjoint: [Shared] extends [never] ? true : Shared = true;

export type Texts = typeof texts;
export default texts;
