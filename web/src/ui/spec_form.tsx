// The form of a spec: its sections, a preview beside them, and how it is sent.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Lost, Problem, type Spec } from '../lib/api';
import { t, type Key } from '../lib/i18n';
import { adoptsWithTie, hasOperators, specOf, takesCap, takesGrace, type Draft } from '../lib/spec';
import type { Mistake } from '../lib/spec_checks';
import { specSummary } from '../lib/spec_summary';
import { CodeLine } from './code';
import { Choices, Errors, Section, type Choice } from './form_parts';
import { openSignIn } from './sign_in';
import {
  CountInput,
  DurationInput,
  FieldsInput,
  PeriodsInput,
  TimeInput,
  TurnInput,
  ZoneInput,
  type SpecInputProps,
} from './spec_inputs';
import { SpecFacts } from './spec_view';
import { messageOf } from './states';

export type FormKind = 'create' | 'adopt' | 'edit' | 'template';

interface SectionsProps extends SpecInputProps {
  kind: FormKind;
}

// Sections -----------------------------------------------------------------------------------------

type Rule = Draft['rule'];

function RuleInput({ draft, change, kind }: SectionsProps) {
  const rules: Rule[] = ['set', 'best', 'sum', 'operators'];
  const choices: Choice<Rule>[] = rules.map((value) => {
    const isFixed = kind === 'edit' && value === 'operators';
    return {
      value,
      label: t(`rule.${value}` as Key),
      help: isFixed ? '' : t(`rule.${value}Help` as Key),
      reason: isFixed && t('form.ruleNoOperators'),
    };
  });
  return (
    <Choices
      path="policy"
      label={t('form.rule')}
      help={t('form.ruleHelp')}
      value={draft.rule}
      choices={choices}
      onChoose={(rule) => change({ rule })}
    />
  );
}

function TieInput({ draft, change, kind }: SectionsProps) {
  const ties: Draft['tie'][] = ['first', 'last', 'member'];
  const choices: Choice<Draft['tie']>[] = ties.map((value) => ({
    value,
    label: t(`tie.${value}` as Key),
    help: t(`tie.${value}Help` as Key),
    reason: kind === 'adopt' && !adoptsWithTie(draft, value) && t('form.adoptTie'),
  }));
  return (
    <Choices
      path="tie"
      label={t('form.tie')}
      value={draft.tie}
      choices={choices}
      onChoose={(tie) => change({ tie })}
    />
  );
}

function capReason({ rule, cap, original }: Draft): string {
  const key = rule === 'sum' ? 'form.capNotWithSum' : 'form.capNotWithOperators';
  const isRemoved = original !== null && original.cap > 0 && cap !== '';
  return isRemoved ? `${t(key)} ${t('form.capIsRemoved')}` : t(key);
}

/** What cannot be altered. Operators belong to the fields, and leave no room for a policy. */
function fixedFacts(spec: Spec): (keyof Spec)[] {
  const rule: (keyof Spec)[] = hasOperators(spec) ? ['policy'] : [];
  return ['fields', ...rule, 'tie', 'periods', 'tz', 'turn'];
}

