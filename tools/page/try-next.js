// The suggestion for the next step, and the stage of the visit for the layout.
import { find } from './find.js';
import { count } from './format.js';
import { setText, translate } from './i18n.js';

export function createTryNext() {
  let step = 'start';
  let isSignedIn = false;
  let times = 1;
  let isRefused = false;
  let captchaKind = null;

  function show() {
    document.body.dataset.step = isSignedIn ? 'in' : step;
    setText(find('try-words'), translate(isSignedIn ? 'try_in' : `try_${step}`, { times: count(times) }));
  }

  function choose(nowTimes) {
    const raised = isRefused ? 'raised' : 'dearer';
    const next = captchaKind ?? (nowTimes > 1 ? raised : 'start');
    if (next === step && nowTimes === times) return;
    step = next;
    times = nowTimes;
    show();
  }

  show();
  return {
    /**
     * @param {number} nowTimes the next price as a multiple of the first
     * @param {'image' | 'effort' | null} captcha requirement besides work
     */
    showPrice(nowTimes, captcha) {
      captchaKind = captcha;
      choose(nowTimes);
    },
    /** Before the first rejection, only the address can have raised the price. */
    showRefused() {
      isRefused = true;
      choose(times);
    },
    /** @param {boolean} isIn */
    showSignedIn(isIn) {
      isSignedIn = isIn;
      if (isIn) isRefused = false;
      show();
    },
  };
}
