// The cards on top of the server's page.
import type { ComponentChildren } from 'preact';
import { serverNow } from '../../lib/api';
import type { Figures } from '../../lib/figures';
import { bytes, duration, integer, micros, time } from '../../lib/format';
import { t, type Key } from '../../lib/i18n';
import { visible } from '../../ui/code';

export function ServerStatus({ figures }: { figures: Figures }) {
  const { state, disk } = figures;
  return (
    <>
      <div class="server-head">
        <h1>{t('server')}</h1>
        <span class={state === 'serving' ? 'tag good' : 'tag warn'}>
          {t(`server.state.${state}`)}
        </span>
      </div>
      {/* The places of messages are always there: screen readers announce what appears in them. */}
      <div role="alert">{isRefusing(figures) && <Refusing trouble={disk.trouble} />}</div>
      {!disk.durable && <InMemory />}
      <div class="server-cards">
        <Process figures={figures} />
        <Data figures={figures} />
        {disk.durable && <Disk figures={figures} />}
        {disk.durable && <Snapshot figures={figures} />}
      </div>
    </>
  );
}

/** While the server loads and stops, it takes no writes either, but nothing is wrong. */
function isRefusing({ state, disk }: Figures): boolean {
  return !disk.writes && state === 'serving';
}

function Refusing({ trouble }: { trouble?: string | null }) {
  return (
    <div class="server-trouble">
      <h2>{t('server.refuses')}</h2>
      {trouble ? <p>{visible(trouble)}</p> : null}
      <p>{trouble ? t('server.refusesHelp') : t('server.noReason')}</p>
    </div>
  );
}

function InMemory() {
  return (
    <div class="server-memory-note">
      <strong>{t('server.inMemory')}</strong> {t('server.inMemoryHelp')}
    </div>
  );
}

type Fact = [label: Key, value: ComponentChildren];

function Facts({
  title,
  facts,
  children,
}: {
  title: Key;
  facts: Fact[];
  children?: ComponentChildren;
}) {
  return (
    <section class="card">
      <h2>{t(title)}</h2>
      <dl class="facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{t(label)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {children}
    </section>
  );
}

/** A lead of more is an alert in metrics too. */
const maxLeadUs = 60_000_000;

function Process({ figures }: { figures: Figures }) {
  const facts: Fact[] = [
    ['server.uptime', duration(figures.uptime_seconds)],
    ['server.version', figures.version],
    ['server.runId', <code title={figures.run_id}>{figures.run_id.slice(0, 8)}</code>],
  ];
  const leadUs = figures.stamp_lead_us ?? 0;
  return (
    <Facts title="server.process" facts={facts}>
      {leadUs > maxLeadUs && (
        <p class="server-lead">
          {t('server.stampLead', { duration: duration(leadUs / 1_000_000) })}
        </p>
      )}
    </Facts>
  );
}

function Data({ figures: { boards } }: { figures: Figures }) {
  const facts: Fact[] = [
    ['server.boards', boards.boards === undefined ? '–' : integer(boards.boards)],
    ['server.entries', integer(boards.entries)],
    ['server.requestIds', integer(boards.request_ids)],
    ['server.liveReaders', integer(boards.live_readers)],
  ];
  return <Facts title="server.data" facts={facts} />;
}

const fsyncTexts: Record<string, Key> = {
  always: 'server.fsync.always',
  everysec: 'server.fsync.everysec',
  off: 'server.fsync.off',
};

function Disk({ figures }: { figures: Figures }) {
  const { log, fsync } = figures.disk;
  const fsyncText = fsyncTexts[fsync ?? ''];
  const facts: Fact[] = [
    ['server.writes', <WritesTag figures={figures} />],
    ['server.fsync', fsyncText === undefined ? fsync : t(fsyncText)],
    ['server.log', t('server.logSize', { size: bytes(log.bytes), n: log.segments })],
    ['server.pending', bytes(log.pending_bytes)],
    ['server.records', integer(log.records)],
  ];
  return <Facts title="server.disk" facts={facts} />;
}

function WritesTag({ figures }: { figures: Figures }) {
  if (figures.disk.writes) return <span class="tag good">{t('server.writes.yes')}</span>;
  if (figures.state === 'loading')
    return <span class="tag warn">{t('server.writes.loading')}</span>;
  return <span class="tag bad">{t('server.writes.no')}</span>;
}

function Snapshot({ figures }: { figures: Figures }) {
  const { snapshot } = figures.disk;
  const takenMs = snapshot.taken_unix_us / 1000;
  const facts: Fact[] =
    takenMs === 0
      ? [['server.snapshot.last', t('server.snapshot.none')]]
      : [
          ['server.snapshot.last', <Taken atMs={takenMs} />],
          ['server.snapshot.size', bytes(snapshot.bytes)],
        ];
  // After a restart the time that the last snapshot took is not known.
  if (snapshot.took_us > 0) facts.push(['server.snapshot.took', micros(snapshot.took_us)]);
  facts.push(['server.snapshot.count', integer(snapshot.count)]);
  return (
    <Facts title="server.snapshot" facts={facts}>
      <p class="row">
        {snapshot.running > 0 && <span class="tag">{t('server.snapshot.running')}</span>}
        {snapshot.failed > 0 && <span class="tag bad">{t('server.snapshot.failed')}</span>}
      </p>
      {snapshot.failed > 0 && <p class="help">{t('server.snapshot.failedHelp')}</p>}
    </Facts>
  );
}

function Taken({ atMs }: { atMs: number }) {
  const seconds = (serverNow() - atMs) / 1000;
  return (
    <>
      {time(atMs)}
      <br />
      <span class="quiet-text">{t('server.ago', { duration: duration(seconds) })}</span>
    </>
  );
}
