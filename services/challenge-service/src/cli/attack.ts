// captcha attack: raises the price of work by hand for all processes, ends that, and prints the status.

import { levelAt, levelBits, loadLevels, NO_LOAD } from '@tollgate/shared/pow';
import {
  type KnownLoad,
  type LoadRecord,
  openLoadRecord,
  parseLoadState,
  withConnectedStore,
} from '@tollgate/shared/store';
import { readLoadConfig } from '../config.js';
import { PROJECT_ROOT } from '../project-root.js';

/** The parsed command. `bits` and `minutes` have been checked. */
export type AttackCommand =
  | { readonly state: 'on'; readonly bits: number; readonly minutes: number }
  | { readonly state: 'off' }
  | { readonly state: 'status' };

/** The name under which this command reads. It reports nothing. */
const READER = 'command';

/**
 * Runs the command on the store of the challenges and returns the lines to print.
 * @throws ConfigurationError or StoreUnavailableError
 */
export async function attack(
  command: AttackCommand,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { captcha, storeUrl, storeVariable } = readLoadConfig(env);
  return withConnectedStore(storeVariable, storeUrl, PROJECT_ROOT, async (store) => {
    const record = openLoadRecord(store, captcha.cache.prefix);
    if (command.state === 'on') return turnOn(record, command);
    if (command.state === 'off') {
      const wasOn = await record.raise(0, 0);
      return wasOn ? 'the price is no longer raised by hand' : 'the price was not raised by hand';
    }
    return describe(await record.report(READER), captcha);
  });
}

async function turnOn(
  record: LoadRecord,
  { bits, minutes }: AttackCommand & { state: 'on' },
): Promise<string> {
  await record.raise(bits, minutes * 60_000);
  return `work costs ${bits} bits more for ${minutes} minutes; end it sooner with: captcha attack off`;
}

function describe(
  known: KnownLoad,
  { load_levels, pow }: ReturnType<typeof readLoadConfig>['captcha'],
): string {
  const { byHand, sum } = known;
  const levels = loadLevels(load_levels);
  const level = Math.min(levels.length, levelAt(parseLoadState(known.stateText) ?? NO_LOAD, known.nowMs));
  const byLoad = levelBits(levels, level);
  const floor = Math.min(pow.max_difficulty, pow.difficulty + Math.max(byLoad, byHand?.bits ?? 0));
  const hand =
    byHand === null ? 'no' : `${byHand.bits} bits for another ${Math.ceil(byHand.leftMs / 60_000)} minutes`;
  const { passwords, drawings } = sum.queues;
  return [
    `by hand: ${hand}`,
    `by load: ${levels.length === 0 ? 'off (CAPTCHA_LOAD_LEVELS)' : `level ${level} of ${levels.length}, ${byLoad} bits`}`,
    `floor: ${floor} bits, ${pow.difficulty} without it`,
    `processes with work: ${sum.processes}; in the last second ${sum.issued} challenges issued, ${sum.refused} rejected`,
    `load: passwords ${passwords.toFixed(2)}, drawings ${drawings.toFixed(2)} (1 is full capacity, at 2 they reject)`,
  ].join('\n');
}
