// Creating a board, adopting a sorted set, and altering a board.
import type { ComponentChildren } from 'preact';
import { boardPath, call, urlOf, type Board, type Problem, type Spec } from '../lib/api';
import { lossesOf, type Losses } from '../lib/alter_losses';
import { commandLine, curlLine } from '../lib/commands';
import { useDraft } from '../lib/drafts';
import { integer } from '../lib/format';
import { t } from '../lib/i18n';
import { useLoad } from '../lib/load';
import { nameOfKey, nameOfText, type Name } from '../lib/name';
import { usePage } from '../lib/page';
import { addressOf, go, route } from '../lib/router';
import { may } from '../lib/session';
import {
  adoptOption,
  alteration,
  bodyOf,
  declaration,
  draftOf,
  newDraft,
  specOf,
  wordsOf,
} from '../lib/spec';
import { mistakesOf } from '../lib/spec_checks';
import { token } from '../lib/token';
import { CodeLine, NameText } from '../ui/code';
import { ask } from '../ui/dialog';
import { Labelled, TextInput } from '../ui/form_parts';
import { NeedsAdmin } from '../ui/needs_admin';
import { SpecForm, SpecSections, type Refusal } from '../ui/spec_form';
import { SpecFacts } from '../ui/spec_view';
import { Failure, Loading } from '../ui/states';
import { notify } from '../ui/toasts';
import './board_form.css';

function boardAddress(name: Name): string {
  return addressOf(['board', name.key]);
}

export default function BoardFormPage() {
  const { path, query } = route.value;
  if (path[0] !== 'new') return <EditPage key={path[1]} boardKey={path[1]!} />;
  const adopted = query.name('adopt');
  const isAdoption = adopted !== null;
  const name = adopted ?? query.name('name');
  return <CreatePage key={`${isAdoption} ${name?.key}`} name={name} isAdoption={isAdoption} />;
}

function Heading({ text, children }: { text: string; children?: ComponentChildren }) {
  return (
    <header class="page-head">
      <h1>{text}</h1>
      {children}
    </header>
  );
}

// Creating -----------------------------------------------------------------------------------------

function CreatePage({ name, isAdoption }: { name: Name | null; isAdoption: boolean }) {
  const title = t(isAdoption ? 'form.adoptTitle' : 'form.createTitle');
  usePage(title);
  return (
    <>
      <Heading text={title}>
        <p class="help">{t(isAdoption ? 'form.adoptIntro' : 'form.createIntro')}</p>
      </Heading>
      {may('admin') ? <CreateForm name={name} isAdoption={isAdoption} /> : <NeedsAdmin />}
    </>
  );
}

function CreateForm({ name: given, isAdoption }: { name: Name | null; isAdoption: boolean }) {
  const { draft, change, reset, forget } = useDraft(`new ${isAdoption} ${given?.key}`, () =>
    newDraft(given?.text ?? ''),
  );
  // A name that is given and not typed may have bytes that are not text.
  const name = given !== null && given.text === draft.name ? given : nameOfText(draft.name);
  const spec = specOf(draft);
  const options = [...declaration(spec), ...(isAdoption ? [adoptOption] : [])];
  const shownName = draft.name === '' ? nameOfText('NAME') : name;
  const path = boardPath(shownName);
  const send = async () => {
    let status = 0;
    const onStatus = (answered: number) => (status = answered);
    await call('PUT', boardPath(name), { body: bodyOf(options), onStatus });
    forget();
    notify(t(createdText(status, isAdoption), { name: name.text }));
    go(boardAddress(name));
  };
  return (
    <SpecForm
      draft={draft}
      mistakes={mistakesOf(draft, spec, false)}
      send={send}
      explain={(problem) => explainCreate(problem, name)}
      submit={t(isAdoption ? 'form.adopt' : 'form.create')}
      command={commandLine('LB.CREATE', shownName, ...wordsOf(options))}
      curl={curlLine('PUT', urlOf(path), bodyOf(options), token.value !== null)}
      back="#/boards"
      onBack={forget}
      onReset={reset}
    >
      <section class="card">
        <Labelled
          path="name"
          label={t('form.name')}
          help={t(isAdoption ? 'form.nameAdopted' : 'form.nameHelp')}
        >
          {(input) => (
            <TextInput
              {...input}
              readOnly={isAdoption}
              required
              placeholder="arena"
              value={draft.name}
              onText={(typed) => change({ name: typed })}
            />
          )}
        </Labelled>
      </section>
      <SpecSections draft={draft} change={change} kind={isAdoption ? 'adopt' : 'create'} />
    </SpecForm>
  );
}

function createdText(status: number, isAdoption: boolean) {
  if (status === 200) return 'form.existedEqual';
  return isAdoption ? 'form.adopted' : 'form.created';
}

