// A guessing attack on passwords, in the login and in an application of the host API: each attempt must be counted.
import type { GuessedAccount } from '../ledger/ledger.js';
import { fetchImage, fetchWork, noteLostWork, noteSubmission, POW_INVALID, takeWork } from './challenges.js';
import { type Actor, isUnknown, type World } from './world.js';

/** From the fifth failure on an account is throttled, and an application's third attempt would require an image. */
const MOST_ATTEMPTS = { login: 4, application: 2 } as const;

/** One wrong password. The price of the account's next work must show it. */
export const guess: Actor = async (world) => {
  const { ask, ledger } = world;
  const account = takeAccount(world, 'login');
  try {
    const work =
      account.ticket === undefined ? await takeWork(world) : await fetchWork(world, account.ticket);
    const image = account.needsImage ? await fetchImage(world) : {};
    if (work === undefined || image === undefined) return;
    const body = { email: account.key, password: 'a wrong password', ...work, ...image };
    // An attempt with an unknown outcome may have led to an image requirement.
    const expected = [
      '422 login_failed',
      POW_INVALID,
      ...(account.unknown > 0 ? ['422 captcha_required'] : []),
    ];
    const answer = await ask('attempt', { method: 'POST', path: '/login', body }, expected);
    noteSubmission(world, { ...work }, answer.label, isUnknown(answer));
    if (answer.label === '422 login_failed') account.counted += 1;
    else if (isUnknown(answer)) noteUnknown(world, account);
    if (answer.status === 422 && typeof answer.json.pow_scope === 'string') {
      account.ticket = answer.json.pow_scope;
      account.needsImage = answer.json.captcha_required === true;
    }
  } finally {
    ledger.accounts.add(account);
  }
};

/**
 * One attempt in an application, which verifies and counts it in one call and repeats that, under the same key, without a
 * response. The next response must show it.
 */
export const attemptInApplication: Actor = async (world) => {
  const { ask, ledger, random, hostApiUrls } = world;
  const account = takeAccount(world, 'application');
  try {
    const work =
      account.ticket === undefined ? await takeWork(world) : await fetchWork(world, account.ticket);
    if (work === undefined) return;
    const body = {
      submission: work,
      key: account.key,
      count: true,
      idempotency_key: `submission-${ledger.nextId()}`,
    };
    const headers = { authorization: `Bearer ${world.hostApiKey}` };
    const sent = { method: 'POST', path: '/host/verify', headers, body } as const;
    const first = random.below(2) === 0 ? hostApiUrls : [...hostApiUrls].reverse();
    let answer = await ask('host API', sent, ['200'], first);
    if (isUnknown(answer)) answer = await ask('host API', sent, ['200'], [...first].reverse());
    if (isUnknown(answer)) {
      ledger.noteUnknown('submissions');
      noteUnknown(world, account);
    }
    if (answer.status !== 200) return;
    if (!answer.json.success) {
      if (answer.json.code === 'pow_invalid') noteLostWork(world);
      return;
    }
    ledger.spent.add({ to: 'application', fields: { ...work } });
    noteCount(world, account, answer.json.failures);
    account.ticket = answer.json.pow_scope;
  } finally {
    ledger.accounts.add(account);
  }
};

/** Compares the failures in a response, including this attempt, with those that must have been counted. */
export function noteCount({ ledger }: World, account: GuessedAccount, failures: number): void {
  const expected = account.counted + 1;
  const what = `${account.key}: ${failures} counted, ${expected} expected, ${account.unknown} unknown`;
  if (failures < expected) ledger.noteMistake('attempt lost', what);
  if (failures > expected + account.unknown) ledger.noteMistake('attempt counted twice', what);
  account.counted = failures;
  account.unknown = 0;
}

function takeAccount({ ledger, random }: World, at: GuessedAccount['at']): GuessedAccount {
  const { items } = ledger.accounts;
  const open = items.filter(
    (account) => account.at === at && account.counted + account.unknown < MOST_ATTEMPTS[at],
  );
  const chosen = random.pick(open);
  // Every second attempt uses a new account, so that there are always several.
  if (chosen === undefined || random.below(2) === 0) {
    return { at, key: `guessed-${ledger.nextId()}@example.com`, counted: 0, unknown: 0 };
  }
  return ledger.accounts.takeAt(items.indexOf(chosen)) as GuessedAccount;
}

function noteUnknown({ ledger }: World, account: GuessedAccount): void {
  account.unknown += 1;
  ledger.noteUnknown('attempts');
}
