// What happens once the script has run: the globals stand, then `onload`, then the elements of the class are rendered.

import { callbackOf, callLater } from '../callbacks.js';
import type { ScriptParameters } from '../script-tag.js';

/** Where the scripts of this page keep what they have installed: a script may be loaded again. */
const installed = Symbol.for('tollgate.drop-in');

type Globals = Record<PropertyKey, unknown>;
const globals = globalThis as unknown as Globals;

/** What a script installs for one vendor. */
export interface Installation {
  /** The names of the globals, with the object of each. */
  readonly api: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  renderAll(): void;
}

/**
 * Installs the globals of a vendor, all methods at once; a stub of the page is extended. Calls `onload`, and renders what the
 * page has, in tasks after the `load` event of the script.
 * @param create called once in a page, however often the script is loaded
 */
export function install(vendor: string, script: ScriptParameters, create: () => Installation): void {
  const known = (globals[installed] ?? {}) as Record<string, Installation>;
  const installation = known[vendor] ?? create();
  Object.defineProperty(globals, installed, {
    value: { ...known, [vendor]: installation },
    configurable: true,
  });
  for (const [name, api] of Object.entries(installation.api)) extend(name, api);
  if (script.render === 'onload') onceParsed(installation.renderAll);
}

/** Calls the function that the tag names, once; one that the page defines further down is waited for. */
export function callOnload({ onload }: ScriptParameters): void {
  if (onload === undefined) return;
  // The browser fires `load` at the script after it has run, and before another task.
  setTimeout(() => {
    if (callbackOf(onload) !== undefined) callLater(onload);
    else onceParsed(() => callLater(onload));
  });
}

/** Calls back in a later task, once the document is parsed. */
export function onceParsed(callback: () => void): void {
  if (document.readyState !== 'loading') setTimeout(callback);
  else document.addEventListener('DOMContentLoaded', () => setTimeout(callback), { once: true });
}

/** Pages may have put an object there before, which other scripts hold. */
function extend(name: string, api: Readonly<Record<string, unknown>>): void {
  const present = globals[name];
  if (typeof present !== 'object' || present === null) {
    globals[name] = { ...api };
    return;
  }
  for (const [method, value] of Object.entries(api)) {
    const inside = (present as Globals)[method];
    const isObject = typeof value === 'object' && typeof inside === 'object' && inside !== null;
    if (isObject) Object.assign(inside, value);
    else (present as Globals)[method] = value;
  }
}

/** Calls what a page has asked of its stub before the script came. */
export function callQueue(): void {
  const queue = (globals.___grecaptcha_cfg as { fns?: unknown } | undefined)?.fns;
  if (!Array.isArray(queue)) return;
  for (const callback of queue.splice(0)) callLater(callback);
}
