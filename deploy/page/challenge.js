// A proof of work for one submission: fetched, solved in a worker, renewed when it is too old.

/** A challenge is given up this long before its end, so that it does not expire on the way. */
const marginMs = 5_000;
const touchCountsMs = 120_000;

/**
 * @param {object} options
 * @param {(method: string, path: string) => Promise<object>} options.call
 * @param {string} options.prefix path prefix of the challenge routes
 * @param {(state: { status: 'idle' | 'solving' | 'ready' | 'error', difficulty?: number, tries?: number,
 *   ms?: number, chance?: number, answer?: object }) => void} options.show told of every change; `chance` is how
 *   probable it was to be done by now, `answer` the refusal of the service
 */
export function createWork({ call, prefix, show }) {
  let current;
  let worker;
  let solving;
  let expiry;
  let scope = '';
  let touchedMs = Number.NEGATIVE_INFINITY;

  function begin() {
    solving ??= solve().finally(() => {
      solving = undefined;
    });
    return solving;
  }

  async function solve() {
    drop();
    show({ status: 'solving' });
    const answer = await call('GET', scope === '' ? `${prefix}/pow` : `${prefix}/pow?scope=${scope}`);
    if (!answer.ok) {
      show({ status: 'error', answer });
      return undefined;
    }
    const { token, salt, difficulty, expires_in: seconds } = answer.body;
    const untilMs = Date.now() + seconds * 1000 - marginMs;
    const done = await search(salt, difficulty);
    if (done === undefined) {
      show({ status: 'error', answer: { body: { message: 'This work is beyond this browser.' } } });
      return undefined;
    }
    current = { pow_token: token, pow_nonce: done.nonce, untilMs };
    show({ status: 'ready', difficulty, chance: 1, ...done });
    expiry = setTimeout(expire, untilMs - Date.now());
    return current;
  }

  /** One worker serves every challenge: what it has compiled stays fast. */
  function search(salt, difficulty) {
    worker ??= new Worker(new URL('solver.js', import.meta.url), { type: 'module' });
    return new Promise((resolve) => {
      worker.onerror = () => resolve(undefined);
      worker.onmessage = ({ data }) => {
        const chance = 1 - Math.exp(-data.tries / 2 ** difficulty);
        if (data.nonce !== undefined || data.gaveUp) resolve(data.gaveUp ? undefined : data);
        else show({ status: 'solving', difficulty, chance, ...data });
      };
      worker.postMessage({ salt, difficulty });
    });
  }

  function expire() {
    drop();
    show({ status: 'idle' });
    if (document.visibilityState === 'visible' && Date.now() - touchedMs < touchCountsMs) begin();
  }

  function drop() {
    clearTimeout(expiry);
    current = undefined;
  }

  const isFresh = () => current !== undefined && Date.now() < current.untilMs;

  return {
    /** Work is priced for the account of this ticket from now on, as a refusal says; without one as for anybody. */
    priceFor(ticket = '') {
      scope = ticket;
    },
    /** Fetches and solves a new challenge, for a form that has just been shown or submitted. */
    renew: begin,
    /** The person is at the form: work that has become too old is done again. */
    touch() {
      touchedMs = Date.now();
      if (!isFresh()) begin();
    },
    /** The two fields for a submission, waited for; nothing when there is no work to be had. Handed out once. */
    async take() {
      const work = isFresh() ? current : await begin();
      drop();
      if (work) show({ status: 'idle' });
      return work && { pow_token: work.pow_token, pow_nonce: work.pow_nonce };
    },
  };
}
