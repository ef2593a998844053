// Script start: installs the globals, calls `onload`, then renders the elements of the vendor's class.

import { callbackOf, callLater } from '../callbacks.js';
import type { ScriptParameters } from '../script-tag.js';

/** Property that records the installed vendors of a page: a script may be loaded again. */
const installed = Symbol.for('tollgate.drop-in');

type Globals = Record<PropertyKey, unknown>;
const globals = globalThis as unknown as Globals;

/** Interface of one vendor. */
export interface Installation {
  /** Names and objects of the globals. */
  readonly api: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  renderAll(): void;
}

/**
 * Installs a vendor's globals, all methods at once; extends a stub of the page. Calls `onload` and renders the page's
 * elements in tasks after the script's `load` event.
 * @param create called once per page, even if the script is loaded again
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

/** Calls the function named in the tag once; waits for one that the page defines further down. */
export function callOnload({ onload }: ScriptParameters): void {
  if (onload === undefined) return;
  // Browsers fire the script's `load` event after it has run and before the next task.
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

/** The page may have set an object before, which other scripts refer to. */
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

/** Runs the calls that the page has queued in its stub. */
export function callQueue(): void {
  const queue = (globals.___grecaptcha_cfg as { fns?: unknown } | undefined)?.fns;
  if (!Array.isArray(queue)) return;
  for (const callback of queue.splice(0)) callLater(callback);
}
