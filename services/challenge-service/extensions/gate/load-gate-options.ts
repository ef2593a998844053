// Loads the options of the gate from its variable.

import { ConfigurationError } from '@tollgate/shared/config';
import { readJsonSource } from '../../src/json-source.js';
import { type GateOptions, resolveGateOptions } from './gate-options.js';

/** Settings that the options must agree with. */
interface GateSurroundings {
  /** `TRUST_PROXY` */
  readonly trustedProxies: readonly string[];
  /** `CAPTCHA_POW_ENABLED` */
  readonly hasWork: boolean;
  /** Folder that a relative path starts from. */
  readonly root: string;
}

/**
 * Loads the options.
 * @param value of `GATE`
 * @throws ConfigurationError with a line for each mistake
 */
export function loadGateOptions(
  value: string,
  { trustedProxies, hasWork, root }: GateSurroundings,
): GateOptions {
  const resolved = resolveGateOptions(readGate(value, root));
  const mistakes = (resolved.mistakes ?? []).map((line) => `GATE ${line}`);
  if (trustedProxies.length === 0) {
    mistakes.push("GATE needs TRUST_PROXY: without it every visitor has the gateway's address");
  }
  if (resolved.options?.image === false && !hasWork) {
    mistakes.push(
      'GATE needs CAPTCHA_POW_ENABLED=true, or its option image: without both it requires nothing',
    );
  }
  if (mistakes.length > 0 || resolved.options === undefined) throw new ConfigurationError(mistakes);
  return resolved.options;
}

function readGate(value: string, root: string): unknown {
  try {
    return readJsonSource(value, root);
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigurationError([`GATE ${error.message}`]);
    throw error;
  }
}
