// The script of the page that the gate shows: sends the solved challenges, then opens what the visitor has asked for.

import type { TollgateChallenge } from './element/tollgate-challenge.js';

/** Refusals after which the person is asked whether to go on. */
const MOST_ATTEMPTS = 5;

/** Where the time of the last pass is kept, so that a browser without cookies is not sent round and round. */
const PASSED_AT = 'tollgate-gate';
const ASKED_AGAIN_MS = 20_000;

const form = document.querySelector<HTMLFormElement>('#check');
if (form !== null) openCheck(form);

function openCheck(form: HTMLFormElement): void {
  const element = form.querySelector<TollgateChallenge>('tollgate-challenge')!;
  const note = document.querySelector<HTMLElement>('#note')!;
  /** The texts, and what the page says of the visit. */
  const { done, notKept, failed, retry, back, goesTo } = form.dataset;
  /** There is a button where the person sends the form: the answer to an image is theirs. */
  const button = form.querySelector('button');
  let isSending = false;
  let attempts = 0;
  let isStopped = false;

  document.querySelector('#stuck')?.remove();
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  element.addEventListener('tollgate-verified', onVerified);
  // A lost form leads back, and not round.
  if (back === undefined && wasJustPassed()) offerRetry(notKept);
  // The element may have been faster than this file.
  else if (element.status === 'ready') onVerified();

  function onVerified(): void {
    if (button === null && !isStopped) void send();
  }

  async function send(): Promise<void> {
    if (isSending || isStopped) return;
    isSending = true;
    let response: Response;
    let body: unknown;
    try {
      response = await fetch(form.action, {
        method: 'POST',
        headers: { Accept: 'application/json' },
        body: new URLSearchParams([...new FormData(form)] as [string, string][]),
      });
      body = await response.json();
    } catch {
      offerRetry(failed);
      return;
    } finally {
      isSending = false;
    }
    attempts += 1;
    if (response.ok) pass();
    else if (response.status === 422 && attempts < MOST_ATTEMPTS) await element.settle(body);
    else offerRetry(failed);
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
      isStopped = false;
      attempts = 0;
      note.textContent = '';
      if (button !== null) button.hidden = false;
      if (element.status === 'ready') onVerified();
      else void element.refresh();
    });
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

function wasJustPassed(): boolean {
  if (!navigator.cookieEnabled) return true;
  try {
    return Date.now() - Number(sessionStorage.getItem(PASSED_AT)) < ASKED_AGAIN_MS;
  } catch {
    // The browser keeps nothing for this site.
    return false;
  }
}

function rememberPass(): void {
  try {
    sessionStorage.setItem(PASSED_AT, String(Date.now()));
  } catch {
    // Then the page asks again and again, and says so each time.
  }
}
