// After a drill: requests everything in the ledger again, and compares it with the earlier responses.
import { isRefusedAgain } from '../load/challenges.js';
import { noteCount } from '../load/guesser.js';
import type { Sent } from '../load/http-client.js';
import { refreshSession } from '../load/visitor.js';
import type { World } from '../load/world.js';
import type { GuessedAccount, Session } from './ledger.js';

/** The inspected things. */
export interface Inspection {
  /** Their number by kind. */
  readonly looked: Readonly<Record<string, number>>;
  /** The number without a conclusive response, despite retries. */
  readonly unanswered: number;
}

interface InspectionOptions {
  /** The public listener of each session service: each must know of an ended session. */
  readonly sessionUrls: readonly string[];
  /** Whether failures must still be counted. */
  readonly counts: boolean;
  /** Computes an account's failures from its difficulty. */
  readonly failuresAt: (difficulty: number) => number;
}

const AT_ONCE = 8;
const LONGEST_MS = 15_000;
const PAUSE_MS = 100;

/** A check returns whether its response was conclusive. */
type Check = () => Promise<boolean>;

/** Requests everything; records mistakes in the world's ledger. */
export async function inspect(world: World, options: InspectionOptions): Promise<Inspection> {
  const { ledger } = world;
  const accounts = options.counts ? ledger.accounts.items : [];
  const kinds: Readonly<Record<string, Check[]>> = {
    'attempts counted': accounts.map((account) => () => checkCount(world, account, options)),
    'live sessions': ledger.live.items.map(
      (session) => async () => (await refreshSession(world, session)) !== 'unanswered',
    ),
    'ended sessions': ledger.ended.items.map((session) => () => checkEnded(world, session)),
    'ended tokens': ledger.ended.items.flatMap((session) =>
      options.sessionUrls.map((url) => () => checkEndedToken(world, session, url)),
    ),
    'spent submissions': ledger.spent.items.map(({ to, fields }) => async () => {
      return (await isRefusedAgain(world, to, fields)) !== undefined;
    }),
  };
  const deadlineMs = performance.now() + LONGEST_MS;
  const checks = Object.values(kinds).flat();
  let unanswered = 0;
  const work = async () => {
    for (let check = checks.shift(); check !== undefined; check = checks.shift()) {
      while (!(await check())) {
        if (performance.now() > deadlineMs) {
          unanswered += 1;
          break;
        }
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  };
  const looked = Object.fromEntries(Object.entries(kinds).map(([kind, { length }]) => [kind, length]));
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { looked, unanswered };
}

/** The price of an account's next work, or the host API's response, shows the number of counted failures. */
async function checkCount(
  world: World,
  account: GuessedAccount,
  { failuresAt }: InspectionOptions,
): Promise<boolean> {
  if (account.at === 'application') {
    const headers = { authorization: `Bearer ${world.hostApiKey}` };
    const sent: Sent = { method: 'POST', path: '/host/failures', headers, body: { key: account.key } };
    const { status, json } = await world.ask('inspection', sent, [], world.hostApiUrls);
    if (status === 200) noteCount(world, account, json.failures);
    return status === 200;
  }
  if (account.ticket === undefined) return true;
  const path = `/api/captcha/pow?scope=${encodeURIComponent(account.ticket)}`;
  const { status, json } = await world.ask('inspection', { method: 'GET', path }, []);
  // The response has the failures before the next attempt.
  if (status === 200) noteCount(world, account, failuresAt(json.difficulty) + 1);
  return status === 200;
}

async function checkEnded(world: World, session: Session): Promise<boolean> {
  const headers = { cookie: session.cookie };
  const sent: Sent = { method: 'POST', path: '/refresh', headers };
  const { status } = await world.ask('inspection', sent, []);
  if (status === 200) {
    world.ledger.noteMistake(
      'ended session accepted again',
      `session ${session.id} was refreshed afterwards`,
    );
  }
  return status === 200 || status === 401;
}

async function checkEndedToken(world: World, session: Session, url: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${session.accessToken}` };
  const { status } = await world.ask('inspection', { method: 'GET', path: '/verify', headers }, [], [url]);
  if (status === 204) {
    const what = `token of session ${session.id} was accepted afterwards`;
    world.ledger.noteMistake('ended session accepted again', what);
  }
  return status === 204 || status === 401;
}
