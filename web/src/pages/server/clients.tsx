// The table of connected clients.
import { useId, useMemo, useState } from 'preact/hooks';
import { call } from '../../lib/api';
import { duration, integer } from '../../lib/format';
import { t } from '../../lib/i18n';
import { useRefreshed } from '../../lib/refresh';
import { visible } from '../../ui/code';
import { Failure, Loading } from '../../ui/states';
import { CutText } from './cut';

interface Client {
  id: number;
  address: string;
  user: string;
  age_seconds: number;
  idle_seconds: number;
  /** The line of CLIENT LIST. It is not there if it is not UTF-8. */
  line?: string;
}

/** A page of 10,000 rows would be slow, and nobody reads it. */
const maxRows = 100;

function load(signal: AbortSignal): Promise<{ clients: Client[] }> {
  return call('GET', 'v1/clients', { signal });
}

export function ServerClients() {
  const { value, error } = useRefreshed('clients', 5_000, load);
  return (
    <section class="card" aria-labelledby="server-clients">
      <div class="card-head">
        <h2 id="server-clients">{t('server.clients')}</h2>
        {value && <span class="tag">{integer(value.clients.length)}</span>}
      </div>
      {value ? (
        <Clients clients={value.clients} />
      ) : error ? (
        <Failure error={error} />
      ) : (
        <Loading />
      )}
    </section>
  );
}

function matches(client: Client, text: string): boolean {
  return `${client.address} ${client.user} ${client.line ?? ''}`.toLowerCase().includes(text);
}

function Clients({ clients }: { clients: Client[] }) {
  const [filter, setFilter] = useState('');
  const input = useId();
  const found = useMemo(() => {
    const text = filter.trim().toLowerCase();
    return clients.filter((client) => matches(client, text)).sort((a, b) => b.id - a.id);
  }, [clients, filter]);
  if (clients.length === 0) return <p class="quiet-text">{t('server.clients.none')}</p>;
  return (
    <>
      <label class="visually-hidden" for={input}>
        {t('server.clients.filter')}
      </label>
      <input
        id={input}
        type="search"
        class="server-filter"
        placeholder={t('server.clients.filterHint')}
        value={filter}
        onInput={(event) => setFilter(event.currentTarget.value)}
      />
      {found.length === 0 ? (
        <p class="quiet-text">{t('server.clients.noMatch')}</p>
      ) : (
        <ClientTable clients={found.slice(0, maxRows)} />
      )}
      {found.length > maxRows && (
        <p class="quiet-text">
          {/* `count` decides the form; the number is shown with separators. */}
          {found.length - maxRows === 1
            ? t('server.clients.more', { count: 1 })
            : t('server.clients.more', { count: integer(found.length - maxRows) })}
        </p>
      )}
    </>
  );
}

function ClientTable({ clients }: { clients: Client[] }) {
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label={t('server.clients')}>
      <table class="server-table">
        <thead>
          <tr>
            <th scope="col" class="number">
              {t('server.clients.id')}
            </th>
            <th scope="col">{t('server.clients.address')}</th>
            <th scope="col">{t('server.clients.user')}</th>
            <th scope="col">{t('server.clients.name')}</th>
            <th scope="col">{t('server.clients.command')}</th>
            <th scope="col" class="number">
              {t('server.clients.age')}
            </th>
            <th scope="col" class="number">
              {t('server.clients.idle')}
            </th>
            <th scope="col">{t('server.clients.line')}</th>
          </tr>
        </thead>
        <tbody>
          {clients.map((client) => (
            <ClientRow key={client.id} client={client} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The value of `key=` in a line of CLIENT LIST. */
function wordOf(line: string, key: string): string {
  return new RegExp(`(?:^| )${key}=(\\S*)`).exec(line)?.[1] ?? '';
}

function ClientRow({ client }: { client: Client }) {
  const line = client.line ?? '';
  return (
    <tr>
      {/* Ids are names, so they have no separators. */}
      <td class="number">{client.id}</td>
      <td class="server-address">{visible(client.address)}</td>
      <td>
        <Short text={client.user} />
      </td>
      <td>
        <Short text={wordOf(line, 'name')} />
      </td>
      <td>
        <Short text={wordOf(line, 'cmd')} />
      </td>
      <td class="number">{duration(client.age_seconds)}</td>
      <td class="number">{duration(client.idle_seconds)}</td>
      <td class="server-cut-cell">
        <CutText text={line} />
      </td>
    </tr>
  );
}

/** A word of somebody else: cut, with the whole in the title. */
function Short({ text }: { text: string }) {
  const shown = visible(text);
  return (
    <span class="server-short" title={shown.length > 16 ? shown : undefined}>
      <bdi>{shown}</bdi>
    </span>
  );
}
