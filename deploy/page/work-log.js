// Writes into the log what has been solved, once.
import { count } from './format.js';
import { say } from './i18n.js';

/**
 * @param {import('./request-log.js').RequestLog} log
 * @returns {(state: import('./client/challenge.js').ChallengeState) => void} to be told each state of one form
 */
export function createWorkBook(log) {
  let written;
  let effortSinceMs;

  function writeEffort({ parts, progress: { difficulty: bits } }) {
    const hashes = say('hashes', { count: count(parts * 2 ** bits) });
    log.addWork(say('solved_parts', { parts, bits }), `≈ ${hashes}`, performance.now() - effortSinceMs);
  }

  return ({ status, work, captcha }) => {
    const effort = captcha?.kind === 'effort' ? captcha : null;
    if (effort?.solved && effortSinceMs !== undefined) writeEffort(effort);
    effortSinceMs = effort === null || effort.solved ? undefined : (effortSinceMs ?? performance.now());
    if (status !== 'ready' || work === null || work === written) return;
    written = work;
    const hashes = say('hashes', { count: count(work.hashes) });
    log.addWork(say('solved', { bits: work.difficulty }), hashes, work.ms);
  };
}
