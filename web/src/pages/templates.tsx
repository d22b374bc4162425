// Templates: what new boards become, by a pattern of their names.
import { call, urlOf, type Spec } from '../lib/api';
import { commandLine, curlLine } from '../lib/commands';
import { useDraft } from '../lib/drafts';
import { t } from '../lib/i18n';
import { useLoad } from '../lib/load';
import { nameIn, nameOfText, type Name } from '../lib/name';
import { usePage } from '../lib/page';
import { addressOf, go, route } from '../lib/router';
import { may, who } from '../lib/session';
import { bodyOf, declaration, draftOf, newDraft, specOf, wordsOf } from '../lib/spec';
import { mistakesOf } from '../lib/spec_checks';
import { token } from '../lib/token';
import { CodeLine, NameText } from '../ui/code';
import { ask } from '../ui/dialog';
import { Labelled, TextInput } from '../ui/form_parts';
import { NeedsAdmin } from '../ui/needs_admin';
import { SpecForm, SpecSections } from '../ui/spec_form';
import { SpecPhrases } from '../ui/spec_view';
import { Failure, Loading, Note } from '../ui/states';
import { notify } from '../ui/toasts';
import './board_form.css';

interface Template {
  pattern: Name;
  spec: Spec;
}

const listAddress = '#/templates';
const newAddress = '#/templates?new=1';

function editAddress(pattern: Name): string {
  return addressOf(['templates'], { edit: pattern });
}

function templatePath(pattern: Name): string {
  return `v1/templates/${pattern.key}`;
}

/** In the order in which they are tried: the longest pattern first, then by bytes. */
function inOrder(templates: Template[]): Template[] {
  const bytes = ({ pattern: { text, base64 } }: Template) =>
    base64 === undefined
      ? new TextEncoder().encode(text)
      : Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const keyed = templates.map((template) => ({ template, key: bytes(template) }));
  keyed.sort((a, b) => {
    if (a.key.length !== b.key.length) return b.key.length - a.key.length;
    const at = a.key.findIndex((byte, i) => byte !== b.key[i]);
    return at < 0 ? 0 : a.key[at]! - b.key[at]!;
  });
  return keyed.map(({ template }) => template);
}

async function listTemplates(signal: AbortSignal): Promise<Template[]> {
  const answer = await call<{ templates: { spec: Spec }[] }>('GET', 'v1/templates', { signal });
  const { templates } = answer;
  return inOrder(templates.map((wire) => ({ pattern: nameIn(wire, 'pattern')!, spec: wire.spec })));
}

/** Templates concern names of all boards, so a token for some is not enough. */
function mayDeclare(): boolean {
  const user = who.value;
  return may('admin') && user !== null && user !== 'stranger' && user.boards === '*';
}

export default function TemplatesPage() {
  const isNew = route.value.query.get('new') !== null;
  const edited = route.value.query.name('edit');
  const view = edited !== null ? `edit ${edited.key}` : isNew ? 'new' : 'list';
  // The list is read again when a form is left.
  const { value, error, reload } = useLoad(view, listTemplates);
  if (value === undefined) {
    return error === undefined ? <Loading /> : <Failure isPage error={error} onRetry={reload} />;
  }
  if (view === 'list') return <List templates={value} onChange={reload} />;
  const found = value.find(({ pattern }) => pattern.key === edited?.key) ?? null;
  if (edited !== null && found === null) return <NoTemplate />;
  return <TemplateForm key={view} edited={found} templates={value} />;
}

function NoTemplate() {
  usePage(t('templates'));
  return (
    <Note title={t('tpl.gone')} isPage>
      <p>
        <a href={listAddress}>{t('tpl.all')}</a>
      </p>
    </Note>
  );
}

// The list -----------------------------------------------------------------------------------------

function List({ templates, onChange }: { templates: Template[]; onChange: () => void }) {
  usePage(t('templates'));
  const mayWrite = mayDeclare();
  return (
    <>
      <header class="page-head">
        <div class="row">
          <h1>{t('templates')}</h1>
          <span class="spread" />
          {mayWrite && (
            <a class="button primary" href={newAddress}>
              {t('tpl.new')}
            </a>
          )}
        </div>
        <p class="help">{t('tpl.intro')}</p>
      </header>
      {templates.length === 0 ? (
        <Empty />
      ) : (
        <section class="card">
          <div class="scroll-x">
            <table class="templates">
              <thead>
                <tr>
                  <th scope="col">{t('tpl.pattern')}</th>
                  <th scope="col">{t('tpl.spec')}</th>
                  {mayWrite && (
                    <th scope="col">
                      <span class="visually-hidden">{t('tpl.actions')}</span>
                    </th>
                  )}
                </tr>
              </thead>
              <tbody>
                {templates.map((template) => (
                  <Row
                    key={template.pattern.key}
                    template={template}
                    mayWrite={mayWrite}
                    onChange={onChange}
                  />
                ))}
              </tbody>
            </table>
          </div>
          <p class="help">{t('tpl.order')}</p>
        </section>
      )}
      {!mayWrite && <NeedsAdmin forAll />}
    </>
  );
}

