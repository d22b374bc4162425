// What a page shows when it has no data: loading, empty, and each way to fail.
import type { ComponentChildren } from 'preact';
import { Lost, Problem } from '../lib/api';
import { t, type Key } from '../lib/i18n';
import { who } from '../lib/session';
import { openSignIn } from './sign_in';

/** The sentence that explains an error. */
export function messageOf(error: unknown): string {
  if (error instanceof Problem) return `${error.code}: ${error.detail}`;
  if (error instanceof Lost) return t('lostServer');
  return String(error);
}

interface NoteProps {
  title: string;
  children?: ComponentChildren;
  role?: 'status' | 'alert';
  /** It stands in the place of a whole page. */
  isPage?: boolean;
}

/** A message in the place of data. */
export function Note({ title, children, role = 'status', isPage }: NoteProps) {
  return (
    <div class="note" role={role}>
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}

export function Loading() {
  return (
    <div class="loading" role="status">
      <span class="spinner" aria-hidden="true" />
      {t('loading')}
    </div>
  );
}

interface FailureProps {
  error: unknown;
  onRetry?: () => void;
  isPage?: boolean;
}

/** The state for an error. */
export function Failure({ error, onRetry, isPage }: FailureProps) {
  const retry = onRetry && (
    <p>
      <button onClick={onRetry}>{t('tryAgain')}</button>
    </p>
  );
  if (error instanceof Lost) {
    return (
      <Note title={t('lostServer')} isPage={isPage}>
        <p>{t('lostServerHelp')}</p>
      </Note>
    );
  }
  if (!(error instanceof Problem)) {
    return (
      <Note title={t('failed')} role="alert" isPage={isPage}>
        <p>{String(error)}</p>
        {retry}
      </Note>
    );
  }
  const known: Record<string, [Key, Key]> = {
    NOAUTH: ['needToken', 'needTokenHelp'],
    NOPERM: ['noRight', 'noRightHelp'],
    NOBOARD: ['noBoard', 'noBoardHelp'],
    WRONGTYPE: ['sortedSet', 'sortedSetHelp'],
    LOADING: ['serverLoads', 'serverLoadsHelp'],
  };
  const [title, help] = known[error.code] ?? [];
  const mayHelp = error.code === 'NOAUTH' || (error.code === 'NOPERM' && hasTokens());
  return (
    <Note title={title ? t(title) : t('failed')} isPage={isPage}>
      {help && <p>{t(help)}</p>}
      <p class="quiet-text">{messageOf(error)}</p>
      {mayHelp && (
        <p>
          <button class="primary" onClick={openSignIn}>
            {t('signIn')}
          </button>
        </p>
      )}
      {error.code === 'NOBOARD' && (
        <p>
          <a href="#/boards">{t('allBoards')}</a>
        </p>
      )}
      {error.code === 'WRONGTYPE' && (
        <p>
          <a href="#/boards?kind=sorted-set">{t('sortedSets')}</a>
        </p>
      )}
      {!mayHelp && !lasting.includes(error.code) && retry}
    </Note>
  );
}

/** Codes that the same request would get again. */
const lasting = ['NOBOARD', 'WRONGTYPE'];

function hasTokens(): boolean {
  const user = who.value;
  return user === 'stranger' || (user !== null && user.tokens);
}
