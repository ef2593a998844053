// The script of the page that the gate shows: sends the solved challenges, then opens what the visitor has asked for.

import type { TollgateChallenge } from './element/tollgate-challenge.js';

/** Refusals after which the person is asked whether to go on. */
const MOST_ATTEMPTS = 5;

/** Pauses in a row, after 429 and while the service is away, after which the person is asked. */
const MOST_PAUSES = 6;
const LONGEST_PAUSE_SECONDS = 120;

/** A page that is older than this is loaded again before it sends: its note of the network holds for ten minutes. */
const OLD_MS = 540_000;

/** Where the last pass is kept, so that a browser without cookies is not sent round and round. */
const PASSED_AT = 'tollgate-gate';
const ASKED_AGAIN_MS = 20_000;

/** Passes in a row for a browser whose address changes, after which the person is asked. */
const MOST_MOVES = 3;

const form = document.querySelector<HTMLFormElement>('#check');
if (form !== null) openCheck(form);

function openCheck(form: HTMLFormElement): void {
  const element = form.querySelector<TollgateChallenge>('tollgate-challenge')!;
  const note = document.querySelector<HTMLElement>('#note')!;
  /** The texts, and what the page says of the visit. */
  const { done, notKept, moved, failed, wait, retry, back, goesTo } = form.dataset;
  /** There is a button where the person sends the form: the answer to an image is theirs. */
  const button = form.querySelector('button');
  let isSending = false;
  let attempts = 0;
  let pauses = 0;
  let isStopped = false;

  document.querySelector('#stuck')?.remove();
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  element.addEventListener('tollgate-verified', onVerified);
  // A lost form leads back, and not round.
  if (back === undefined && goesRound()) offerRetry(moved ?? notKept);
  // The element may have been faster than this file.
  else if (element.status === 'ready') onVerified();

  /** Whether the last pass did not help. Where the address has changed, a further one may. */
  function goesRound(): boolean {
    const passes = recentPasses();
    return passes > 0 && (moved === undefined || passes >= MOST_MOVES);
  }

  function onVerified(): void {
    if (button === null && !isStopped) void send();
  }

  async function send(): Promise<void> {
    if (isSending || isStopped) return;
    if (isOld()) {
      location.reload();
      return;
    }
    isSending = true;
    let response: Response;
    try {
      response = await fetch(form.action, {
        method: 'POST',
        headers: { Accept: 'application/json' },
        body: new URLSearchParams([...new FormData(form)] as [string, string][]),
      });
    } catch {
      offerRetry(failed);
      return;
    } finally {
      isSending = false;
    }
    if (response.ok) {
      pass();
      return;
    }
    const isPassing = response.status === 429 || response.status >= 502;
    if (isPassing && pauses < MOST_PAUSES) {
      pause(response.headers.get('Retry-After'));
      return;
    }
    const body: unknown = await response.json().catch(() => null);
    attempts += 1;
    if (response.status === 422 && attempts < MOST_ATTEMPTS) await element.settle(body);
    else offerRetry(failed);
  }

  /** A person who has typed an answer keeps it; what was sent with another method cannot be loaded again. */
  function isOld(): boolean {
    const canReload = button === null && back === undefined && goesTo === undefined;
    return canReload && Date.now() - performance.timeOrigin > OLD_MS;
  }

  /** Shows how long the check has to wait, and goes on with it. @param retryAfter seconds */
  function pause(retryAfter: string | null): void {
    const asked = Number(retryAfter ?? 0) || 0;
    const seconds = Math.min(Math.max(asked, 2 ** pauses), LONGEST_PAUSE_SECONDS);
    const untilMs = Date.now() + seconds * 1000;
    const time = document.createElement('p');
    // Read on demand, and not each second.
    time.setAttribute('role', 'timer');
    pauses += 1;
    isStopped = true;
    note.textContent = wait ?? '';
    note.after(time);
    if (button !== null) button.hidden = true;
    const timer = setInterval(showTime, 250);
    showTime();

    function showTime(): void {
      const left = Math.ceil((untilMs - Date.now()) / 1000);
      const text = left > 0 ? inSeconds(left) : '';
      if (time.textContent !== text) time.textContent = text;
      if (left > 0) return;
      clearInterval(timer);
      time.remove();
      resume();
      // The work was not looked at, and is still good unless it has expired meanwhile.
      if (button !== null && element.status === 'ready') void send();
    }
  }

  function pass(): void {
    note.textContent = done ?? '';
    element.hidden = true;
    button?.remove();
    // The body of a request cannot be kept: the page before still has it.
    if (back !== undefined) {
      offer(back, () => history.back());
      return;
    }
    rememberPass();
    if (goesTo === undefined) location.reload();
    else location.replace(goesTo);
  }

  function offerRetry(why: string | undefined): void {
    isStopped = true;
    note.textContent = why ?? '';
    if (button !== null) button.hidden = true;
    offer(retry, (offered) => {
      offered.remove();
      attempts = 0;
      pauses = 0;
      resume();
    });
  }

  function resume(): void {
    isStopped = false;
    note.textContent = '';
    if (button !== null) button.hidden = false;
    if (element.status === 'ready') onVerified();
    else void element.refresh();
  }

  /** Adds a button; the element controls those that send the form. */
  function offer(text: string | undefined, onClick: (offered: HTMLElement) => void): void {
    const offered = document.createElement('button');
    offered.type = 'button';
    offered.textContent = text ?? '';
    offered.addEventListener('click', () => onClick(offered));
    form.append(offered);
    offered.focus();
  }
}

/** Formats seconds in the language of the page, with Western digits. */
function inSeconds(seconds: number): string {
  const language = `${document.documentElement.lang || 'en'}-u-nu-latn`;
  return new Intl.NumberFormat(language, { style: 'unit', unit: 'second', unitDisplay: 'long' }).format(
    seconds,
  );
}

/** Passes in a row until just now; a browser that keeps no cookies counts as if it had one. */
function recentPasses(): number {
  if (!navigator.cookieEnabled) return 1;
  try {
    const [atMs, passes] = (sessionStorage.getItem(PASSED_AT) ?? '').split(' ').map(Number);
    return Date.now() - (atMs ?? 0) < ASKED_AGAIN_MS ? (passes ?? 1) : 0;
  } catch {
    // The browser keeps nothing for this site.
    return 0;
  }
}

function rememberPass(): void {
  try {
    sessionStorage.setItem(PASSED_AT, `${Date.now()} ${recentPasses() + 1}`);
  } catch {
    // Then the page asks again and again, and says so each time.
  }
}
