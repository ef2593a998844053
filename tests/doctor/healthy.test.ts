// Doctor on a healthy system.

import t from 'tap';
import { complaints, openStores, startExaminedSystem } from './examined-system.js';

t.test('from outside everything visible is good', async (t) => {
  const { examine, system, publicUrl } = await startExaminedSystem(t);
  const report = await examine();
  t.strictSame(complaints(report), []);
  t.strictSame(
    report.findings.map(({ check }) => check),
    [
      ...[
        'reach',
        'routing',
        'transport',
        'image',
        'origins',
        'binding',
        'bodies',
        'exposure',
        'session',
        'cookie',
        'answers',
      ],
      ...['clocks', 'addresses'],
    ],
  );
  t.equal(report.publicUrl, publicUrl);
  t.strictSame(report.skipped, [
    'Cross-origin calls: set CORS_ORIGIN or --origin.',
    "Secrets, stores and users: need the session service's environment.",
  ]);
  const log = system.logs();
  t.match(log, /"event":"login"/);
  t.match(log, /"event":"logout"/);
});

t.test('with the environment, two stores and another origin everything is good', async (t) => {
  const { environment } = await openStores(t);
  const { examine, env } = await startExaminedSystem(t, {
    environment: { ...environment, CORS_ORIGIN: 'http://localhost:5173' },
  });
  const report = await examine({ env });
  t.strictSame(complaints(report), []);
  t.strictSame(report.skipped, []);
  t.ok(report.findings.some(({ check }) => check === 'cross_origin'));
});

t.test(
  'with public tokens their keys are found, or reported missing if the gateway does not route them',
  async (t) => {
    const { examine, env, front } = await startExaminedSystem(t, {
      environment: { ACCESS_TOKEN_FORMAT: 'public' },
    });
    const report = await examine({ env });
    t.strictSame(
      complaints(report).filter(({ check }) => check !== 'stores'),
      [],
    );
    t.ok(report.findings.some(({ check }) => check === 'public_keys'));
    front.breakWith({
      refuse: ({ url }) =>
        url.startsWith('/.well-known/') ? { status: 404, headers: {}, body: Buffer.from('none') } : undefined,
    });
    t.match(complaints(await examine()), [{ check: 'public_keys', severity: 'problem' }]);
  },
);

t.test('no session is left behind, and the account has no failure', async (t) => {
  const { sessions, challenges, environment } = await openStores(t);
  const { examine } = await startExaminedSystem(t, { environment });
  await examine();
  t.equal(await sessions.client.exists('session:{1}'), 0);
  t.strictSame(await challenges.client.keys('captcha:fail:*'), []);
});

t.test('behind our own gateway everything is good, without an account, too', async (t) => {
  const { examine, system } = await startExaminedSystem(t, { environment: { PUBLIC_URL: '' } });
  for (const account of [system.demo, undefined]) {
    const report = await examine({ publicUrl: system.address, pageOrigin: system.address, account });
    t.strictSame(complaints(report), []);
  }
});
