// Every client's use of challenges: fetches work and images, and submits spent ones again.
import { type SolvedWork, solveWork, type Work } from './solve-work.js';
import type { Actor, World } from './world.js';

const CHALLENGES = '/api/captcha';

/** Responses that show that a submission's work was accepted, and so is spent. */
const SPENT = ['200', '422 login_failed', '422 captcha_required', '422 pow_insufficient'];

/** Used in about four seconds. */
const MOST_IN_STOCK = 30;

/** Fetches and solves work. @param ticket that of the account, for its price */
export async function fetchWork(world: World, ticket?: string): Promise<SolvedWork | undefined> {
  const query = ticket === undefined ? '' : `?scope=${encodeURIComponent(ticket)}`;
  const answer = await world.ask('issue', { method: 'GET', path: `${CHALLENGES}/pow${query}` }, ['200']);
  return answer.status === 200 ? solveWork(answer.json as Work) : undefined;
}

/** Takes work fetched a while ago, as a page that is open before it is sent; fetches a replacement. */
export async function takeWork(world: World): Promise<SolvedWork | undefined> {
  await issue(world);
  return world.stock.shift();
}

/** Fetches an image, whose answer is returned in test mode. */
export async function fetchImage(
  world: World,
): Promise<{ captcha_token: string; captcha: string } | undefined> {
  const answer = await world.ask('issue image', { method: 'GET', path: CHALLENGES }, ['200']);
  if (answer.status !== 200) return undefined;
  return { captcha_token: answer.json.token, captcha: answer.json.answer };
}

/** Records the result for the challenges of a login. */
export function noteSubmission(
  world: World,
  fields: Readonly<Record<string, string>>,
  label: string,
  isUnknown: boolean,
): void {
  const { ledger } = world;
  if (SPENT.includes(label)) ledger.spent.add({ to: 'login', fields });
  else if (label === POW_INVALID) noteLostWork(world);
  else if (isUnknown) ledger.noteUnknown('submissions');
}

/** The response to work that is unknown, spent or wrong. */
export const POW_INVALID = '422 pow_invalid';

/** Records the rejection of issued, solved and never submitted work. */
export function noteLostWork({ ledger }: World): void {
  ledger.noteMistake('issued work lost', 'it was rejected when first submitted');
}

/** Fetches work for later. */
export const issue: Actor = async (world) => {
  const work = await fetchWork(world);
  if (work !== undefined && world.stock.length < MOST_IN_STOCK) world.stock.push(work);
};

/** Submits accepted work again: it must be rejected. */
export const offerAgain: Actor = async (world) => {
  const submission = world.random.pick(world.ledger.spent.items);
  if (submission === undefined) return;
  await isRefusedAgain(world, submission.to, submission.fields);
};

/**
 * Submits spent challenges again, for an account that nobody uses.
 * @returns undefined if the response is inconclusive
 */
export async function isRefusedAgain(
  world: World,
  to: 'login' | 'application',
  fields: Readonly<Record<string, string>>,
): Promise<boolean | undefined> {
  const { ask, ledger, hostApiKey, hostApiUrls } = world;
  if (to === 'application') {
    const headers = { authorization: `Bearer ${hostApiKey}` };
    const body = { submission: fields };
    const sent = { method: 'POST', path: '/host/verify', headers, body } as const;
    const answer = await ask('check again', sent, ['200'], hostApiUrls);
    if (answer.status !== 200) return undefined;
    if (answer.json.success) ledger.noteMistake('spent work accepted again', 'by the host API');
    return answer.json.success === false;
  }
  const email = `nobody-${ledger.nextId()}@example.com`;
  const body = { email, password: 'not a password', ...fields };
  const answer = await ask('check again', { method: 'POST', path: '/login', body }, [POW_INVALID]);
  if (SPENT.includes(answer.label)) {
    ledger.noteMistake('spent work accepted again', `by the login: ${answer.label}`);
    return false;
  }
  return answer.label === POW_INVALID ? true : undefined;
}