/** Refusals that have a way on. */
function explainCreate(problem: Problem, name: Name): Refusal | null {
  if (problem.code === 'EXISTS') {
    return {
      path: 'name',
      text: (
        <>
          {t('form.exists')} <a href={boardAddress(name)}>{t('form.openBoard')}</a>
        </>
      ),
    };
  }
  if (problem.code === 'WRONGTYPE') {
    return {
      path: 'name',
      text: (
        <>
          {t('form.isSortedSet')}{' '}
          <a href={addressOf(['new'], { adopt: name })}>{t('form.adoptInstead')}</a>
        </>
      ),
    };
  }
  if (problem.code === 'NOBOARD') return { path: 'name', text: t('form.nothingToAdopt') };
  // Of an adoption: a score has more decimals than the field.
  if (problem.code === 'BADSCORE') return { path: 'fields.0.type', text: problem.detail };
  if (problem.detail.includes('more entries than the cap')) {
    return { path: 'cap', text: problem.detail };
  }
  return null;
}

// Altering -----------------------------------------------------------------------------------------

/** The board itself: the address may name an instance, "arena@day". */
function bareName(key: string): Name | null {
  return nameOfKey(key.split(/@|%40/)[0]!);
}

function EditPage({ boardKey }: { boardKey: string }) {
  const name = bareName(boardKey) ?? nameOfText('');
  usePage(t('form.editTitle', { name: name.text }));
  const { value, error, reload } = useLoad(name.key, (signal) =>
    call<Board>('GET', boardPath(name), { signal }),
  );
  if (value === undefined) {
    return error === undefined ? <Loading /> : <Failure isPage error={error} onRetry={reload} />;
  }
  return (
    <>
      <nav class="back" aria-label={t('form.back')}>
        <span aria-hidden="true">←</span> <NameText name={name} href={boardAddress(name)} />
      </nav>
      <Heading text={t('form.settings')}>
        {may('admin', name) && <p class="help">{t('form.editIntro')}</p>}
      </Heading>
      {may('admin', name) ? (
        <EditForm name={name} board={value} />
      ) : (
        <Description name={name} board={value} />
      )}
    </>
  );
}

/** For those who may not alter the board. */
function Description({ name, board }: { name: Name; board: Board }) {
  const words = wordsOf(declaration(board));
  return (
    <>
      <section class="card">
        <SpecFacts spec={board} />
        <CodeLine label={t('form.asCommand')} text={commandLine('LB.CREATE', name, ...words)} />
      </section>
      <NeedsAdmin />
    </>
  );
}

function EditForm({ name, board }: { name: Name; board: Board }) {
  const { draft, change, reset, forget } = useDraft(`edit ${name.key}`, () =>
    draftOf(board, name.text),
  );
  const from: Spec = draft.original ?? board;
  const spec = specOf(draft);
  const options = alteration(from, spec);
  const command = commandLine('LB.ALTER', name, ...wordsOf(options));
  const body = bodyOf(options);
  const run = async () => {
    await call('PATCH', boardPath(name), { body });
    forget();
    go(boardAddress(name));
    return { done: t('form.altered', { name: name.text }) };
  };
  const send = async () => {
    const losses = await lossesOf(name, from, spec);
    if (losses === null) return notify((await run()).done);
    const loses = losesNow(losses);
    ask({
      title: t(loses ? 'form.loseTitle' : 'form.limitTitle', { name: name.text }),
      text: <LossTexts losses={losses} spec={spec} />,
      command,
      confirm: t('form.save'),
      danger: loses,
      run,
    });
  };
  return (
    <SpecForm
      draft={draft}
      mistakes={mistakesOf(draft, spec, false)}
      send={send}
      submit={t('form.save')}
      idle={options.length === 0 && t('form.noChanges')}
      command={command}
      curl={curlLine('PATCH', urlOf(boardPath(name)), body, token.value !== null)}
      back={boardAddress(name)}
      onBack={forget}
      onReset={reset}
    >
      <SpecSections draft={draft} change={change} kind="edit" />
    </SpecForm>
  );
}

function losesNow({ entries, instances, ids }: Losses): boolean {
  return (entries ?? 0) > 0 || (instances ?? []).length > 0 || ids !== null;
}

function LossTexts({ losses, spec }: { losses: Losses; spec: Spec }) {
  const { entries, instances, ids } = losses;
  const isPeriodic = (spec.periods ?? []).length > 0;
  const cap = integer(spec.cap);
  const taken = { count: entries ?? 0, n: integer(entries ?? 0), cap };
  return (
    <>
      {entries === 0 && <p>{t('form.capTakesNone', { cap })}</p>}
      {entries !== null && entries > 0 && (
        <p>{t(isPeriodic ? 'form.capTakesInstances' : 'form.capTakes', taken)}</p>
      )}
      {instances !== null && instances.length === 0 && <p>{t('form.keepDropsNone')}</p>}
      {instances !== null && instances.length > 0 && (
        <>
          <p>{t('form.keepDrops', { count: instances.length, n: integer(instances.length) })}</p>
          <ul class="short-list">
            {instances.slice(0, 10).map((name) => (
              <li key={name.key}>
                <NameText name={name} />
              </li>
            ))}
            {instances.length > 10 && <li>…</li>}
          </ul>
        </>
      )}
      {ids !== null && <p>{t('form.dedupForgets', { count: ids, n: integer(ids) })}</p>}
      {losesNow(losses) && <p>{t('form.noUndo')}</p>}
    </>
  );
}
