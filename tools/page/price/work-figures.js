// Figures of the work: tries, time, speed and solver. A figure appears with its first value.
import { find } from '../find.js';
import { count, milliseconds, speed } from '../format.js';
import { translate } from '../i18n.js';

/** Below that, worker messages take longer than the hashes. */
const measurableMs = 100;

export function createWorkFigures() {
  let bestSpeed = 0;

  function set(id, text) {
    const place = find(id);
    place.textContent = text;
    place.parentElement.hidden = text === '';
  }

  return {
    /** @param {{ hashes: number, ms: number }} progress */
    showProgress({ hashes, ms }) {
      if (hashes === 0) return;
      const isMeasured = ms >= measurableMs;
      if (isMeasured) bestSpeed = Math.max(bestSpeed, hashes / ms);
      set('tried', translate('hashes', { count: count(hashes) }));
      set('took', milliseconds(ms));
      set('speed', isMeasured ? speed(hashes / ms) : '');
      set('best-speed', bestSpeed > 0 ? speed(bestSpeed) : '');
    },
    /** @param {import('../client/challenge.js').SolverState} state */
    showSolver({ path, workers, degraded }) {
      set('solver', translate(`path_${path}`));
      set('workers', workers === 0 ? translate('no_workers') : count(workers));
      const warning = find('degraded');
      if (warning.hidden !== degraded) return;
      warning.hidden = !degraded;
      const why = { js: 'no_wasm', wasm: 'no_simd', simd: 'fewer_workers' }[path];
      warning.textContent = degraded
        ? translate('degraded') + translate(workers === 0 ? 'no_worker' : why)
        : '';
    },
  };
}
