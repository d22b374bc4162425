// Signing in with a token, and out.
import { signal } from '@preact/signals';
import { useId, useState } from 'preact/hooks';
import { t, type Key } from '../lib/i18n';
import { signIn, signOut, who } from '../lib/session';
import { Dialog } from './dialog';
import { messageOf } from './states';
import { notifyError } from './toasts';

const isOpen = signal(false);

export function openSignIn(): void {
  isOpen.value = true;
}

/** The dialog; once in the page. */
export function SignIn() {
  return isOpen.value ? (
    <Dialog title={t('signIn')} onClose={() => (isOpen.value = false)}>
      <SignInForm onDone={() => (isOpen.value = false)} onCancel={() => (isOpen.value = false)} />
    </Dialog>
  ) : null;
}

export function SignInForm({ onDone, onCancel }: { onDone?: () => void; onCancel?: () => void }) {
  const [secret, setSecret] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const input = useId();
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    try {
      if (await signIn(secret.trim())) return onDone?.();
      setError(t('wrongToken'));
    } catch (failure) {
      setError(messageOf(failure));
    }
    setBusy(false);
  };
  return (
    <form onSubmit={submit}>
      <p class="prose">
        {/* What stands between backquotes is a command. */}
        {t('signInHelp')
          .split('`')
          .map((part, i) => (i % 2 === 0 ? part : <code key={i}>{part}</code>))}
      </p>
      <label class="field" for={input}>
        <span>{t('token')}</span>
        <input
          id={input}
          type="password"
          autocomplete="off"
          required
          value={secret}
          aria-invalid={error !== ''}
          onInput={(event) => setSecret(event.currentTarget.value)}
        />
      </label>
      {error !== '' && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <div class="dialog-actions">
        {onCancel && (
          <button type="button" onClick={onCancel}>
            {t('cancel')}
          </button>
        )}
        <button type="submit" class="primary" disabled={busy || secret.trim() === ''}>
          {busy ? t('working') : t('signIn')}
        </button>
      </div>
    </form>
  );
}

/** Name and role, and the button to sign in or out. */
export function Session() {
  const user = who.value;
  if (user === null) return null;
  if (user === 'stranger') {
    return (
      <button class="primary small" onClick={openSignIn}>
        {t('signIn')}
      </button>
    );
  }
  const out = () => void signOut().catch(notifyError);
  return (
    <span class="session">
      <span class="who" title={t('sessionHelp', { boards: user.boards })}>
        <bdi class="who-name">{user.anonymous ? t('anonymous') : user.name}</bdi>
        <span class="tag">{t(`role.${user.role}` as Key)}</span>
      </span>
      {user.tokens && (
        <button class="small" onClick={user.anonymous ? openSignIn : out}>
          {user.anonymous ? t('signIn') : t('signOut')}
        </button>
      )}
    </span>
  );
}
