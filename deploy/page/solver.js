// The worker: searches for the nonce away from the page, and says how far it is.
import { prepareSearch } from './work.js';

const guessesAtOnce = 50_000;
const reportEveryMs = 100;
/** Beyond this the challenge is beyond a browser (the client's `maxHashes`). */
const mostGuesses = 300_000_000;

addEventListener('message', ({ data: { salt, difficulty } }) => {
  const search = prepareSearch(salt);
  const startedMs = performance.now();
  let reportedMs = startedMs;
  for (let tries = 0; tries < mostGuesses; tries += guessesAtOnce) {
    const nonce = search(difficulty, tries, guessesAtOnce);
    const nowMs = performance.now();
    if (nonce !== undefined) {
      // The search counts up from the nonce 100000000000.
      const guesses = tries + ((Number(nonce) - 1e11 - tries) % guessesAtOnce) + 1;
      postMessage({ nonce, tries: guesses, ms: nowMs - startedMs });
      return;
    }
    if (nowMs - reportedMs >= reportEveryMs) {
      reportedMs = nowMs;
      postMessage({ tries: tries + guessesAtOnce, ms: nowMs - startedMs });
    }
  }
  postMessage({ gaveUp: true });
});