/** All options, in sections. Of a board that exists only those that can be altered. */
export function SpecSections(props: SectionsProps) {
  const { draft, kind } = props;
  const isEdit = kind === 'edit';
  const needsPeriods = draft.periods.length === 0 && t('form.needsPeriods');
  const hasWindow = draft.start !== '' || draft.end !== '' || draft.expire.amount !== '';
  return (
    <>
      {isEdit && draft.original !== null && (
        <section class="card">
          <h2>{t('form.fixed')}</h2>
          <p class="help">{t('form.fixedHelp')}</p>
          <SpecFacts spec={draft.original} only={fixedFacts(draft.original)} />
        </section>
      )}
      {!(isEdit && draft.rule === 'operators') && (
        <section class="card">
          <h2>{t('form.scores')}</h2>
          {!isEdit && <FieldsInput {...props} isAdoption={kind === 'adopt'} />}
          <RuleInput {...props} />
          {!isEdit && <TieInput {...props} />}
        </section>
      )}
      <Section title={t('form.window')} hint={t('form.windowHint')} startsOpen={hasWindow}>
        {kind === 'template' && <p class="help">{t('form.windowOfTemplate')}</p>}
        <TimeInput {...props} path="start" />
        <TimeInput {...props} path="end" />
        <DurationInput
          {...props}
          path="grace"
          reason={!takesGrace(draft) && t(isEdit ? 'form.graceNeedsEnd' : 'form.graceNeeds')}
        />
        <DurationInput {...props} path="expire" />
      </Section>
      {!isEdit && (
        <Section
          title={t('form.periods')}
          hint={t('form.periodsHint')}
          startsOpen={draft.periods.length > 0}
        >
          <PeriodsInput {...props} reason={kind === 'adopt' && t('form.adoptNoPeriods')} />
          <ZoneInput {...props} reason={needsPeriods} />
          <TurnInput {...props} reason={needsPeriods} />
        </Section>
      )}
      <Section
        title={t('form.limits')}
        hint={t('form.limitsHint')}
        startsOpen={isEdit || draft.cap !== '' || draft.keep !== '1' || draft.dedup !== '100000'}
      >
        <CountInput {...props} path="cap" reason={!takesCap(draft) && capReason(draft)} />
        <CountInput {...props} path="keep" reason={needsPeriods} />
        <CountInput {...props} path="dedup" />
      </Section>
    </>
  );
}

// Errors -------------------------------------------------------------------------------------------

/** A refused request: what to say, and at which input; null: at none. */
export interface Refusal {
  path: string | null;
  text: ComponentChildren;
}

/** The server names the input, or its text begins with the option. */
function pathOf(problem: Problem): string | null {
  if (problem.field === 'board' || problem.field === 'pattern') return 'name';
  if (problem.field !== undefined) return problem.field;
  const option = /^(TZ|TURN|KEEP|START|END|GRACE|EXPIRE|DEDUP)\b/.exec(problem.detail)?.[1];
  return option?.toLowerCase() ?? null;
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Lost || (error instanceof Problem && error.code === 'UNKNOWN')) {
    return { path: null, text: t('form.unknownOutcome') };
  }
  if (error instanceof Problem && error.code === 'NOAUTH') {
    const signIn = (
      <button type="button" class="small" onClick={openSignIn}>
        {t('signIn')}
      </button>
    );
    return {
      path: null,
      text: (
        <>
          {messageOf(error)} {signIn}
        </>
      ),
    };
  }
  const path = error instanceof Problem ? pathOf(error) : null;
  return { path, text: messageOf(error) };
}

/** The input of the path, or of the list that it is in. */
function shownPath(form: HTMLFormElement, path: string | null): string | null {
  for (let at = path; at !== null && at !== ''; ) {
    if (form.querySelector(`[data-path="${CSS.escape(at)}"]`) !== null) return at;
    const dot = at.lastIndexOf('.');
    at = dot < 0 ? null : at.slice(0, dot);
  }
  return null;
}

/** Inputs in which a date or a time is not complete: their value is empty. */
function unreadable(form: HTMLFormElement): string[] {
  return Array.from(form.elements)
    .filter((element) => element instanceof HTMLInputElement && element.validity.badInput)
    .map((element) => (element as HTMLElement).dataset['path'] ?? '');
}

/** Moves the focus to the first input with an error, or else to the message above the buttons. */
function focusError(form: HTMLFormElement): void {
  const inGroup = ':is(input, select, button):enabled';
  const target =
    form.querySelector<HTMLElement>(`[aria-invalid="true"]:enabled, [data-invalid] ${inGroup}`) ??
    form.querySelector<HTMLElement>('[role="alert"]');
  const section = target?.closest('details');
  if (section) section.open = true;
  target?.focus();
}

