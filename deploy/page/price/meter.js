// The meter: follows the challenges of a form, and draws their price and the progress of their work.
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
 * @param {(times: number, isImage: boolean) => void} deps.onPrice called with each drawing: how many times the first
 *   price the next attempt costs, and whether it takes an image
 */
export function createMeter({ log, solver, terms, onPrice }) {
  const price = createPriceView(terms);
  const figures = createWorkFigures();
  const draw = createCadence(drawState);
  const drawMeasurement = createCadence(drawProgress);
  let stop = () => undefined;
  let measuring;

  find('measure').addEventListener('click', measure);

  function drawState({ status, work, solver: how, captcha, captchaRequired }) {
    showButton(status !== 'solving');
    const effort = captcha?.kind === 'effort' ? captcha : null;
    if (work !== null) price.showPrice(work.difficulty);
    if (effort !== null && !effort.solved) figures.showProgress(effort.progress);
    else if (work !== null) figures.showProgress(work);
    if (how !== null) figures.showSolver(how);
    price.showParts(effort);
    onPrice(price.times, captchaRequired || captcha !== null);
  }

  function drawProgress(progress) {
    figures.showProgress(progress);
    figures.showSolver(progress.state);
  }

  async function measure() {
    if (find('measure').ariaDisabled === 'true') return;
    measuring = new AbortController();
    showButton(false);
    await measureSpeed(solver, measuring.signal, drawMeasurement);
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
        const { state } = challenge;
        // The form takes precedence.
        if (state.status === 'solving') measuring?.abort();
        write(state);
        draw(state);
      });
    },
  };
}
