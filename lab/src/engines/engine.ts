// A browser engine as the tests drive it: the same few actions in Chromium, Firefox and WebKit.

import { setTimeout as pause } from 'node:timers/promises';

/** What the device of a person prefers, which the pages follow; reduced motion is preferred by all. */
export type Scheme = 'light' | 'dark';

/** A key by its name in the DOM, such as `Tab`, `Enter` or ` `. */
export type Key = 'Tab' | 'Shift+Tab' | 'Enter' | 'Space' | 'Escape';

/**
 * A tab. A selector finds elements in the open shadow trees of the page too. What is to be found must be there within
 * 20 s, or the action throws.
 */
export interface Tab {
  /** Resolves when the page has loaded. */
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Brings the tab to the front, where the person sees it. */
  show(): Promise<void>;
  /** Goes back in the history of the tab. */
  back(): Promise<void>;
  /** The value of a JavaScript expression in the page, or what its promise resolves with; it must be plain JSON. */
  evaluate<Value>(expression: string): Promise<Value>;
  /** Waits until the expression is true in the page. */
  waitFor(expression: string): Promise<void>;
  /** Clicks the element with a real pointer. */
  click(selector: string): Promise<void>;
  doubleClick(selector: string): Promise<void>;
  /** Replaces what the field holds. */
  fill(selector: string, text: string): Promise<void>;
  /** Presses a key, for the element that has the focus. */
  press(key: Key): Promise<void>;
  /** Types a text into the element that has the focus. */
  type(text: string): Promise<void>;
  /** Gives the page this many CSS pixels of width; its height is several hundred. */
  resize(width: number): Promise<void>;
}

/** A person with a profile of their own, which all their tabs share. Only one of them visits at a time. */
export interface Visitor {
  openTab(): Promise<Tab>;
  /** Closes the tabs and forgets the profile. */
  leave(): Promise<void>;
}

/** A running browser. */
export interface EngineBrowser {
  /** Stops all its processes, as the sleep of a machine does. @returns wakes it up */
  sleep(): () => void;
  /** @param scheme light by default */
  visit(scheme?: Scheme): Promise<Visitor>;
  close(): Promise<void>;
}

/**
 * What a browser starts with: switches of the command line of Chromium (without dashes), preferences of Firefox, variables
 * of the environment of WebKit.
 */
export type Flags = Readonly<Record<string, string | number | boolean>>;

export interface Engine {
  readonly name: 'Chromium' | 'Firefox' | 'WebKit';
  /** Why it cannot be driven here, and what to install; undefined when it can. */
  readonly missing: string | undefined;
  launch(flags?: Flags): Promise<EngineBrowser>;
}

/** How long a tab waits for what is to be found. */
export const WAIT_MS = 20_000;

/** A look costs several processes a turn, so that the pauses between them grow. */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;

/** The height of a tab in CSS pixels, about. */
export const HEIGHT = 720;

/** The width that a tab begins with. */
export const WIDTH = 1280;

/** A JavaScript expression for the first element that the selector finds in the page or its open shadow trees, or null. */
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

/** A JavaScript expression that is true while a person can see the element. */
export function isShown(selector: string): string {
  return `(${find(selector)}?.checkVisibility({ visibilityProperty: true }) ?? false)`;
}

/** Waits until an expression is true in the page. @param evaluate a tab's */
export async function waitUntil(evaluate: Tab['evaluate'], expression: string): Promise<void> {
  await waitForValue(evaluate, `Boolean(${expression})`);
}

/**
 * Waits until an expression has a value that counts as true. It asks from outside: a policy may forbid a page to evaluate
 * text.
 * @param evaluate a tab's, which may fail while the tab goes to another page
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
