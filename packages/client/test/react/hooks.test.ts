// Hooks in components, in a browser, with each installed version of React, against the real system.

import type { TollgateChallengeAttributes } from '@tollgate/client/react';
import { password, startAppSite } from '@tollgate/tests/browser/app-site.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import type { Page } from 'playwright-core';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import t, { type Test } from 'tap';
import { buildReactPage, reacts } from './react-page.js';
import { SignedOutForm } from './signed-out-form.js';

const email = 'ann@example.com';
const site = await startAppSite(t, [email]);
const browser = await launchBrowser();
t.teardown(() => browser.close());

t.match(reacts[0]?.version, /^19\./);

for (const react of reacts) {
  t.test(`React ${react.version}`, async (t) => {
    const html = renderToString(createElement(SignedOutForm, { session: null }));
    const folder = await buildReactPage(t, react, html);
    await hooks(t, folder);
    if (react.version.startsWith('19')) await tag(t, folder);
  });
}

/** Opens a page without components; any warning of React fails the test. */
async function open(t: Test, folder: string): Promise<Page> {
  site.serve({ '/': folder });
  const page = await openPage(t, browser, site.address);
  page.on('console', (message) => {
    const isOfBrowser = message.text().startsWith('Failed to load resource');
    if (['warning', 'error'].includes(message.type()) && !isOfBrowser) t.fail(message.text());
  });
  await page.waitForFunction(() => 'lab' in globalThis);
  return page;
}

const works = () => site.requests.filter((request) => request === 'GET /api/captcha/pow').length;
const isReady = (page: Page) => page.waitForFunction(() => globalThis.challenge?.status === 'ready');

/** Renders a form with challenges in Strict Mode; `challenge` is the hook's last value. */
async function mount(page: Page): Promise<void> {
  await page.evaluate(() => {
    function Form({ image }: { image: 'always' | 'never' }) {
      globalThis.renders += 1;
      globalThis.challenge = lab.useChallenge({ image, fields: { captcha: 'letters' } });
      return lab.react.createElement('output', null, challenge.status);
    }
    globalThis.root = lab.createRoot(document.querySelector('#root')!);
    globalThis.renderForm = (image) =>
      root.render(
        lab.react.createElement(lab.react.StrictMode, null, lab.react.createElement(Form, { image })),
      );
    renderForm('never');
  });
}

