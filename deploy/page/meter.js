// The toll meter: what an attempt costs now, and how the work for it goes.
import { count, milliseconds, speed } from './format.js';
import { find } from './find.js';
import { measureSpeed } from './measure-speed.js';
import { say } from './i18n.js';
import { createWorkBook } from './work-log.js';

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
    find('bits-unit').textContent = say('bits');
    find('price-words').textContent = say('price_words', { bits: difficulty, hashes });
    for (const name of ['price-now', 'zeros']) find(name).hidden = false;
    find('zeros').ariaLabel = say('zeros', { bits: difficulty });
    zeros.forEach((cell, at) => {
      cell.className = at >= difficulty ? '' : at < firstDifficulty ? 'zero' : 'zero dearer';
    });
    const raised = find('raised');
    raised.hidden = difficulty === firstDifficulty;
    raised.textContent = say('raised', { times: count(2 ** (difficulty - firstDifficulty)) });
  }

  function showProgress({ hashes, ms }) {
    if (hashes === 0) return;
    // In less time a message to the worker counts for more than the hashes.
    const isMeasured = ms >= 100;
    if (isMeasured) bestSpeed = Math.max(bestSpeed, hashes / ms);
    find('tried').textContent = say('hashes', { count: count(hashes) });
    find('speed').textContent = isMeasured ? speed(hashes / ms) : '–';
    find('took').textContent = milliseconds(ms);
    if (bestSpeed > 0) find('best-speed').textContent = speed(bestSpeed);
  }

  function showSolver({ path, workers, degraded }) {
    find('solver').textContent = say(`path_${path}`);
    find('workers').textContent = workers === 0 ? say('no_workers') : count(workers);
    const warning = find('degraded');
    if (warning.hidden !== degraded) return;
    warning.hidden = !degraded;
    const why = { js: 'no_wasm', wasm: 'no_simd', simd: 'fewer_workers' }[path];
    warning.textContent = degraded ? say('degraded') + say(workers === 0 ? 'no_worker' : why) : '';
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
    words.textContent = say('parts', { part, parts });
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
    button.textContent = say(measuring ? 'measuring' : 'measure');
  }

  return {
    /** Shows the challenges of a form, until those of another are to be shown. */
    follow(challenge) {
      stop();
      const write = createWorkBook(log);
      stop = challenge.subscribe(() => {
        const { status, work, solver: how, captcha } = challenge.state;
        // The form goes first.
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

/** Puts so many empty cells into a row. */
function fill(row, cells) {
  row.replaceChildren(...Array.from({ length: cells }, () => document.createElement('span')));
  return [...row.children];
}
