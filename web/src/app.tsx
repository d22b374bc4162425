// The frame of the page: header, the page of the present address, and what lies above all pages.
import { useComputed } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { connection, refusals, returns } from './lib/api';
import { startHistory } from './lib/history';
import { language, t, useLanguage, type Key } from './lib/i18n';
import { route, type Query } from './lib/router';
import { identify, who } from './lib/session';
import { theme, toggleTheme } from './lib/theme';
import { Questions } from './ui/dialog';
import { Session, SignIn, SignInForm } from './ui/sign_in';
import { Failure, Loading, Note } from './ui/states';
import { notifyError, Toasts } from './ui/toasts';

type Page = ComponentType;
type LoadPage = () => Promise<{ default: Page }>;

/** The pages by the first segments of their addresses. Each is loaded when it is first shown. */
const pages = {
  boards: () => import('./pages/boards'),
  board: () => import('./pages/board'),
  edit: () => import('./pages/board_form'),
  wall: () => import('./pages/wall'),
  players: () => import('./pages/players'),
  templates: () => import('./pages/templates'),
  server: () => import('./pages/server'),
} satisfies Record<string, LoadPage>;

type PageName = keyof typeof pages;

/** "#/board/arena/edit" is the page `edit`; null: there is none. */
function pageOf(path: string[], query: Query): PageName | null {
  const [first = 'boards', , third] = path;
  if (first === 'board' && path.length >= 2) {
    if (third === 'edit') return 'edit';
    return query.get('view') === 'wall' ? 'wall' : 'board';
  }
  if (first === 'new') return 'edit';
  const plain: PageName[] = ['boards', 'players', 'templates', 'server'];
  return plain.find((name) => name === first) ?? null;
}

export function App() {
  const name = useComputed(() => pageOf(route.value.path, route.value.query)).value;
  const isWall = name === 'wall';
  useEffect(() => {
    identify().catch(notifyError);
  }, [returns.value, refusals.value]);
  useEffect(() => {
    if (!isWall) startHistory(); // a wall shows no figures
  }, [isWall]);
  return (
    <>
      {!isWall && <Header page={name} />}
      {!isWall && <ConnectionBanner />}
      <main id="main" tabIndex={-1} class={isWall ? 'wall-main' : undefined}>
        <PageBody name={name} />
      </main>
      <Questions />
      <SignIn />
      <Toasts />
    </>
  );
}

function PageBody({ name }: { name: PageName | null }) {
  if (who.value === null) return <Loading />;
  if (who.value === 'stranger') {
    return (
      <section class="card narrow">
        <h1>{t('needToken')}</h1>
        <SignInForm />
      </section>
    );
  }
  if (name === null) {
    return (
      <Note title={t('noPage')} isPage>
        <p>
          <a href="#/boards">{t('allBoards')}</a>
        </p>
      </Note>
    );
  }
  // Another user may see other data, so the page begins anew.
  return <Lazy key={`${name} ${who.value.name} ${who.value.role}`} load={pages[name]} />;
}

function Lazy({ load }: { load: LoadPage }) {
  const [loaded, setLoaded] = useState<{ page?: Page; error?: unknown }>({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (module) => isCurrent && setLoaded({ page: module.default }),
      (error) => isCurrent && setLoaded({ error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [turn, returns.value]);
  if (loaded.error !== undefined) {
    return <Failure isPage error={loaded.error} onRetry={() => setTurn(turn + 1)} />;
  }
  const { page: Shown } = loaded;
  return Shown === undefined ? <Loading /> : <Shown />;
}

function Header({ page }: { page: PageName | null }) {
  const links: [PageName, string, Key][] = [
    ['boards', '#/boards', 'boards'],
    ['players', '#/players', 'players'],
    ['templates', '#/templates', 'templates'],
    ['server', '#/server', 'server'],
  ];
  const shown = page === 'board' || page === 'edit' ? 'boards' : page;
  const other = language.value === 'en' ? 'zh' : 'en';
  const main = () => document.getElementById('main')?.focus();
  return (
    <header class="header">
      <button class="skip" onClick={main}>
        {t('skip')}
      </button>
      <a class="brand" href="#/boards">
        <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
          <rect width="32" height="32" rx="7" />
          <path d="M6 18h6v8H6zM13 8h6v18h-6zM20 14h6v12h-6z" />
        </svg>
        Laurel
      </a>
      <nav aria-label={t('pages')}>
        {links.map(([name, href, text]) => (
          <a key={name} href={href} aria-current={shown === name ? 'page' : undefined}>
            {t(text)}
          </a>
        ))}
      </nav>
      <span class="spread" />
      <button
        class="quiet small"
        lang={other === 'zh' ? 'zh-CN' : 'en'}
        onClick={() => void useLanguage(other, true)}
      >
        {other === 'zh' ? '中文' : 'English'}
      </button>
      <button
        class="quiet small icon"
        aria-label={t('theme')}
        title={t('theme')}
        onClick={toggleTheme}
      >
        {theme.value === 'dark' ? '☀' : '☾'}
      </button>
      <Session />
    </header>
  );
}

/** Says that the server is lost or loading, and when it is back. */
function ConnectionBanner() {
  const state = connection.value;
  return (
    <div role="status" class={state === 'up' ? 'banner gone' : 'banner'}>
      {state === 'lost' && t('lostBanner')}
      {state === 'loading' && t('loadingBanner')}
    </div>
  );
}
