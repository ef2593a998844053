// Widget: starts runs and notifies the page.

import { call, guardCallbacks, warn } from './callbacks.js';
import { createFrameBox } from './frame-box.js';
import { createFrameLink } from './frame-link.js';
import { createGrowingPause } from './growing-pause.js';
import { createHeldToken, type HeldToken } from './held-token.js';
import { type FromFrame, lastingReasons, type Reason } from './messages.js';
import { onceTouched, onceVisible } from './person.js';
import { createFields } from './response-fields.js';
import { createRunQueue, type Received, type Run } from './run-queue.js';
import type { WidgetSettings } from './widget-settings.js';

/** Minimum delay before a frame is reloaded. */
const RELOAD_MS = 2_000;

/** Rejection reason of a run ended by `reset`, `close` or `remove`. */
const CLOSED = 'challenge-closed';

export interface Widget {
  readonly container: HTMLElement | null;
  /** Whether its frame is still in the container. */
  readonly isInPlace: boolean;
  /** Whether its frame is in the document. */
  readonly isConnected: boolean;
  readonly held: Pick<HeldToken, 'token' | 'key' | 'isExpired'>;
  /** @returns a new token; rejects with the vendor's error code */
  execute(isOwn: boolean, action?: string): Promise<Received>;
  reset(): void;
  /** Ends all runs. */
  close(): void;
  remove(): void;
}

/**
 * @param container null for a widget without a container
 * @param service service address with prefix
 * @param errorOf returns the code for `error-callback`
 */
export function createWidget(
  container: HTMLElement | null,
  settings: WidgetSettings,
  service: string,
  errorOf: (reason: Reason) => string | undefined,
): Widget {
  const { startsItself, refresh } = settings;
  // A document written into a frame by a page has an origin, but no address.
  const page = new URLSearchParams({ origin: globalThis.origin });
  const url = `${service}/sites/${encodeURIComponent(settings.sitekey)}/frame?${page}`;
  const link = createFrameLink(url, { onGreeting, onMessage, onBroken });
  const box = createFrameBox(link.node, settings);
  insert();
  const fields = createFields(container, settings.fields);
  const held = createHeldToken(fields, onExpired);
  const queue = createRunQueue();
  const pause = createGrowingPause();
  /** A reset during these callbacks comes from the client, not from a person. */
  const callbacks = guardCallbacks();
  let nextTimer: ReturnType<typeof setTimeout> | undefined;
  let reloadTimer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the frame has failed to load and is not loading again. */
  let isBroken = false;
  const visiblePart = settings.isHidden ? null : box.node;
  /** Stops waiting for a person. */
  let endWait = startsItself ? onceVisible(visiblePart, start) : () => {};
  /** Handles a touch of the frame. */
  let onFrameTouched = () => {};

  function insert(): void {
    (container ?? document.body ?? document.documentElement).append(box.node);
  }

  function start(): void {
    queue.add(false, settings.action);
    next();
  }

  /** Starts the next run, unless the frame is missing or a pause is active. */
  function next(): void {
    clearTimeout(nextTimer);
    // The page may have replaced its body.
    if (container === null && !queue.isEmpty && !box.node.isConnected) insert();
    reloadLater();
    if (queue.current !== null || queue.isEmpty || !link.isOpen) return;
    if (pause.leftMs > 0) {
      nextTimer = setTimeout(next, pause.leftMs);
      return;
    }
    held.clear();
    send(queue.begin());
  }

  function send(run: Run | null): void {
    if (run === null) return;
    const { cdata, retries } = settings;
    link.send({ tollgate: 'run', run: run.id, action: run.action, cdata, retries: retries && !run.isOwn });
  }

  /** Reloads a broken frame after the pause, if runs need it. */
  function reloadLater(leastMs = 0): void {
    if (!isBroken || queue.isEmpty || reloadTimer !== undefined) return;
    reloadTimer = setTimeout(reload, Math.max(pause.leftMs, leastMs));
  }

  function reload(): void {
    endReload();
    isBroken = false;
    link.reload();
  }

  function endReload(): void {
    clearTimeout(reloadTimer);
    reloadTimer = undefined;
  }

  function onBroken(): void {
    isBroken = true;
    fail('frame', null);
  }

  function onGreeting(): void {
    endReload();
    isBroken = false;
    const { api, theme, language, height, isHidden } = settings;
    link.send({ tollgate: 'set-up', api, theme, language, height, isHidden });
    send(queue.current);
    if (held.token !== '') link.send({ tollgate: 'done' });
    next();
  }

  function onMessage(message: FromFrame): void {
    if (message.tollgate === 'shown') box.show(message.height, message.needsPerson, message.title);
    else if (message.tollgate === 'closed') close();
    else if (message.tollgate === 'touched') onFrameTouched();
    else if ('run' in message && message.run === queue.current?.id) {
      if (message.tollgate === 'token') succeed(queue.current, message.token, message.expiresInSeconds);
      else fail(message.reason, queue.current);
    }
  }

  function succeed(run: Run, token: string, expiresInSeconds: number): void {
    queue.end();
    pause.end();
    held.hold(token, expiresInSeconds);
    run.resolve({ token, key: held.key });
    call(settings.onToken, token);
    next();
  }

  /** @param run null if the frame itself does not load */
  function fail(reason: Reason, run: Run | null): void {
    pause.fail();
    const error = errorOf(reason);
    const goesOn = settings.retries && !lastingReasons.includes(reason);
    if (run === null) {
      queue.rejectAll(error ?? reason, goesOn);
      reloadLater(RELOAD_MS);
    } else if (run.isOwn || !goesOn) {
      queue.end();
      run.reject(error ?? reason);
    }
    if (settings.onError === undefined) warn(reason);
    callbacks.call(settings.onError, error);
    next();
  }

  function onExpired(): void {
    link.send({ tollgate: 'expired', asks: startsItself && refresh === 'manual' });
    if (startsItself && refresh !== 'never') awaitTouch(refresh === 'manual');
    // A client may have removed the widget from the page without a call.
    if (box.place.isConnected) callbacks.call(settings.onExpired);
  }

  /** Starts at the next touch of the frame, or of anything in the page. */
  function awaitTouch(isFrameOnly: boolean): void {
    const touched = () => {
      endWait();
      start();
    };
    const stop = isFrameOnly ? () => {} : onceTouched(touched);
    onFrameTouched = touched;
    endWait = () => {
      stop();
      onFrameTouched = () => {};
    };
  }

  function close(): void {
    endReload();
    queue.rejectAll(CLOSED);
    link.send({ tollgate: 'stop' });
  }

  return {
    container,
    held,
    get isInPlace() {
      return container === null || box.place.parentNode === container;
    },
    get isConnected() {
      return box.place.isConnected;
    },
    execute(isOwn, action = settings.action) {
      endWait();
      const run = queue.add(isOwn, action);
      if (pause.failures > 0 && pause.leftMs <= 0) {
        // A new call does not wait for the next retry.
        if (!link.isOpen) reload();
        else if (run === queue.current) send(run);
      }
      next();
      return run.received;
    },
    reset() {
      endWait();
      close();
      held.clear();
      // A client that resets on each failure would loop forever.
      if (startsItself && callbacks.isCalling) awaitTouch(false);
      else if (startsItself) endWait = onceVisible(visiblePart, start);
    },
    close,
    remove() {
      endWait();
      close();
      held.clear();
      link.remove();
      box.remove();
      fields.remove();
    },
  };
}
