// The toll meter: the current price of an attempt, and the progress of its work.

import { find } from './find.js';
import { count, milliseconds, speed } from './format.js';
import { translate } from './i18n.js';
import { measureSpeed } from './measure-speed.js';
import { createWorkLog } from './work-log.js';

const bitsShown = 32;

/**
 * @param {import('./request-log.js').RequestLog} log
 * @param {import('./client/challenge.js').Solver} solver
 */
export function createMeter(log, solver) {
  const zeros = fill(find('zeros'), bitsShown);
  let firstDifficulty;
  let bestSpeed = 0;
  let stop = () => undefined;
  let measuring;

  find('measure').addEventListener('click', measure);

  function showPrice({ difficulty }) {
    firstDifficulty = Math.min(firstDifficulty ?? difficulty, difficulty);
    const hashes = count(2 ** difficulty);
    find('bits').textContent = difficulty;
    find('bits-unit').textContent = translate('bits');
    find('price-words').textContent = translate('price_words', { bits: difficulty, hashes });
    for (const name of ['price-now', 'zeros']) find(name).hidden = false;
    find('zeros').ariaLabel = translate('zeros', { bits: difficulty });
    zeros.forEach((cell, at) => {
      cell.className = at >= difficulty ? '' : at < firstDifficulty ? 'zero' : 'zero dearer';
    });
    const raised = find('raised');
    raised.hidden = difficulty === firstDifficulty;
    raised.textContent = translate('raised', { times: count(2 ** (difficulty - firstDifficulty)) });
  }

  function showProgress({ hashes, ms }) {
    if (hashes === 0) return;
    // Below that, messages to the workers take longer than the hashes.
    const isMeasured = ms >= 100;
    if (isMeasured) bestSpeed = Math.max(bestSpeed, hashes / ms);
    find('tried').textContent = translate('hashes', { count: count(hashes) });
    find('speed').textContent = isMeasured ? speed(hashes / ms) : '–';
    find('took').textContent = milliseconds(ms);
    if (bestSpeed > 0) find('best-speed').textContent = speed(bestSpeed);
  }

  function showSolver({ path, workers, degraded }) {
    find('solver').textContent = translate(`path_${path}`);
    find('workers').textContent = workers === 0 ? translate('no_workers') : count(workers);
    const warning = find('degraded');
    if (warning.hidden !== degraded) return;
    warning.hidden = !degraded;
    const why = { js: 'no_wasm', wasm: 'no_simd', simd: 'fewer_workers' }[path];
    warning.textContent = degraded
      ? translate('degraded') + translate(workers === 0 ? 'no_worker' : why)
      : '';
  }

  function showParts(effort) {
    const row = find('parts');
    const words = find('parts-words');
    row.hidden = effort === null;
    words.hidden = effort === null;
    if (effort === null) return;
    const { part, parts } = effort;
    const cells = row.children.length === parts ? [...row.children] : fill(row, parts);
    cells.forEach((cell, at) => {
      cell.className = at < part ? 'done' : at === part ? 'now' : '';
    });
    words.textContent = translate('parts', { part, parts });
  }

  async function measure() {
    if (find('measure').ariaDisabled === 'true') return;
    measuring = new AbortController();
    showButton(false);
    await measureSpeed(solver, measuring.signal, (progress) => {
      showProgress(progress);
      showSolver(progress.state);
    });
    measuring = undefined;
    showButton(true);
  }

  function showButton(isFree) {
    const button = find('measure');
    button.ariaDisabled = String(!isFree || measuring !== undefined);
    button.textContent = translate(measuring ? 'measuring' : 'measure');
  }

  return {
    /** Displays the challenges of a form instead of those of the form before. */
    follow(challenge) {
      stop();
      const write = createWorkLog(log);
      stop = challenge.subscribe(() => {
        const { status, work, solver: how, captcha } = challenge.state;
        // The form takes precedence.
        if (status === 'solving') measuring?.abort();
        showButton(status !== 'solving');
        const effort = captcha?.kind === 'effort' ? captcha : null;
        if (work !== null) showPrice(work);
        if (effort !== null && !effort.solved) showProgress(effort.progress);
        else if (work !== null) showProgress(work);
        if (how !== null) showSolver(how);
        showParts(effort);
        write(challenge.state);
      });
    },
  };
}

/** Fills a row with empty cells. */
function fill(row, cells) {
  row.replaceChildren(...Array.from({ length: cells }, () => document.createElement('span')));
  return [...row.children];
}
