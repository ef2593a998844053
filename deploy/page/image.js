// The image of a sign-in that has failed too often: shown, renewed, and never replaced under the user's hands.
import { element } from './view.js';

/**
 * @param {object} options
 * @param {(method: string, path: string) => Promise<object>} options.call
 * @param {string} options.prefix path prefix of the challenge routes
 */
export function createImage({ call, prefix }) {
  const part = element('image-part');
  const input = element('captcha');
  const hint = element('captcha-hint');
  let token;
  let expiry;

  return {
    isShown: () => !part.hidden,
    /** The fields of a submission; none while no image is shown. */
    fields: () => (part.hidden ? {} : { captcha_token: token ?? '', captcha: input.value }),
    /** Shows a new image and empties its field; resolves with the answer of the service. */
    async renew() {
      const answer = await call('GET', prefix);
      part.hidden = false;
      if (!answer.ok) return answer;
      token = answer.body.token;
      element('image').src = answer.body.url;
      input.value = '';
      hint.textContent = 'Capitals do not matter.';
      clearTimeout(expiry);
      expiry = setTimeout(() => {
        hint.textContent = 'This image is too old by now. Please ask for a new one.';
      }, answer.body.expires_in * 1000);
      return answer;
    },
    hide() {
      clearTimeout(expiry);
      part.hidden = true;
      token = undefined;
      input.value = '';
    },
  };
}
