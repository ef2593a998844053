// The line that says what to try next, and the step of the visit that the layout follows.
import { find } from './find.js';
import { count } from './format.js';
import { setText, translate } from './i18n.js';

export function createTryNext() {
  let step = 'start';
  let isSignedIn = false;
  let times = 1;

  function show() {
    document.body.dataset.step = isSignedIn ? 'in' : step;
    setText(find('try-words'), translate(isSignedIn ? 'try_in' : `try_${step}`, { times: count(times) }));
  }

  show();
  return {
    /**
     * @param {number} nowTimes how many times the first price the next attempt costs
     * @param {'image' | 'effort' | null} captcha what it takes besides work
     */
    showPrice(nowTimes, captcha) {
      const next = captcha ?? (nowTimes > 1 ? 'raised' : 'start');
      if (next === step && nowTimes === times) return;
      step = next;
      times = nowTimes;
      show();
    },
    /** @param {boolean} isIn */
    showSignedIn(isIn) {
      isSignedIn = isIn;
      show();
    },
  };
}
