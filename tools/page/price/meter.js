// The meter: follows a form's challenges, and draws their price and the progress of their work.
import { find } from '../find.js';
import { translate } from '../i18n.js';
import { createCadence } from './cadence.js';
import { measureSpeed } from './measure-speed.js';
import { createPriceView } from './price-view.js';
import { createWorkFigures } from './work-figures.js';
import { createWorkLog } from './work-log.js';

/**
 * @param {object} deps
 * @param {import('./request-log.js').RequestLog} deps.log
 * @param {import('../client/challenge.js').Solver} deps.solver
 * @param {import('./price-terms.js').PriceTerms} deps.terms
 * @param {(times: number, captcha: 'image' | 'effort' | null) => void} deps.onPrice called with each drawing: the next price
 *   as a multiple of the first, and what it requires besides work
 */
export function createMeter({ log, solver, terms, onPrice }) {
  const price = createPriceView(terms);
  const figures = createWorkFigures();
  const drawProgress = createCadence(showProgress);
  let stop = () => undefined;
  let measuring;

  find('measure').addEventListener('click', measure);

  function showPrice({ status, work, captcha, captchaRequired }) {
    showButton(status !== 'solving');
    if (work !== null) price.showPrice(work.difficulty);
    onPrice(price.times, captcha?.kind ?? (captchaRequired ? 'image' : null));
  }

  function showProgress({ progress, how, effort }) {
    if (progress !== null) figures.showProgress(progress);
    if (how !== null) figures.showSolver(how);
    price.showParts(effort);
  }

  function progressOf({ work, solver: how, captcha }) {
    const effort = captcha?.kind === 'effort' ? captcha : null;
    return { progress: effort !== null && !effort.solved ? effort.progress : work, how, effort };
  }

  async function measure() {
    if (find('measure').ariaDisabled === 'true') return;
    measuring = new AbortController();
    showButton(false);
    await measureSpeed(solver, measuring.signal, (progress) =>
      drawProgress({ progress, how: progress.state, effort: null }),
    );
    measuring = undefined;
    showButton(true);
  }

  function showButton(isFree) {
    const button = find('measure');
    button.ariaDisabled = String(!isFree || measuring !== undefined);
    button.textContent = translate(measuring ? 'measuring' : 'measure');
  }

  return {
    /** Displays a form's challenges instead of those of the previous form. */
    follow(challenge) {
      stop();
      const write = createWorkLog(log);
      let last = '';
      stop = challenge.subscribe(() => {
        const { state } = challenge;
        // The form takes precedence.
        if (state.status === 'solving') measuring?.abort();
        write(state);
        drawProgress(progressOf(state));
        const { status, work, captcha, captchaRequired } = state;
        const now = [status, work?.difficulty, captcha?.kind, captchaRequired].join(' ');
        // Rare, and immediate: the user is waiting for it.
        if (now !== last) showPrice(state);
        last = now;
      });
    },
  };
}