async function hooks(t: Test, folder: string): Promise<void> {
  await t.test('a mount in Strict Mode fetches one challenge; unmounting closes it', async (t) => {
    const page = await open(t, folder);
    await mount(page);
    await isReady(page);
    await page.getByText('ready').waitFor();
    t.equal(works(), 1);
    await page.evaluate(() => root.render(null));
    await page.waitForFunction(() => challenge.controller.status === 'idle');
    const left = await page.evaluate(async () => {
      const { name, message } = (await challenge.take().catch((error: Error) => error)) as Error;
      return { name, message, status: challenge.controller.status, fields: challenge.fields };
    });
    t.same(left, {
      name: 'AbortError',
      message: 'The component is not mounted.',
      status: 'idle',
      fields: {},
    });
    t.equal(works(), 1);
  });

  await t.test('new inline objects change nothing, new values recreate everything', async (t) => {
    const page = await open(t, folder);
    await mount(page);
    await isReady(page);
    await page.evaluate(() => {
      globalThis.before = challenge;
      globalThis.renders = 0;
      renderForm('never');
    });
    await page.waitForFunction(() => renders > 0);
    const same = await page.evaluate(() => {
      const names = ['submit', 'touch', 'setAnswer', 'take', 'controller'] as const;
      return names.every((name) => before[name] === challenge[name]);
    });
    t.ok(same, 'every function is the same on each render');
    t.equal(works(), 1);
    await page.evaluate(() => renderForm('always'));
    await page.waitForFunction(
      () => challenge.state.captcha?.kind === 'image' && challenge.status === 'ready',
    );
    t.equal(works(), 2);
    const fields = await page.evaluate(() => {
      challenge.setAnswer('typed');
      return challenge.fields;
    });
    t.match(fields, {
      pow_token: /^\w{40}$/,
      pow_nonce: /^\d+$/,
      captcha_token: /^\w{40}$/,
      letters: 'typed',
    });
  });

  await t.test('the controller of another component is subscribed to, and left open', async (t) => {
    const page = await open(t, folder);
    await page.evaluate(() => {
      globalThis.shared = lab.createChallenge();
      const Show = () => lab.react.createElement('output', null, lab.useChallenge(shared).status);
      globalThis.root = lab.createRoot(document.querySelector('#root')!);
      root.render(lab.react.createElement(lab.react.StrictMode, null, lab.react.createElement(Show)));
    });
    await page.getByText('ready').waitFor();
    t.equal(works(), 1);
    const fields = await page.evaluate(async () => {
      root.unmount();
      return await shared.take();
    });
    t.same(Object.keys(fields), ['pow_token', 'pow_nonce']);
  });

  await t.test('all components of a session show the same state, from the start to the logout', async (t) => {
    const page = await open(t, folder);
    const said = await page.evaluate(
      async ({ email, password }) => {
        const { createElement: h, useLayoutEffect } = lab.react;
        const session = lab.createSession();
        const seen: string[] = [];
        const Status = () => h('i', null, lab.useSession(session).status);
        function App() {
          lab.useSession(session);
          useLayoutEffect(() => {
            const shown = [...document.querySelectorAll('i')].map((element) => element.textContent);
            const text = [...new Set(shown)].join();
            if (seen.at(-1) !== text) seen.push(text);
          });
          return [1, 2, 3].map((key) => h(Status, { key }));
        }
        lab.createRoot(document.querySelector('#root')!).render(h(App));
        const isSeen = async (status: string) => {
          while (seen.at(-1) !== status) await new Promise(requestAnimationFrame);
        };
        await isSeen('unknown');
        await session.resume();
        await isSeen('signed-out');
        const challenge = lab.createChallenge();
        await challenge.submit((fields) => session.login({ email, password, ...fields }));
        await isSeen('signed-in');
        await session.logout();
        await isSeen('signed-out');
        challenge.close();
        session.close();
        await isSeen('unknown');
        return seen;
      },
      { email, password },
    );
    t.same(said, ['unknown', 'signed-out', 'signed-in', 'signed-out', 'unknown']);
  });

  await t.test('server-rendered markup is hydrated without warnings', async (t) => {
    const page = await open(t, folder);
    t.equal(await page.textContent('#root'), 'unknown idle null');
    await page.evaluate(async () => {
      const session = lab.createSession();
      await session.resume();
      lab.hydrateRoot(
        document.querySelector('#root')!,
        lab.react.createElement(lab.SignedOutForm, { session }),
      );
    });
    await page.getByText('signed-out ready null').waitFor();
  });
}

async function tag(t: Test, folder: string): Promise<void> {
  await t.test('<tollgate-challenge> takes its controller, its attributes and its listener', async (t) => {
    const page = await open(t, folder);
    await page.evaluate(() => {
      const statuses: string[] = [];
      function Form() {
        const { controller } = lab.useChallenge();
        return lab.react.createElement<TollgateChallengeAttributes>('tollgate-challenge', {
          controller,
          'hold-submit': true,
          prefix: 'api/captcha',
          onstatuschange: (event) =>
            statuses.push((event.target as HTMLElementTagNameMap['tollgate-challenge']).status),
        });
      }
      globalThis.statuses = statuses;
      lab.createRoot(document.querySelector('#root')!).render(lab.react.createElement(Form));
    });
    await page.getByText('Ready').or(page.getByText('Done')).waitFor();
    t.equal(works(), 1, 'the element has created no controller');
    t.same(await page.evaluate(() => statuses), ['solving', 'ready']);
    t.same(await page.$eval('tollgate-challenge', (element) => element.getAttributeNames().sort()), [
      'hold-submit',
      'prefix',
    ]);
    const names = await page.evaluate(() => [...new FormData(document.querySelector('form')!).keys()]);
    t.same(names, ['pow_token', 'pow_nonce']);
  });
}
