// Tells screen readers what moves, at a pace at which it can be heard.
import { useEffect, useRef, useState } from 'preact/hooks';
import { scoreValue } from '../../lib/format';
import { t } from '../../lib/i18n';
import type { Move } from '../../lib/moves';
import type { LiveTop } from '../../lib/stream';
import { visible } from '../../ui/code';

const paceMs = 10_000;

interface Heard {
  up: Set<string>;
  fresh: Set<string>;
  leader: string | undefined;
}

function nothing(leader: string | undefined): Heard {
  return { up: new Set(), fresh: new Set(), leader };
}

export function Announcer({ top, moves }: { top: LiveTop; moves: Map<string, Move> }) {
  const [text, setText] = useState('');
  const latest = useRef(top);
  latest.current = top;
  const heard = useRef<Heard>(nothing(top.entries[0]?.name.key));
  useEffect(() => {
    for (const [key, move] of moves) {
      if (move.kind === 'up') heard.current.up.add(key);
      if (move.kind === 'new') heard.current.fresh.add(key);
    }
  }, [moves]);
  useEffect(() => {
    const timer = setInterval(() => {
      const said = sentenceOf(heard.current, latest.current);
      if (said === '') return;
      // A text that is the same as before would not be spoken: a space at the end makes it another.
      setText((before) => (before === said ? `${said}\u00a0` : said));
      heard.current = nothing(latest.current.entries[0]?.name.key);
    }, paceMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <p class="visually-hidden" aria-live="polite">
      {text}
    </p>
  );
}

function sentenceOf(heard: Heard, top: LiveTop): string {
  const sentences: string[] = [];
  const leader = top.entries[0];
  if (leader !== undefined && leader.name.key !== heard.leader) {
    const score = leader.score!.map(scoreValue).join(', ');
    sentences.push(t('saysLeader', { member: visible(leader.name.text).slice(0, 80), score }));
  }
  if (heard.up.size > 0) sentences.push(t('saysUp', { n: heard.up.size, count: heard.up.size }));
  if (heard.fresh.size > 0)
    sentences.push(t('saysNew', { n: heard.fresh.size, count: heard.fresh.size }));
  return sentences.join(' ');
}
