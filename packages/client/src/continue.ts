// Script of session-service's page `/refresh/continue`: refreshes the session once, then opens the requested page.

import { createSession } from './session/create-session.js';

/** Values of the page. */
const { base = '', to = '/', login = '', signedOut, away, failed } = document.body.dataset;
const key = `tollgate-continue:${base}`;

/**
 * Longest time in which a refresh serves other tabs too, and in which another visit of this tab means that the requested
 * page did not accept the cookie.
 */
const longestMarkMs = 60_000;

/** What this tab did at its last visit. */
type Visit = 'refreshed' | 'shared';

const session = createSession({ baseUrl: base, hint: false });

void exclusive(key, openPage);

/** Tabs that start together wait for each other: the first refreshes for all. */
async function exclusive(name: string, work: () => Promise<void>): Promise<void> {
  if (navigator.locks === undefined) await work();
  else await navigator.locks.request(name, work);
}

async function openPage(): Promise<void> {
  const last = lastVisit();
  if (last === undefined && hasFreshTwin()) {
    remember('shared', Date.now() + longestMarkMs);
    location.replace(to);
    return;
  }
  try {
    finish(await session.resume(), last);
  } catch {
    // The session keeps trying.
    show(away);
    session.subscribe(() => {
      const { status } = session.state;
      if (status === 'signed-in' || status === 'signed-out') finish(status === 'signed-in', last);
    });
  }
}

function finish(isSignedIn: boolean, last: Visit | undefined): void {
  if (isSignedIn && last === 'refreshed') {
    // This tab has opened the page with a new cookie a moment ago, and came back.
    show(failed);
  } else if (isSignedIn) {
    const nowMs = Date.now();
    // Shorter than the token's life: after that, another refresh is due.
    const lifeMs = (session.state.expiresAtMs ?? nowMs) - nowMs;
    const untilMs = nowMs + Math.min(lifeMs / 2, longestMarkMs);
    remember('refreshed', untilMs);
    use(
      () => localStorage,
      (storage) => storage.setItem(key, String(untilMs)),
    );
    location.replace(to);
  } else {
    use(
      () => localStorage,
      (storage) => storage.removeItem(key),
    );
    if (login === '') show(signedOut);
    else location.replace(login);
  }
}

/** Shows a text, and a link to the login page if there is one. */
function show(text: string | undefined): void {
  const note = document.querySelector('#note');
  if (note !== null) note.textContent = text ?? '';
  const link = document.querySelector<HTMLElement>('#login');
  if (link !== null) link.hidden = login === '';
}

function remember(visit: Visit, untilMs: number): void {
  use(
    () => sessionStorage,
    (storage) => storage.setItem(key, `${visit} ${untilMs} ${to}`),
  );
}

/** This tab's recent visit for the same page. */
function lastVisit(): Visit | undefined {
  const [visit, untilMs, ...rest] =
    use(
      () => sessionStorage,
      (storage) => storage.getItem(key)?.split(' '),
    ) ?? [];
  return rest.join(' ') === to && Date.now() < Number(untilMs) ? (visit as Visit) : undefined;
}

/** Whether another tab has refreshed a moment ago. */
function hasFreshTwin(): boolean {
  return (
    Date.now() <
    Number(
      use(
        () => localStorage,
        (storage) => storage.getItem(key),
      ),
    )
  );
}

/** Uses a storage; undefined if the browser has none for this page. */
function use<Result>(open: () => Storage, work: (storage: Storage) => Result): Result | undefined {
  try {
    return work(open());
  } catch {
    return undefined;
  }
}
