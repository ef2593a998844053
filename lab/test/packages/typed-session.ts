// Pages with `@tollgate/session` in strict TypeScript. Compiled by packages.test.ts: each mistake is one that the compiler
// must find.

import {
  createPageSession,
  type PageRequest,
  type PageSession,
  type PageUser,
  SessionUnavailableError,
} from '@tollgate/session';

const unanswered = async () => new Response(null, { status: 401 });
const session: PageSession = createPageSession({
  publicUrl: new URL('https://shop.example'),
  service: 'http://127.0.0.1:3001',
  fetch: unanswered,
  timeout: 1000,
});
const edge = createPageSession({
  publicUrl: 'https://shop.example',
  verify: 'keys',
  issuer: 'https://id.example',
});

const requests: PageRequest[] = [
  new Request('https://shop.example/orders'),
  { method: 'GET', headers: { cookie: 'a=b', accept: undefined, 'set-cookie': ['c=d'] }, url: '/orders' },
  { method: 'HEAD', headers: new Headers() },
];

for (const request of requests) {
  const user: PageUser | null = await session(request).catch((error: unknown) => {
    if (error instanceof SessionUnavailableError) console.log(error.status satisfies 503, error.message);
    return null;
  });
  // @ts-expect-error the user may be null
  user.email;
  if (user === null) {
    const address: string = session.continueUrl(request);
    Response.redirect(address, 303);
  } else {
    const { id, email, authTime, amr }: PageUser = user;
    const since: number | undefined = authTime;
    new Response(`${id} ${email} ${since} ${amr?.join()}`, { headers: session.responseHeaders });
    // @ts-expect-error an id is text
    const number: number = user.id;
    console.log(number);
  }
}
console.log(edge.continueUrl('/orders'), edge.continueUrl(new URL('https://shop.example/orders')));

// @ts-expect-error a promise is no user
if (session(new Request('https://shop.example/')).email) console.log('signed in');
// @ts-expect-error there is no such way
createPageSession({ publicUrl: 'https://shop.example', verify: 'cookie' });
// @ts-expect-error the address of session-service is required
createPageSession({});
