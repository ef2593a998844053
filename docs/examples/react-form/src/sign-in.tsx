// The form: its challenges are solved while the person fills it in, and an image appears if one is required.
import { useChallenge } from '@tollgate/client/react';
import type { Session } from '@tollgate/client/session';
import { type FormEvent, useState } from 'react';

const none = { code: '', message: '' };

export function SignIn({ session }: { session: Session }) {
  const { state, touch, submit, refresh, setAnswer, newImage, chooseAlternative } = useChallenge();
  const [refusal, setRefusal] = useState(none);
  const [isSending, setIsSending] = useState(false);
  const { captcha, alternatives } = state;
  const concernsImage = refusal.code.startsWith('captcha_');

  async function signIn(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    setRefusal(none);
    setIsSending(true);
    const form = new FormData(event.currentTarget);
    const [email, password] = [String(form.get('email')), String(form.get('password'))];
    try {
      const response = await submit((fields) => session.login({ email, password, ...fields }));
      if (!response.ok) setRefusal(await response.json());
    } catch {
      setRefusal({ code: '', message: 'The server does not respond. Please try again.' });
    } finally {
      setIsSending(false);
    }
  }

  function change() {
    touch();
    setRefusal(none);
  }

  // A disabled button fires no pointer events, so the form listens for them.
  return (
    <form onSubmit={signIn} onFocus={touch} onInput={change} onPointerOver={touch}>
      <h1>Sign in</h1>
      <p>
        <label>
          E-mail <input name="email" type="email" autoComplete="username" required />
        </label>
      </p>
      <p>
        <label>
          Password <input name="password" type="password" autoComplete="current-password" required />
        </label>
      </p>
      {captcha?.kind === 'image' && (
        <fieldset>
          <img
            src={captcha.url}
            width={240}
            height={80}
            alt="Distorted letters and digits, to be typed below"
          />
          <label>
            Characters in the image{' '}
            <input
              key={captcha.url}
              autoComplete="off"
              autoCapitalize="off"
              autoCorrect="off"
              spellCheck={false}
              required
              onInput={(event) => setAnswer(event.currentTarget.value)}
            />
          </label>
          <button type="button" onClick={newImage}>
            {captcha.expired ? 'The image has expired: another one' : 'Another image'}
          </button>
          {alternatives.includes('effort') && (
            <button type="button" onClick={() => chooseAlternative('effort')}>
              I cannot read this image: let my device work instead
            </button>
          )}
          <p role="alert">{concernsImage && refusal.message}</p>
        </fieldset>
      )}
      {captcha?.kind === 'effort' && (
        <label>
          Extra work <progress value={captcha.part} max={captcha.parts} />
        </label>
      )}
      {(state.status === 'idle' || state.status === 'solving') && (
        <label>
          Security check <progress value={state.work?.chance ?? 0} />
        </label>
      )}
      <p role="alert">{(!concernsImage && refusal.message) || state.error?.message}</p>
      {state.status === 'error' && (
        <button type="button" onClick={refresh}>
          Try again
        </button>
      )}
      <button type="submit" disabled={state.status !== 'ready' || isSending}>
        Sign in
      </button>
    </form>
  );
}
