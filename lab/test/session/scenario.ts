// One request after the other to `@tollgate/session`, in any runtime: nothing here is Node's.

import { createPageSession, type PageUser } from '@tollgate/session';

/** Addresses of a service, and cookies of one user. */
export interface Question {
  readonly publicUrl: string;
  readonly service: string;
  /** Whether its cookies have public keys. */
  readonly isPublic: boolean;
  readonly cookie: string;
  /** Of an ended session. */
  readonly ended: string;
  /** Where nothing listens. */
  readonly nowhere: string;
  /** Accepts requests and sends nothing. */
  readonly silent: string;
  /** Redirects to `service`. */
  readonly moved: string;
}

/** Names of the steps and their outcomes. */
type Outcomes = Readonly<Record<string, string>>;

export async function play(question: Question): Promise<Outcomes> {
  const { publicUrl, service, isPublic, cookie, ended, nowhere, silent, moved } = question;
  const request = (value: string, method = 'GET') =>
    new Request(`${publicUrl}/orders?a=b`, { method, headers: { cookie: value } });
  const told = (asked: Promise<PageUser | null>) =>
    asked.then(
      (user) => user?.email ?? 'nobody',
      (error: Error) => error.name,
    );
  const outcomes: Record<string, string> = {};
  const ways = isPublic ? (['service', 'keys'] as const) : (['service'] as const);
  for (const verify of ways) {
    const session = createPageSession({ publicUrl, service, verify, timeout: 20_000 });
    const limited = (place: string) =>
      createPageSession({ publicUrl, service: place, verify, timeout: 600 })(request(cookie));
    outcomes[`${verify}: a user`] = await told(session(request(cookie)));
    outcomes[`${verify}: HEAD`] = await told(session(request(cookie, 'HEAD')));
    outcomes[`${verify}: POST`] = await told(session(request(cookie, 'POST')));
    outcomes[`${verify}: no cookie`] = await told(session(request('a=b')));
    outcomes[`${verify}: a changed cookie`] = await told(session(request(`${cookie.slice(0, -4)}AAAA`)));
    outcomes[`${verify}: an ended session`] = await told(session(request(ended)));
    outcomes[`${verify}: many at once`] = (
      await Promise.all(Array.from({ length: 20 }, () => told(session(request(cookie)))))
    ).join();
    outcomes[`${verify}: a service that is away`] = await told(limited(nowhere));
    outcomes[`${verify}: a silent service`] = await told(limited(silent));
    outcomes[`${verify}: a redirect`] = await told(limited(moved));
    outcomes[`${verify}: where to continue`] = session.continueUrl(request(cookie)).replace(publicUrl, '');
  }
  return outcomes;
}
