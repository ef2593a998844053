// The tests' interface of a browser engine: the same few actions in Chromium, Firefox and WebKit.

import { setTimeout as pause } from 'node:timers/promises';

/** The device's colour scheme, which the pages follow; all devices prefer reduced motion. */
export type Scheme = 'light' | 'dark';

/** A key by its name in the DOM, such as `Tab`, `Enter` or ` `. */
export type Key = 'Tab' | 'Shift+Tab' | 'Enter' | 'Space' | 'Escape';

/**
 * A tab. A selector also finds elements in the page's open shadow trees. The element must appear within 20 s, or the action
 * throws.
 */
export interface Tab {
  /** Resolves when the page has loaded. */
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Brings the tab to the front. */
  show(): Promise<void>;
  /** Goes back in the history of the tab. */
  back(): Promise<void>;
  /** The value of a JavaScript expression in the page, or that of its promise; it must be plain JSON. */
  evaluate<Value>(expression: string): Promise<Value>;
  /** Waits until the expression is true in the page. */
  waitFor(expression: string): Promise<void>;
  /** Clicks the element with a real pointer. */
  click(selector: string): Promise<void>;
  doubleClick(selector: string): Promise<void>;
  /** Replaces the field's content. */
  fill(selector: string, text: string): Promise<void>;
  /** Presses a key, for the focused element. */
  press(key: Key): Promise<void>;
  /** Types a text into the focused element. */
  type(text: string): Promise<void>;
  /** Gives the page this width in CSS pixels; its height is several hundred. */
  resize(width: number): Promise<void>;
}

/** A user with a separate profile, shared by all their tabs. Only one of them visits at a time. */
export interface Visitor {
  openTab(): Promise<Tab>;
  /** Closes the tabs and forgets the profile. */
  leave(): Promise<void>;
}

/** A running browser. */
export interface EngineBrowser {
  /** Stops all its processes, as when the machine sleeps. @returns wakes it up */
  sleep(): () => void;
  /** @param scheme light by default */
  visit(scheme?: Scheme): Promise<Visitor>;
  close(): Promise<void>;
}

/**
 * Start options of a browser: command line switches of Chromium (without dashes), preferences of Firefox, environment
 * variables of WebKit.
 */
export type Flags = Readonly<Record<string, string | number | boolean>>;

export interface Engine {
  readonly name: 'Chromium' | 'Firefox' | 'WebKit';
  /** The reason why it cannot be used here, and what to install; undefined if it can. */
  readonly missing: string | undefined;
  launch(flags?: Flags): Promise<EngineBrowser>;
}

/** A tab's timeout for finding elements. */
export const WAIT_MS = 20_000;

/** A check costs several processes a turn, so the pauses between checks grow. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;

/** The approximate height of a tab in CSS pixels. */
export const HEIGHT = 720;

/** The initial width of a tab. */
export const WIDTH = 1280;

/** A JavaScript expression for the first matching element in the page or its open shadow trees, or null. */
export function find(selector: string): string {
  return `((find) => find(document, find))((root, find) => {
    const [found] = root.querySelectorAll(${JSON.stringify(selector)});
    if (found) return found;
    for (const { shadowRoot } of root.querySelectorAll('*')) {
      const inside = shadowRoot && find(shadowRoot, find);
      if (inside) return inside;
    }
    return null;
  })`;
}

/** A JavaScript expression that is true while the element is visible. */
export function isShown(selector: string): string {
  return `(${find(selector)}?.checkVisibility({ visibilityProperty: true }) ?? false)`;
}

/** Waits until an expression is true in the page. @param evaluate a tab's */
export async function waitUntil(evaluate: Tab['evaluate'], expression: string): Promise<void> {
  await waitForValue(evaluate, `Boolean(${expression})`);
}

/**
 * Waits until an expression has a truthy value. It polls from outside: a policy may forbid a page to evaluate text.
 * @param evaluate a tab's, which may fail during a navigation
 */
export async function waitForValue<Value>(
  evaluate: Tab['evaluate'],
  expression: string,
): Promise<NonNullable<Value>> {
  const endsAtMs = performance.now() + WAIT_MS;
  let failure: unknown;
  let pauseMs = FIRST_PAUSE_MS;
  while (performance.now() < endsAtMs) {
    try {
      const value = await evaluate<Value>(expression);
      if (value) return value;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    await pause(pauseMs);
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
  }
  throw new Error(`Within ${WAIT_MS} ms this was not true: ${expression}`, { cause: failure });
}
