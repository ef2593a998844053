// Starts a worker, also on pages that require Trusted Types.

/** Policy name for pages that require Trusted Types: `trusted-types tollgate` (W3C Trusted Types). */
const POLICY_NAME = 'tollgate';

/** A variable, because bundlers treat a literal here as a second file to copy. */
const workerFile = './worker.js';

interface ScriptUrlPolicy {
  createScriptURL(url: string): string;
}

interface TrustedTypesWindow {
  readonly trustedTypes: { createPolicy(name: string, rules: ScriptUrlPolicy): ScriptUrlPolicy };
}

const rules: ScriptUrlPolicy = { createScriptURL: (url) => url };
let policy: ScriptUrlPolicy | undefined;
let isPlainUrlRefused = false;

/**
 * @param workerUrl worker file; by default the one beside this module, which bundlers find and move
 * @throws the browser's error if it rejects the worker at once
 */
export function openWorker(workerUrl?: string | URL): Worker {
  const given = workerUrl ?? (isPlainUrlRefused ? new URL(workerFile, import.meta.url) : undefined);
  if (given !== undefined) {
    policy ??= createPolicy();
    return new Worker(policy.createScriptURL(String(given)), { type: 'module' });
  }
  try {
    // Bundlers detect exactly this expression.
    return new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  } catch {
    // Browsers throw only for a page that requires Trusted Types; other failures are events.
    isPlainUrlRefused = true;
    return openWorker();
  }
}

function createPolicy(): ScriptUrlPolicy {
  try {
    return (globalThis as unknown as TrustedTypesWindow).trustedTypes.createPolicy(POLICY_NAME, rules);
  } catch {
    // The browser has no Trusted Types, or the page allows no such policy.
    return rules;
  }
}
