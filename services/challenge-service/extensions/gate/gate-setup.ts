// The gate of this node, loaded from its configuration.

import { ConfigurationError } from '@tollgate/shared/config/environment.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import { readJsonSource } from '../../src/json-source.js';
import { type GateOptions, resolveGateOptions } from './gate-options.js';
import type { NameResolver } from './robot-names.js';
import { systemResolver } from './system-resolver.js';

/** The part of the configuration that the gate is loaded from. */
export interface GateConfig {
  readonly values: {
    readonly GATE?: string | undefined;
    readonly TRUST_PROXY?: readonly string[] | undefined;
  };
  readonly captcha: CaptchaOptions;
}

/** The gate before it is opened. */
export interface GateSetup {
  readonly options: GateOptions;
  readonly resolver: NameResolver;
}

/**
 * Loads `GATE`. Returns undefined if it is not set.
 * @param root folder that a relative path starts from
 * @throws ConfigurationError with a line for each mistake
 */
export function loadGateSetup({ values, captcha }: GateConfig, root: string): GateSetup | undefined {
  if (values.GATE === undefined) return undefined;
  const resolved = resolveGateOptions(readGate(values.GATE, root));
  const mistakes = (resolved.mistakes ?? []).map((line) => `GATE ${line}`);
  if ((values.TRUST_PROXY ?? []).length === 0) {
    mistakes.push(
      'GATE needs TRUST_PROXY: without it every visitor has the address of the gateway that asks',
    );
  }
  if (resolved.options?.image === false && !captcha.pow.enabled) {
    mistakes.push(
      'GATE needs CAPTCHA_POW_ENABLED=true, or its option image: without both it asks for nothing',
    );
  }
  if (mistakes.length > 0 || resolved.options === undefined) throw new ConfigurationError(mistakes);
  return { options: resolved.options, resolver: systemResolver() };
}

function readGate(value: string, root: string): unknown {
  try {
    return readJsonSource(value, root);
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigurationError([`GATE ${error.message}`]);
    throw error;
  }
}
