// Script of the gate page: sends the solved challenges, then opens the requested page.

import type { TollgateChallenge } from './element/tollgate-challenge.js';

/** Rejections after which the person has to press a button to continue. */
const MOST_ATTEMPTS = 5;

/** Consecutive pauses, after a 429 or while the service is unavailable, after which the person has to press a button. */
const MOST_PAUSES = 6;
const LONGEST_PAUSE_SECONDS = 120;

/** Older pages reload before they send: their network note is valid for ten minutes. */
const OLD_MS = 540_000;

/** Storage key of the last pass, so that a browser without cookies does not loop. */
const PASSED_AT = 'tollgate-gate';
const ASKED_AGAIN_MS = 20_000;

/** Consecutive passes of a browser with a changing address, after which the person has to press a button. */
const MOST_MOVES = 3;

const form = document.querySelector<HTMLFormElement>('#check');
if (form !== null) openCheck(form);

function openCheck(form: HTMLFormElement): void {
  const element = form.querySelector<TollgateChallenge>('tollgate-challenge')!;
  const note = document.querySelector<HTMLElement>('#note')!;
  /** Texts and visit data of the page. */
  const { done, notKept, moved, failed, wait, retry, back, goesTo } = form.dataset;
  /** Present if the person submits the form, to answer an image. */
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
  // A lost form leads back to its page and cannot loop.
  if (back === undefined && goesRound()) offerRetry(moved ?? notKept);
  // The element may be ready before this file has loaded.
  else if (element.status === 'ready') onVerified();

  /** Whether the last pass had no effect. After a change of address another one may help. */
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

  /** Only pages without a typed answer reload; a request with another method cannot be repeated by a reload. */
  function isOld(): boolean {
    const canReload = button === null && back === undefined && goesTo === undefined;
    return canReload && Date.now() - performance.timeOrigin > OLD_MS;
  }

  /** Shows the waiting time, then continues. @param retryAfter seconds */
  function pause(retryAfter: string | null): void {
    const asked = Number(retryAfter ?? 0) || 0;
    const seconds = Math.min(Math.max(asked, 2 ** pauses), LONGEST_PAUSE_SECONDS);
    const untilMs = Date.now() + seconds * 1000;
    const time = document.createElement('p');
    // Screen readers read it on demand, not each second.
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
      // The work was not checked, so it can be sent unless it has expired.
      if (button !== null && element.status === 'ready') void send();
    }
  }

  function pass(): void {
    note.textContent = done ?? '';
    element.hidden = true;
    button?.remove();
    // The request body is lost here, but the previous page still has it.
    if (back !== undefined) {
      // A new tab has no previous page.
      if (history.length > 1) offer(back, () => history.back());
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

  /** Adds a plain button: the element controls submit buttons. */
  function offer(text: string | undefined, onClick: (offered: HTMLElement) => void): void {
    const offered = document.createElement('button');
    offered.type = 'button';
    offered.textContent = text ?? '';
    offered.addEventListener('click', () => onClick(offered));
    form.append(offered);
    offered.focus();
  }
}

/** Formats seconds in the page's language, with Western digits. */
function inSeconds(seconds: number): string {
  const language = `${document.documentElement.lang || 'en'}-u-nu-latn`;
  return new Intl.NumberFormat(language, { style: 'unit', unit: 'second', unitDisplay: 'long' }).format(
    seconds,
  );
}

/** Returns the recent consecutive passes; 1 for a browser without cookies. */
function recentPasses(): number {
  if (!navigator.cookieEnabled) return 1;
  try {
    const [atMs, passes] = (sessionStorage.getItem(PASSED_AT) ?? '').split(' ').map(Number);
    return Date.now() - (atMs ?? 0) < ASKED_AGAIN_MS ? (passes ?? 1) : 0;
  } catch {
    // No storage for this site.
    return 0;
  }
}

function rememberPass(): void {
  try {
    sessionStorage.setItem(PASSED_AT, `${Date.now()} ${recentPasses() + 1}`);
  } catch {
    // Without storage the gate page returns each time and says so.
  }
}
