// A spec to read: all its options, or its summary.
import { Fragment } from 'preact';
import type { Spec } from '../lib/api';
import { durationText, microsOf } from '../lib/duration';
import { integer, readersZone, time, timeIn } from '../lib/format';
import { t, type Key } from '../lib/i18n';
import { hasOperators } from '../lib/spec';
import { specSummary } from '../lib/spec_summary';
import { visible } from './code';
import './spec_view.css';

type Fact = keyof Spec;

const allFacts: Fact[] = [
  ...(['fields', 'policy', 'tie', 'periods', 'tz', 'turn', 'keep'] as const),
  ...(['start', 'end', 'grace', 'expire', 'cap', 'dedup'] as const),
];

const labels: Partial<Record<Fact, Key>> = { policy: 'form.rule' };

function FieldFacts({ spec }: { spec: Spec }) {
  const withOperator = hasOperators(spec);
  return (
    <ol class="field-facts">
      {spec.fields.map(({ name, type, direction, operator }) => (
        <li key={name}>
          <bdi>{visible(name)}</bdi>
          <span class="help">
            {' '}
            {[t(`type.${type}` as Key), t(`direction.${direction}` as Key)].join(' · ')}
            {withOperator && ` · ${t(`operator.${operator}` as Key)}`}
          </span>
        </li>
      ))}
    </ol>
  );
}

function momentText(iso: string | null): string {
  if (iso === null) return t('form.none');
  const utc = timeIn(iso, 'UTC');
  return readersZone() === 'UTC' ? utc : `${time(iso)} (${utc})`;
}

/** The text of one option; null if it has no meaning on this board. */
function factText(spec: Spec, fact: Exclude<Fact, 'fields'>): string | null {
  const { periods = [], tz = 'UTC', turn = '00:00', keep = 1 } = spec;
  const isPeriodic = periods.length > 0;
  switch (fact) {
    case 'policy':
      return t(hasOperators(spec) ? 'rule.operators' : (`rule.${spec.policy}` as Key));
    case 'tie':
      return t(`tie.${spec.tie}` as Key);
    case 'cap':
      return spec.cap === 0 ? t('form.noCap') : integer(spec.cap);
    case 'start':
    case 'end':
      return momentText(spec[fact]);
    case 'grace':
      return microsOf(spec.grace) === 0 ? t('form.none') : durationText(spec.grace);
    case 'expire':
      return spec.expire === null ? t('form.none') : durationText(spec.expire);
    case 'periods':
      if (!isPeriodic) return t('form.none');
      return periods.map((period) => t(`period.${period}` as Key)).join(' · ');
    case 'tz':
      return isPeriodic ? tz : null;
    case 'turn':
      return isPeriodic ? turn : null;
    case 'keep':
      return isPeriodic ? integer(keep) : null;
    case 'dedup':
      return integer(spec.dedup);
  }
}

/** The options of a spec with their values. */
export function SpecFacts({ spec, only = allFacts }: { spec: Spec; only?: Fact[] }) {
  return (
    <dl class="facts">
      {only.map((fact) => {
        const text = fact === 'fields' ? <FieldFacts spec={spec} /> : factText(spec, fact);
        if (text === null) return null;
        return (
          <Fragment key={fact}>
            <dt>{t(labels[fact] ?? (`form.${fact}` as Key))}</dt>
            <dd>{text}</dd>
          </Fragment>
        );
      })}
    </dl>
  );
}

/** The summary of a spec, as one line of phrases. */
export function SpecPhrases({ spec }: { spec: Spec }) {
  return (
    <ul class="phrases inline">
      {specSummary(spec).map((phrase) => (
        <li key={phrase}>{phrase} </li>
      ))}
    </ul>
  );
}
