// An application in strict TypeScript: the documents' JavaScript samples, with types. Compiled, never run.

import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import { type Static, Type } from '@sinclair/typebox';
import {
  accountKey,
  bearerGuard,
  type ChallengeType,
  captcha,
  challengeGuard,
  formBodies,
  type Guard,
  type GuardedAttempt,
  type OnRefused,
  pow,
} from '@tollgate/fastify';
import Fastify, { type FastifyRequest } from 'fastify';

const SignIn = Type.Object({ email: Type.String(), password: Type.String() });
type SignIn = Static<typeof SignIn>;

const app = Fastify({ trustProxy: 'loopback' });
await app.register(challengeGuard, { application: 'shop', environment: process.env });
await app.register(bearerGuard, { environment: process.env });
await app.register(formBodies, { multipart: false });

async function findUser(key: string, password: string): Promise<{ email: string } | undefined> {
  return password === '' ? undefined : { email: key };
}

const keyOf = ({ body }: FastifyRequest<{ Body: SignIn }>) => accountKey(body.email);
app.post<{ Body: SignIn }>(
  '/sign-in',
  { config: { guards: [pow({ key: keyOf, throttle: true })] } },
  async (request, reply) => {
    const attempt: GuardedAttempt = await request.countAttempt();
    const user = await findUser(keyOf(request), request.body.password);
    if (user === undefined) return reply.code(422).send({ code: 'login_failed' });
    await attempt.succeeded();
    return user;
  },
);

// The type of the body given to `pow`, in place of one given to `key`.
const guards: readonly Guard[] = [
  pow<{ Body: SignIn }>({ key: async (request) => accountKey(request.body.email) }),
  captcha({ presets: ['large'] }),
];
// @ts-expect-error the body has no such field
pow<{ Body: SignIn }>({ key: (request) => request.body.name });
// @ts-expect-error no such option
pow({ throttled: true });
// @ts-expect-error a guard is captcha or pow
app.post('/wrong', { config: { guards: ['proof'] } }, async () => undefined);

// With a type provider, the schema determines the body's type.
const typed = app.withTypeProvider<TypeBoxTypeProvider>().setValidatorCompiler(TypeBoxValidatorCompiler);
typed.post('/typed', { schema: { body: SignIn }, config: { guards } }, async (request) => {
  const attempt = await request.countAttempt();
  if (attempt.before > 3) await app.captcha.withdrawFailure(accountKey(request.body.email), attempt.id);
  const { captcha_required } = await app.captcha.nextAttempt(accountKey(request.body.email), 1, request.ip);
  return { captcha_required };
});

const onRefused: OnRefused = (request, reply, refusal) =>
  reply.type('text/plain').send(`${request.ip} ${refusal.body.message} ${refusal.status}`);
app.post('/contact', { config: { guards: [captcha, pow], guardsLast: true, onRefused } }, async (request) => {
  const verdict = request.challengeVerdict;
  return verdict === null || verdict.ok ? 'sent' : verdict.body.code;
});

app.get('/orders', { onRequest: app.requireBearer }, async ({ bearer }) => {
  const claims: FastifyRequest['bearer'] = bearer;
  return { customer: claims?.id };
});
typed.get('/token', async () => {
  const verdict = await app.verifyAccess('token');
  return verdict.ok ? verdict.claims.sid : verdict.reason;
});

/** The exports of a module for `CAPTCHA_MODULE`. */
export const kinds: readonly ChallengeType[] = [
  {
    name: 'sum',
    make: ({ random, phrase }) => ({
      answer: String(random.below(phrase.length)),
      text: random.pick(['a', 'b']),
    }),
  },
  {
    name: 'odd',
    maxAnswerCharacters: 20,
    hasMinimumTime: true,
    issue: ({ random }) => ({ fields: { words: [random.pick(['one', 'two'])] } }),
    verify: (_rest, answer, { random }) => (Number(answer) === random.below(2) ? 'right' : 'wrong'),
  },
];
await app.register(challengeGuard, { application: 'guest-book', environment: process.env, kinds });
