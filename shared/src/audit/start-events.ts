// What a process tells of itself when it starts, so that changed keys and options stand in the audit stream.

import type { AuditTrail } from './audit-trail.js';

/**
 * Writes `service_started` and, in test mode, `test_mode_on`.
 * @param about.keys key ids by the variable of their list, in its order
 * @param about.options hash of the options of the challenges
 */
export function writeStartEvents(
  trail: AuditTrail,
  about: {
    readonly keys: Readonly<Record<string, string[]>>;
    readonly options: string;
    readonly isTestMode: boolean;
  },
): void {
  const { keys, options, isTestMode } = about;
  trail.write({ event: 'service_started', keys, options });
  if (isTestMode) trail.write({ event: 'test_mode_on' });
}
