// A plain Node program that logs in to the services, in its own process: node node-program.js ADDRESS FIELDS FIELDS
import { createSession, type Session } from '@tollgate/client/session';

const [, , baseUrl = '', ...bodies] = process.argv;
const told: Record<string, unknown> = {};

const profileOf = async (session: Session) => {
  const response = await session.fetch('profile');
  return [response.status, ((await response.json()) as { email?: string }).email];
};
const changed = (session: Session, status: string, expiresAtMs: number | null) =>
  new Promise<void>((resolve) => {
    session.subscribe(() => {
      if (session.state.status === status && session.state.expiresAtMs !== expiresAtMs) resolve();
    });
  });

try {
  createSession();
} catch (error) {
  told.relative = (error as Error).name;
}
const sessions = bodies.map(() => createSession({ baseUrl }));
told.start = await Promise.all(sessions.map((session) => session.resume()));
const logins = [];
for (const [at, session] of sessions.entries())
  logins.push(await session.login(JSON.parse(bodies[at] ?? '')));
told.logins = logins.map(({ status }) => status);
told.profiles = await Promise.all(sessions.map(profileOf));
// Keeps the process alive until the automatic refresh.
const keepAlive = setTimeout(() => {}, 60_000);
await Promise.all(sessions.map((session) => changed(session, 'signed-in', session.state.expiresAtMs)));
clearTimeout(keepAlive);
told.later = await Promise.all(sessions.map(profileOf));
const [first] = sessions;
await first?.logout();
told.logout = first?.state;
told.again = await first?.resume();
told.statuses = sessions.map(({ state }) => state.status);
console.log(JSON.stringify(told));