function Empty() {
  return (
    <section class="card">
      <h2>{t('tpl.none')}</h2>
      <p>{t('tpl.noneHelp')}</p>
      <CodeLine label={t('form.asCommand')} text="LB.TEMPLATE SET rank:* POLICY best CAP 1000" />
      <CodeLine label={t('tpl.example')} text="LB.SUBMIT rank:202611 ann 95" />
    </section>
  );
}

interface RowProps {
  template: Template;
  mayWrite: boolean;
  onChange: () => void;
}

function Row({ template: { pattern, spec }, mayWrite, onChange }: RowProps) {
  const remove = () =>
    ask({
      title: t('tpl.deleteTitle', { pattern: pattern.text }),
      text: <p>{t('tpl.deleteText')}</p>,
      command: commandLine('LB.TEMPLATE', 'DEL', pattern),
      confirm: t('tpl.delete'),
      danger: true,
      run: async () => {
        await call('DELETE', templatePath(pattern));
        onChange();
        const undo = async () => {
          await call('PUT', templatePath(pattern), { body: bodyOf(declaration(spec)) });
          onChange();
          return t('tpl.restored', { pattern: pattern.text });
        };
        return { done: t('tpl.deleted', { pattern: pattern.text }), undo };
      },
    });
  return (
    <tr>
      <th scope="row" class="pattern">
        <NameText name={pattern} />
      </th>
      <td>
        <SpecPhrases spec={spec} />
      </td>
      {mayWrite && (
        <td class="row-actions">
          <a class="button small" href={editAddress(pattern)}>
            {t('tpl.edit')}
            <span class="visually-hidden"> {pattern.text}</span>
          </a>
          <button class="small" onClick={remove}>
            {t('tpl.delete')}
            <span class="visually-hidden"> {pattern.text}</span>
          </button>
        </td>
      )}
    </tr>
  );
}

// The form -----------------------------------------------------------------------------------------

interface FormProps {
  /** Null: a new one. */
  edited: Template | null;
  templates: Template[];
}

function TemplateForm({ edited, templates }: FormProps) {
  const title = t(edited === null ? 'tpl.newTitle' : 'tpl.editTitle');
  usePage(title);
  return (
    <>
      <header class="page-head">
        <h1>{title}</h1>
        <p class="help">{t(edited === null ? 'tpl.intro' : 'tpl.editIntro')}</p>
      </header>
      {mayDeclare() ? <Inputs edited={edited} templates={templates} /> : <NeedsAdmin forAll />}
    </>
  );
}

function Inputs({ edited, templates }: FormProps) {
  const { draft, change, reset, forget } = useDraft(`template ${edited?.pattern.key}`, () =>
    edited === null ? newDraft('') : draftOf(edited.spec, edited.pattern.text),
  );
  const pattern = edited?.pattern ?? nameOfText(draft.name);
  const spec = specOf(draft);
  const options = declaration(spec);
  const wordsNow = edited === null ? [] : wordsOf(declaration(edited.spec));
  const isChanged = edited === null || wordsOf(options).join(' ') !== wordsNow.join(' ');
  const shownPattern = draft.name === '' ? nameOfText('PATTERN') : pattern;
  const url = urlOf(templatePath(shownPattern));
  const mistakes = mistakesOf(draft, spec, true);
  // A PUT would replace it without a word.
  const taken = edited === null && templates.some((other) => other.pattern.key === pattern.key);
  if (taken) mistakes.push({ path: 'name', text: 'tpl.exists' });
  const send = async () => {
    await call('PUT', templatePath(pattern), { body: bodyOf(options) });
    forget();
    notify(t('tpl.saved', { pattern: pattern.text }));
    go(listAddress);
  };
  return (
    <SpecForm
      draft={draft}
      mistakes={mistakes}
      send={send}
      submit={t('form.save')}
      idle={!isChanged && t('form.noChanges')}
      command={commandLine('LB.TEMPLATE', 'SET', shownPattern, ...wordsOf(options))}
      curl={curlLine('PUT', url, bodyOf(options), token.value !== null)}
      back={listAddress}
      onBack={forget}
      onReset={reset}
    >
      <section class="card">
        <Labelled
          path="name"
          label={t('tpl.pattern')}
          help={
            <>
              {t(edited === null ? 'tpl.patternHelp' : 'tpl.patternFixed')}
              {taken && (
                <>
                  {' '}
                  <a href={editAddress(pattern)}>{t('tpl.editThat')}</a>
                </>
              )}
            </>
          }
        >
          {(input) => (
            <TextInput
              {...input}
              readOnly={edited !== null}
              required
              placeholder="rank:*"
              value={draft.name}
              onText={(name) => change({ name })}
            />
          )}
        </Labelled>
      </section>
      <SpecSections draft={draft} change={change} kind="template" />
    </SpecForm>
  );
}
