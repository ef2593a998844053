// Users: they log in, refresh, read, log out, and some present an ended session.
import type { Session } from '../ledger/ledger.js';
import { fetchImage, fetchWork, noteSubmission, POW_INVALID, takeWork } from './challenges.js';
import { type Actor, isUnknown, type World } from './world.js';

/** Logs in; a success is a session that must refresh. */
export const signIn: Actor = async (world) => {
  const { signingIn, random } = world;
  const work = await takeWork(world);
  const person = random.pick(world.people.filter((email) => !signingIn.has(email)));
  if (person === undefined || work === undefined) return;
  signingIn.add(person);
  const answer = await tryToSignIn(world, person, work);
  // The client repeats insufficient work by itself.
  if (answer.status === 422 && typeof answer.json.pow_scope === 'string') {
    const [better, image] = [
      await fetchWork(world, answer.json.pow_scope),
      answer.json.captcha_required ? await fetchImage(world) : {},
    ];
    if (better !== undefined && image !== undefined)
      await tryToSignIn(world, person, { ...better, ...image });
  }
  signingIn.delete(person);
};

async function tryToSignIn(world: World, email: string, fields: Readonly<Record<string, string>>) {
  const { ask, ledger, interrupted, password } = world;
  const body = { email, password, ...fields };
  // An interrupted login counts as a failure until the next success.
  const demands = interrupted.has(email) ? ['422 pow_insufficient', '422 captcha_required'] : [];
  const expected = ['200', POW_INVALID, ...demands];
  const answer = await ask('login', { method: 'POST', path: '/login', body }, expected);
  noteSubmission(world, fields, answer.label, isUnknown(answer));
  if (answer.status === 200 && answer.cookie !== undefined) {
    interrupted.delete(email);
    const { accessToken } = answer.json;
    ledger.live.add({ id: ledger.nextId(), cookie: answer.cookie, accessToken, hasRefreshed: false });
  } else if (isUnknown(answer)) {
    interrupted.add(email);
    ledger.noteUnknown('logins');
  }
  return answer;
}

/** Refreshes a session that must refresh. */
export const refresh: Actor = async (world) => {
  const session = takeLive(world);
  if (session === undefined) return;
  if ((await refreshSession(world, session)) !== 'gone') world.ledger.live.add(session);
};

/** Refreshes a session once; a missing session is recorded as a mistake. */
export async function refreshSession(
  { ask, ledger }: World,
  session: Session,
): Promise<'live' | 'gone' | 'unanswered'> {
  const headers = { cookie: session.cookie };
  // A 401 is a mistake of the ledger, not a temporary failure.
  const answer = await ask('refresh', { method: 'POST', path: '/refresh', headers }, ['200', ...REFUSED]);
  if (answer.status === 200 && answer.cookie !== undefined) {
    session.cookie = answer.cookie;
    session.accessToken = answer.json.accessToken;
    session.hasRefreshed = true;
    return 'live';
  }
  if (answer.status === 401) {
    // A session that never refreshed was only a login.
    const mistake = session.hasRefreshed ? 'logged out by accident' : 'login lost';
    ledger.noteMistake(mistake, `session ${session.id}: ${answer.label}`);
    return 'gone';
  }
  if (isUnknown(answer)) ledger.noteUnknown('refreshes');
  return 'unanswered';
}

/** Uses a session's access token. A client refreshes once after a rejection, and repeats. */
export const verify: Actor = async (world) => {
  const session = takeLive(world);
  if (session === undefined) return;
  const ask = (...expected: string[]) =>
    world.ask('verify', { method: 'GET', path: '/verify', headers: bearerOf(session) }, expected);
  let outcome: Awaited<ReturnType<typeof refreshSession>> = 'live';
  if ((await ask('204', TOKEN_INVALID)).label === TOKEN_INVALID) {
    outcome = await refreshSession(world, session);
    if (outcome === 'live') await ask('204');
  }
  if (outcome !== 'gone') world.ledger.live.add(session);
};

/** Logs out, one half with the token, one half with the cookie; repeats a logout with an unknown outcome. */
export const signOut: Actor = async (world) => {
  const { ask, ledger, random } = world;
  const again = ledger.unsure.takeAt(0);
  const session = again ?? takeLive(world);
  if (session === undefined) return;
  const byCookie = () =>
    ask('logout', { method: 'DELETE', path: '/refresh', headers: { cookie: session.cookie } }, ['204']);
  const byToken = () =>
    ask('logout', { method: 'POST', path: '/logout', headers: bearerOf(session) }, ['204', TOKEN_INVALID]);
  let answer = again === undefined && random.below(2) === 0 ? await byToken() : await byCookie();
  if (answer.label === TOKEN_INVALID) answer = await byCookie();
  if (answer.status === 204) {
    session.endedMs = performance.now();
    ledger.ended.add(session);
  } else if (again !== undefined || isUnknown(answer)) {
    if (again === undefined) ledger.noteUnknown('logouts');
    ledger.unsure.add(session);
  } else ledger.live.add(session);
};

/** Presents an ended session: its cookie immediately, its access token once every process must know. */
export const presentEnded: Actor = async (world) => {
  const { ask, ledger, random, isCalm } = world;
  const session = random.pick(ledger.ended.items);
  if (session?.endedMs === undefined) return;
  if (random.below(2) === 0) {
    const headers = { cookie: session.cookie };
    const answer = await ask('refresh ended', { method: 'POST', path: '/refresh', headers }, REFUSED);
    if (answer.status === 200) {
      ledger.noteMistake('ended session accepted again', `session ${session.id} was refreshed`);
    }
    return;
  }
  if (!isCalm() || performance.now() - session.endedMs < REVOCATION_MS) return;
  const sent = { method: 'GET', path: '/verify', headers: bearerOf(session) } as const;
  // A token that has expired meanwhile is rejected as expired.
  const answer = await ask('verify ended', sent, [...REFUSED, TOKEN_INVALID]);
  if (answer.status === 204) {
    ledger.noteMistake('ended session accepted again', `token of session ${session.id} was accepted`);
  }
};

/** Every process knows of an ended session after a second; the rest is for a busy machine. */
export const REVOCATION_MS = 1_500;

const TOKEN_INVALID = '401 token_invalid';
const REFUSED = ['401 session_revoked', '401 session_expired'];

const bearerOf = ({ accessToken }: Session) => ({ authorization: `Bearer ${accessToken}` });

function takeLive({ ledger, random }: World) {
  return ledger.live.takeAt(random.below(ledger.live.items.length));
}
