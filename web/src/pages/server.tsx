// The server: its state, charts of the last hour, clients and slow commands.
import { useEffect } from 'preact/hooks';
import { askAgain, latest, openHistory, trouble } from '../lib/history';
import { t } from '../lib/i18n';
import { usePage } from '../lib/page';
import { may, who } from '../lib/session';
import { Failure, Loading } from '../ui/states';
import { ServerCharts } from './server/charts';
import { ServerClients } from './server/clients';
import { ServerSlowCommands } from './server/slow';
import { ServerStatus } from './server/status';
import './server.css';

export default function Page() {
  usePage(t('server'));
  useEffect(openHistory, []);
  const figures = latest.value;
  if (figures === null) {
    return trouble.value === null ? (
      <Loading />
    ) : (
      <Failure isPage error={trouble.value} onRetry={askAgain} />
    );
  }
  return (
    <div class="server">
      <ServerStatus figures={figures} />
      <ServerCharts figures={figures} />
      {may('admin') ? (
        <>
          <ServerClients />
          <ServerSlowCommands />
        </>
      ) : (
        <AdminOnly />
      )}
    </div>
  );
}

function AdminOnly() {
  const user = who.value;
  if (user === null || user === 'stranger') return null;
  return (
    <section class="card">
      <h2>{t('server.adminTitle')}</h2>
      <p class="quiet-text">{t('server.adminOnly', { role: t(`role.${user.role}`) })}</p>
    </section>
  );
}
