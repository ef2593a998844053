// Logs each solved challenge once.
import { count } from '../format.js';
import { translate } from '../i18n.js';

/**
 * @param {import('./request-log.js').RequestLog} log
 * @returns {(state: import('../client/challenge.js').ChallengeState) => void} call it with each state of a form
 */
export function createWorkLog(log) {
  let written;
  let effortSinceMs;

  function writeEffort({ parts, progress: { difficulty: bits } }) {
    const hashes = translate('hashes', { count: count(parts * 2 ** bits) });
    log.addWork(translate('solved_parts', { parts, bits }), `≈ ${hashes}`, performance.now() - effortSinceMs);
  }

  return ({ status, work, captcha }) => {
    const effort = captcha?.kind === 'effort' ? captcha : null;
    if (effort?.solved && effortSinceMs !== undefined) writeEffort(effort);
    effortSinceMs = effort === null || effort.solved ? undefined : (effortSinceMs ?? performance.now());
    if (status !== 'ready' || work === null || work === written) return;
    written = work;
    const hashes = translate('hashes', { count: count(work.hashes) });
    log.addWork(translate('solved', { bits: work.difficulty }), hashes, work.ms);
  };
}
