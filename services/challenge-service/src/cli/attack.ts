// captcha attack: raises the price of work by hand for all processes, ends that, and prints the status.

import { controlLoad, type LoadStatus, withExistingStore } from '@tollgate/shared/store';
import { readLoadConfig } from '../config.js';
import { PROJECT_ROOT } from '../project-root.js';

/** The parsed command. `bits` and `minutes` have been checked. */
export type AttackCommand =
  | { readonly state: 'on'; readonly bits: number; readonly minutes: number }
  | { readonly state: 'off' }
  | { readonly state: 'status' };

/**
 * Runs the command on the store of the challenges and returns the lines to print.
 * @throws ConfigurationError or StoreUnavailableError
 */
export async function attack(
  command: AttackCommand,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { captcha, storeUrl, storeVariable } = readLoadConfig(env);
  return withExistingStore(storeVariable, storeUrl, PROJECT_ROOT, async (store) => {
    const load = controlLoad(store, captcha);
    if (command.state === 'on') {
      const { bits, minutes } = command;
      await load.raise(bits, minutes * 60_000);
      return `work costs ${amount(bits, 'bit')} more for ${amount(minutes, 'minute')}; end it sooner with: captcha attack off`;
    }
    if (command.state === 'off') {
      const wasOn = await load.raise(0, 0);
      return wasOn ? 'the price is no longer raised by hand' : 'the price was not raised by hand';
    }
    return describe(await load.status(), captcha);
  });
}

function describe(
  { level, levels, bits, handLeftMs, sum }: LoadStatus,
  { pow }: ReturnType<typeof readLoadConfig>['captcha'],
): string {
  const floor = Math.min(pow.max_difficulty, pow.difficulty + Math.max(bits.load, bits.hand));
  const hand =
    bits.hand === 0
      ? 'no'
      : `${amount(bits.hand, 'bit')} for another ${amount(Math.ceil(handLeftMs / 60_000), 'minute')}`;
  const { passwords, drawings } = sum.queues;
  return [
    `by hand: ${hand}`,
    `by load: ${levels === 0 ? 'off (CAPTCHA_LOAD_LEVELS)' : `level ${level} of ${levels}, ${amount(bits.load, 'bit')}`}`,
    `floor: ${floor} bits, ${pow.difficulty} without it`,
    `processes with work: ${sum.processes}; in the last second ${sum.issued} challenges issued, ${sum.refused} rejected`,
    `load: passwords ${passwords.toFixed(2)}, drawings ${drawings.toFixed(2)} (1 is full capacity, at 2 they reject)`,
  ].join('\n');
}

function amount(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
