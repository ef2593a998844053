// A browser engine as the tests drive it: the same few actions in Chromium, Firefox and WebKit.

/** A tab. What is to be found must be there within 20 s, or the action throws. */
export interface Tab {
  /** Resolves when the page has loaded. */
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  /** The value of a JavaScript expression in the page; it must be plain JSON. */
  evaluate<Value>(expression: string): Promise<Value>;
  /** Waits until the expression is true in the page. */
  waitFor(expression: string): Promise<void>;
  /** Clicks the element with a real pointer. */
  click(selector: string): Promise<void>;
  /** Replaces what the field holds, by typing. */
  fill(selector: string, text: string): Promise<void>;
}

/** A running browser with a profile of its own, which all its tabs share. */
export interface EngineBrowser {
  openTab(): Promise<Tab>;
  close(): Promise<void>;
}

export interface Engine {
  readonly name: 'Chromium' | 'Firefox' | 'WebKit';
  /** Why it cannot be driven here, and what to install; undefined when it can. */
  readonly missing: string | undefined;
  launch(): Promise<EngineBrowser>;
}

/** How long a tab waits for what is to be found. */
export const WAIT_MS = 20_000;