// The whole form -----------------------------------------------------------------------------------

export interface SpecFormProps {
  draft: Draft;
  mistakes: Mistake[];
  /** Sends the request. What it throws is shown at its input. */
  send: () => Promise<void>;
  /** A better explanation of some problems. */
  explain?: (problem: Problem) => Refusal | null;
  submit: string;
  /** Why there is nothing to send. */
  idle?: string | false;
  command: string;
  curl: string;
  /** Where the form is left to. */
  back: string;
  onBack: () => void;
  onReset: () => void;
  children: ComponentChildren;
}

export function SpecForm(props: SpecFormProps) {
  const { draft, mistakes, idle } = props;
  const form = useRef<HTMLFormElement>(null);
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [incomplete, setIncomplete] = useState<string[]>([]);
  const [failures, setFailures] = useState(0);
  useEffect(() => {
    setRefusal(null);
    setIncomplete([]);
  }, [draft]);
  useEffect(() => {
    if (failures > 0) focusError(form.current!);
  }, [failures]);

  const shown = mistakes.filter(({ isLate }) => tried || !isLate);
  const errorOf = (path: string): ComponentChildren => {
    if (incomplete.includes(path)) return t('form.incomplete');
    const mistake = shown.find((other) => other.path === path);
    if (mistake !== undefined) return t(mistake.text, mistake.values);
    return refusal?.path === path ? refusal.text : undefined;
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy || idle) return;
    const cut = unreadable(form.current!);
    setTried(true);
    setRefusal(null);
    setIncomplete(cut);
    if (mistakes.length > 0 || cut.length > 0) return setFailures((n) => n + 1);
    setBusy(true);
    try {
      await props.send();
    } catch (error) {
      const explained = error instanceof Problem ? (props.explain?.(error) ?? null) : null;
      const { path: named, text } = explained ?? refusalOf(error);
      const path = shownPath(form.current!, named);
      // At its input the text says enough; elsewhere the code helps to look it up.
      const isPlain = path !== null && explained === null && error instanceof Problem;
      setRefusal({ path, text: isPlain ? error.detail : text });
      setFailures((n) => n + 1);
    }
    setBusy(false);
  };
  const reset = () => {
    setTried(false);
    props.onReset();
  };
  const wrong = shown.length + incomplete.length;
  return (
    <Errors.Provider value={errorOf}>
      <form class="spec-form" ref={form} onSubmit={submit} noValidate>
        <div class="spec-form-main">
          {props.children}
          <div class="card form-end">
            <div tabIndex={-1} role="alert" class="form-alert">
              {refusal !== null && refusal.path === null && <p class="error">{refusal.text}</p>}
              {tried && wrong > 0 && <p class="error">{t('form.fixMarked', { n: wrong })}</p>}
            </div>
            <div class="row">
              <button type="submit" class="primary" disabled={busy || Boolean(idle)}>
                {busy ? t('working') : props.submit}
              </button>
              <a class="button" href={props.back} onClick={props.onBack}>
                {t('cancel')}
              </a>
              {idle && <span class="help">{idle}</span>}
              <span class="spread" />
              <button type="button" class="quiet" disabled={busy} onClick={reset}>
                {t('form.reset')}
              </button>
            </div>
          </div>
        </div>
        <aside class="spec-form-side" aria-label={t('form.preview')}>
          <section class="card">
            <h2>{t('form.preview')}</h2>
            <ul class="phrases">
              {specSummary(specOf(draft)).map((phrase) => (
                <li key={phrase}>{phrase}</li>
              ))}
            </ul>
            {!idle && (
              <>
                <CodeLine label={t('form.asCommand')} text={props.command} />
                <CodeLine label={t('form.asCurl')} text={props.curl} />
              </>
            )}
          </section>
        </aside>
      </form>
    </Errors.Provider>
  );
}
