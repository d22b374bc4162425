// The table of slow commands.
import { call } from '../../lib/api';
import { word } from '../../lib/commands';
import { integer, micros, time } from '../../lib/format';
import { t } from '../../lib/i18n';
import { useRefreshed } from '../../lib/refresh';
import { visible } from '../../ui/code';
import { Failure, Loading } from '../../ui/states';
import { CutText } from './cut';

interface SlowCommand {
  id: number;
  time: string;
  micros: number;
  words: string[];
  address: string;
  /** The name that the client has given itself. It is not there if it is not UTF-8. */
  client?: string;
}

function load(signal: AbortSignal): Promise<{ commands: SlowCommand[] }> {
  return call('GET', 'v1/slowlog', { signal });
}

export function ServerSlowCommands() {
  const { value, error } = useRefreshed('slowlog', 5_000, load);
  return (
    <section class="card" aria-labelledby="server-slow">
      <div class="card-head">
        <h2 id="server-slow">{t('server.slow')}</h2>
        {value && <span class="tag">{integer(value.commands.length)}</span>}
      </div>
      <p class="help">{t('server.slow.help')}</p>
      {value ? <Body commands={value.commands} /> : error ? <Failure error={error} /> : <Loading />}
    </section>
  );
}

function Body({ commands }: { commands: SlowCommand[] }) {
  if (commands.length === 0) return <p class="quiet-text">{t('server.slow.none')}</p>;
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label={t('server.slow')}>
      <table class="server-table server-slow">
        <thead>
          <tr>
            <th scope="col">{t('server.slow.time')}</th>
            <th scope="col" class="number">
              {t('server.slow.took')}
            </th>
            <th scope="col">{t('server.slow.command')}</th>
            <th scope="col">{t('server.slow.client')}</th>
          </tr>
        </thead>
        <tbody>
          {commands.map((command) => (
            <Row key={command.id} command={command} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ command }: { command: SlowCommand }) {
  const client = visible(command.client ?? '');
  return (
    <tr>
      <td class="server-time">{time(command.time)}</td>
      <td class="number">{micros(command.micros)}</td>
      <td class="server-cut-cell">
        <CutText text={command.words.map(word).join(' ')} />
      </td>
      <td class="server-address">
        {visible(command.address)}
        {client !== '' && (
          <span class="server-short quiet-text" title={client}>
            <bdi>{client}</bdi>
          </span>
        )}
      </td>
    </tr>
  );
}
