// Page in the widget frame: fetches, solves and redeems a site's challenges, and shows the progress.

import { createChallenge } from '../../challenge/create-challenge.js';
import { CaptchaRequestError } from '../../challenge/errors.js';
import '../../element.js';
import { directionOf, languageFor, loadTexts, type Texts } from '../../element/languages.js';
import { en } from '../../element/texts/en.js';
import { openSolver } from '../../solver/solver.js';
import type { Flavour, FromFrame, ToFrame } from '../messages.js';
import { applyStyle } from './frame-style.js';
import { reasonOf, redeem } from './redeem-call.js';
import { createRedeemingChallenge } from './redeeming-challenge.js';

/** Focus attempts, and the pause between them in milliseconds, while the page raises the frame. */
const FOCUS_TRIES = 40;
const FOCUS_PAUSE_MS = 50;

/** Site data from the service, in attributes of the body. */
interface SiteData {
  readonly image?: 'never' | 'always';
  /** Why the service would redeem nothing here. */
  readonly problem?: 'sitekey' | 'hostname';
}

/** Shows the frame and handles messages from the page around it. */
function openFrame({ image = 'never', problem }: SiteData): void {
  const siteAddress = new URL('./', location.href);
  let isPressed = false;
  const challenge = createRedeemingChallenge(() => isPressed);
  const solver = openSolver();
  const form = document.createElement('form');
  const element = document.createElement('tollgate-challenge');
  const confirmButton = document.createElement('button');
  const again = document.createElement('button');
  let texts: Texts = en;
  /** Origin of the first set-up message; messages from other origins are ignored. */
  let pageOrigin: string | undefined;
  let api: Flavour = 'turnstile';
  let isHidden = false;
  applyStyle();
  element.controller = challenge;
  confirmButton.hidden = true;
  again.type = 'button';
  again.hidden = true;
  form.append(element, confirmButton, again);
  const main = document.createElement('main');
  main.append(form);
  document.body.append(main);

  /** A page with the origin `null` gets no receipts, so messages to it hold no secret. */
  const tell = (message: FromFrame) =>
    parent.postMessage(message, pageOrigin === undefined || pageOrigin === 'null' ? '*' : pageOrigin);
  const needsPerson = () => challenge.state.captcha !== null;

  function show(): void {
    const isAsked = needsPerson();
    const appears = isAsked && confirmButton.hidden;
    confirmButton.hidden = challenge.state.captcha?.kind !== 'image';
    confirmButton.textContent = texts.confirm;
    again.textContent = texts.retry;
    document.title = texts.title;
    if (pageOrigin === undefined) return;
    tell({ tollgate: 'shown', title: texts.title, height: form.scrollHeight, needsPerson: isAsked });
    if (appears && isHidden) focusField(FOCUS_TRIES);
  }

  /** Focuses the field repeatedly: a frame that is not raised yet loses the focus again. */
  function focusField(tries: number): void {
    if (tries === 0 || !needsPerson()) return;
    if (document.hasFocus() && document.activeElement === element) return;
    element.focus();
    setTimeout(focusField, FOCUS_PAUSE_MS, tries - 1);
  }

  function run({ run, action, cdata, retries }: Extract<ToFrame, { tollgate: 'run' }>): void {
    again.hidden = true;
    if (problem !== undefined) {
      // Shown like a 404 response to the element.
      const details = { status: 404, code: problem, retryAfterSeconds: null };
      challenge.showError(
        new CaptchaRequestError(`This page cannot redeem challenges: ${problem}.`, details),
      );
      tell({ tollgate: 'failed', run, reason: problem });
      return;
    }
    const purpose = { api, action, cdata, origin: pageOrigin ?? 'null' };
    challenge.run({
      retries,
      open: () =>
        createChallenge({
          baseUrl: siteAddress.origin,
          prefix: siteAddress.pathname,
          image,
          solver,
          algorithms: ['hashwx-1', 'sha256'],
          autoStart: false,
        }),
      redeem: (fields) => redeem(siteAddress.href, fields, purpose),
      onReceipt: (token, expiresInSeconds) => tell({ tollgate: 'token', run, token, expiresInSeconds }),
      onFailure: (error) => tell({ tollgate: 'failed', run, reason: reasonOf(error) }),
    });
  }

  async function setUp(message: Extract<ToFrame, { tollgate: 'set-up' }>): Promise<void> {
    ({ api, isHidden } = message);
    const root = document.documentElement;
    root.dataset.theme = message.theme;
    root.style.setProperty('--least-height', isHidden ? '0px' : `${message.height}px`);
    const language = languageFor(message.language ?? navigator.language);
    root.lang = language;
    root.dir = directionOf(language);
    texts = await loadTexts(language);
    show();
  }

  function obey(message: ToFrame): void {
    if (message.tollgate === 'set-up') void setUp(message);
    else if (message.tollgate === 'run') run(message);
    else if (message.tollgate === 'done') challenge.showDone();
    else if (message.tollgate === 'expired') again.hidden = !message.asks;
    if (message.tollgate === 'stop' || message.tollgate === 'expired') challenge.stop();
  }

  addEventListener('message', ({ source, origin, data }) => {
    const message = data as Partial<ToFrame> | null;
    if (source !== parent || typeof message?.tollgate !== 'string') return;
    if (pageOrigin === undefined && message.tollgate === 'set-up') pageOrigin = origin;
    if (origin === pageOrigin) obey(message as ToFrame);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    challenge.answer();
  });
  const touched = ({ isTrusted }: Event) => {
    if (isTrusted && pageOrigin !== undefined) tell({ tollgate: 'touched' });
  };
  for (const name of ['pointerdown', 'keydown']) addEventListener(name, touched, { passive: true });
  const pressed = () => {
    isPressed = true;
    setTimeout(() => {
      isPressed = false;
    });
  };
  addEventListener('click', pressed, { capture: true });
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && isHidden && needsPerson()) tell({ tollgate: 'closed' });
  });
  // The page around the frame receives the reason and logs it.
  if (problem !== undefined) element.addEventListener('tollgate-error', (event) => event.preventDefault());
  challenge.subscribe(show);
  new ResizeObserver(show).observe(form);
  tell({ tollgate: 'greeting' });
}

// The workers run this file too: without a document it searches.
if (typeof document === 'undefined') void import('../../solver/worker.js');
else if (parent !== window) openFrame(document.body.dataset);
