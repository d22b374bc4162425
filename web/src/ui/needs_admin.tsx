// Said instead of a form to those who may not use it.
import { t, type Key } from '../lib/i18n';
import { who } from '../lib/session';
import { openSignIn } from './sign_in';
import { Note } from './states';

/** `forAll`: the token must be for all boards, too. */
export function NeedsAdmin({ forAll = false }: { forAll?: boolean }) {
  const user = who.value;
  if (user === null || user === 'stranger') return null;
  const values = { role: t(`role.${user.role}` as Key), boards: user.boards };
  return (
    <Note title={t('form.needsAdmin')}>
      <p>{t(forAll ? 'form.needsAdminAll' : 'form.needsAdminHelp', values)}</p>
      {user.tokens && (
        <p>
          <button onClick={openSignIn}>{t('form.otherToken')}</button>
        </p>
      )}
    </Note>
  );
}
