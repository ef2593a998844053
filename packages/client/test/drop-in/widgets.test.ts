// Widget scripts and frames in a real page: pitfalls of each vendor's interface.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { until } from '@tollgate/test-support/until.js';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { openVisit, startWidgetSite } from '@tollgate/tests/browser/widget-site.js';
import type { Frame, Page } from 'playwright-core';
import t from 'tap';

const site = await startWidgetSite(t);
const browser = await launchBrowser();
t.teardown(() => browser.close());
const visit = await openVisit(t, browser);

type Method =
  | 'close'
  | 'execute'
  | 'getRespKey'
  | 'getResponse'
  | 'isExpired'
  | 'ready'
  | 'remove'
  | 'render'
  | 'reset';
type Api = Readonly<Record<Method, (...values: unknown[]) => unknown>>;

declare global {
  /** Records of a page. */
  var said: [name: string, value?: unknown][];
  /** Returns a callback that records its name and arguments. */
  var note: (name: string) => (value?: unknown) => void;
  /** Ids of widgets. */
  var ids: unknown[];
  var grecaptcha: Api;
  var hcaptcha: Api;
  var turnstile: Api;
}

const recording = `<script>window.said = []; window.ids = [];
  window.note = (name) => (value) => said.push(value === undefined ? [name] : [name, value]);</script>`;
const tag = (path: string, more = 'async') => `<script src="${site.service}${path}" ${more}></script>`;

/** Opens a page with this body. */
async function open(body: string, headers: Readonly<Record<string, string>> = {}): Promise<Page> {
  return visit.open(
    site.page(`<!doctype html><html lang="en"><title>A shop</title>${recording}${body}`, headers),
  );
}

const waitFor = (page: Page, name: string, times = 1) =>
  page.waitForFunction(([name, times]) => said.filter(([said]) => said === name).length >= Number(times), [
    name,
    times,
  ] as const);
const saidOf = (page: Page, name: string) =>
  page.evaluate((name) => globalThis.said.filter(([said]) => said === name).map(([, value]) => value), name);
const countOf = (what: string) => site.answered.filter((answered) => answered.startsWith(what)).length;
const nextTurns = (page: Page, ms: number) =>
  page.evaluate((ms) => new Promise((done) => setTimeout(done, ms)), ms);

async function frameOf(page: Page): Promise<Frame> {
  const element = await page.waitForSelector('iframe[src*="/frame"]', { state: 'attached' });
  const frame = await element.contentFrame();
  if (frame === null) throw new Error('no frame');
  return frame;
}

t.afterEach(async () => {
  for (const page of visit.context.pages()) await page.close();
  site.refused.clear();
  site.answered.length = 0;
});

t.test('the three interfaces work in one page, and each receipt has its own format', async (t) => {
  const page = await open(`
    <form><div class="g-recaptcha" data-sitekey="shop" data-callback="gotRecaptcha"></div></form>
    <form><div class="h-captcha" data-sitekey="shop" data-callback="gotHcaptcha"></div></form>
    <form><div class="cf-turnstile" data-sitekey="shop" data-callback="gotTurnstile" data-action="login"
      data-cdata="order-7"></div></form>
    ${tag('/api.js?onload=loaded')}
    <script>for (const name of ['loaded', 'gotRecaptcha', 'gotHcaptcha', 'gotTurnstile']) window[name] = note(name);</script>`);
  for (const name of ['loaded', 'gotRecaptcha', 'gotHcaptcha', 'gotTurnstile']) await waitFor(page, name);
  const fields = await page.$$eval('form', (forms) =>
    forms.map((form) =>
      [...new FormData(form as HTMLFormElement)].map(([name, value]) => [name, String(value)]),
    ),
  );
  const [[recaptcha], [hcaptcha], [turnstile]] = (await Promise.all(
    ['gotRecaptcha', 'gotHcaptcha', 'gotTurnstile'].map((name) => saidOf(page, name)),
  )) as [string[], string[], string[]];
  t.same(fields, [
    [['g-recaptcha-response', recaptcha]],
    [
      ['h-captcha-response', hcaptcha],
      ['g-recaptcha-response', hcaptcha],
    ],
    [['cf-turnstile-response', turnstile]],
  ]);
  t.same(await saidOf(page, 'loaded'), [undefined], 'onload is called once');
  const verdict = await site.verify('shop', recaptcha ?? '');
  t.match(verdict, { success: true, hostname: 'localhost' });
  t.notOk('score' in verdict);
  t.match(await site.verify('shop', hcaptcha ?? ''), { success: true, credit: false });
  t.match(await site.verify('shop', turnstile ?? ''), { success: true, action: 'login', cdata: 'order-7' });
  t.match(await site.verify('shop', turnstile ?? ''), {
    success: false,
    'error-codes': ['timeout-or-duplicate'],
  });
});

t.test('onload follows the load event of the script, and render calls no callback', async (t) => {
  const page = await open(`<div id="place"></div><div id="wrong"></div><script>
    const script = document.createElement('script');
    script.addEventListener('load', () => {
      note('load')();
      queueMicrotask(note('microtask'));
      turnstile.ready(note('ready'));
      note('after ready')();
    });
    function loaded() {
      note('onload')();
      const callbacks = { callback: note('token'), 'error-callback': note('error') };
      ids.push(turnstile.render('#place', { sitekey: 'shop', ...callbacks }));
      ids.push(turnstile.render('#wrong', { sitekey: 'unknown', ...callbacks }));
      note('rendered')();
    }
    script.src = '${site.service}/turnstile/v0/api.js?render=explicit&onload=loaded&hl=undefined';
    document.head.append(script);</script>`);
  await waitFor(page, 'token');
  await waitFor(page, 'error');
  const names = (await page.evaluate(() => said)).map(([name]) => name);
  t.same(names.slice(0, 3), ['load', 'after ready', 'microtask']);
  t.ok(names.indexOf('onload') > 2 && names.indexOf('ready') > 2, names.join(', '));
  t.ok(names.indexOf('rendered') < Math.min(names.indexOf('token'), names.indexOf('error')));
  t.same(await saidOf(page, 'error'), ['110100']);
  const rendered = await page.evaluate(() => ids);
  t.ok(rendered.length === 2 && rendered.every((id) => typeof id === 'string' && id !== ''));
});

t.test('a reset inside an error or expiry callback waits for a person', async (t) => {
  site.refused.set('/sites/shop/pow', { status: 404, body: { code: 'not_found', message: 'Not here' } });
  const page =
    await open(`<div id="fails"></div><div id="expires"></div>${tag('/1/api.js?render=explicit&onload=loaded')}<script>
    function loaded() {
      const resetAfter = (name) => (value) => { note(name)(value); hcaptcha.reset(name); Promise.resolve().then(() => hcaptcha.reset(name)); };
      hcaptcha.render('fails', { sitekey: 'shop', 'error-callback': resetAfter('fails') });
      hcaptcha.render('expires', { sitekey: 'brief', callback: note('token'), 'expired-callback': resetAfter('expires') });
    }</script>`);
  await waitFor(page, 'fails');
  await waitFor(page, 'expires');
  await nextTurns(page, 1_000);
  t.equal(countOf('GET /sites/shop/pow'), 1);
  t.equal(countOf('POST /sites/brief/redeem'), 1);
  t.equal(await page.evaluate(() => hcaptcha.getResponse('expires')), '');
  t.equal(await page.$eval('#expires textarea', (field) => (field as HTMLTextAreaElement).value), '');
  site.refused.clear();
  await page.keyboard.press('Tab');
  await waitFor(page, 'token', 2);
  await page.waitForFunction(() => hcaptcha.getResponse('fails') !== '');
});

t.test('any other reset starts at once, and the next touch after an expiry starts a new run', async (t) => {
  const page =
    await open(`<div class="cf-turnstile" id="brief" data-sitekey="brief" data-callback="token" data-expired-callback="expired"></div>
    <div class="cf-turnstile" data-sitekey="brief" data-refresh-expired="never" data-callback="other"></div>
    <script>for (const name of ['token', 'expired', 'other']) window[name] = note(name);</script>${tag('/turnstile/v0/api.js')}`);
  await waitFor(page, 'token');
  await page.evaluate(() => turnstile.reset('#brief'));
  await waitFor(page, 'token', 2);
  await waitFor(page, 'expired');
  t.same(await page.evaluate(() => [turnstile.getResponse('#brief'), turnstile.isExpired('#brief')]), [
    undefined,
    true,
  ]);
  await page.mouse.click(2, 2);
  await waitFor(page, 'token', 3);
  t.equal((await saidOf(page, 'other')).length, 1, 'unless the widget never refreshes');
  t.not((await saidOf(page, 'token'))[0], (await saidOf(page, 'token'))[2]);
});

t.test(
  'a stub is extended in place by all methods at once, its queue is called, and no method needs this',
  async (t) => {
    const page = await open(`<div id="place"></div><script>
    var grecaptcha = window.stub = { ready(callback) { (window.___grecaptcha_cfg ??= { fns: [] }).fns.push(callback); }, enterprise: {} };
    grecaptcha.ready(note('queued'));
    let value;
    Object.defineProperty(window, 'turnstile', { get: () => value, set(api) { note('methods')(Object.keys(api).sort()); value = api; } });
    function loaded() {
      const { render, getResponse, execute, reset } = grecaptcha;
      ids.push(render('place', { sitekey: 'shop', theme: '', hl: undefined, callback: note('token') }));
      ids.push(grecaptcha.enterprise.render({ sitekey: 'shop' }));
      try { render('place', { sitekey: 'shop' }); } catch { note('refused')(); }
      window.later = async () => { const fresh = await execute(1, { action: 'pay/card' }); reset(0); return [fresh, getResponse(1) === fresh, getResponse(0)]; };
    }</script>${tag('/api.js?render=explicit&onload=loaded')}`);
    await waitFor(page, 'token');
    await waitFor(page, 'queued');
    await waitFor(page, 'refused');
    t.equal(await page.evaluate('grecaptcha === stub && stub.enterprise.execute !== undefined'), true);
    t.same(await saidOf(page, 'methods'), [
      ['execute', 'getResponse', 'isExpired', 'ready', 'remove', 'render', 'reset'],
    ]);
    t.same(await page.evaluate(() => ids), [0, 1]);
    const [fresh, isHeld, none] = (await page.evaluate('later()')) as [string, boolean, string];
    t.same([isHeld, none], [true, '']);
    t.match(await site.verify('shop', fresh), { success: true, action: 'pay/card', score: 0.9 });
  },
);

t.test('the corners of a dark widget were square: its frame had an opaque background', async (t) => {
  const page = await open(`<style>body { margin: 0; background: rgb(18, 52, 86) }</style>
    <div class="cf-turnstile" data-sitekey="shop" data-theme="dark" data-callback="got"></div>
    ${tag('/turnstile/v0/api.js')}<script>window.got = note('got');</script>`);
  await waitFor(page, 'got');
  const box = await page.locator('iframe[src*="/frame"]').boundingBox();
  const corner = { x: box?.x ?? 0, y: box?.y ?? 0, width: 1, height: 1 };
  const shot = (await page.screenshot({ clip: corner })).toString('base64');
  const colour = await page.evaluate(async (png) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const context = document.createElement('canvas').getContext('2d');
    context?.drawImage(image, 0, 0);
    return [...(context?.getImageData(0, 0, 1, 1).data ?? [])];
  }, shot);
  t.same(colour, [18, 52, 86, 255], 'the page is visible there');
});

t.test('version 3: each call gets its own token, and there is no badge', async (t) => {
  const page = await open(tag('/recaptcha/api.js?render=shop', ''));
  const tokens = (await page.evaluate(async () => {
    await new Promise<void>((done) => grecaptcha.ready(done));
    const tokens = await Promise.all(['a/b', 'c_1'].map((action) => grecaptcha.execute('shop', { action })));
    const wrong = [{ action: 'spaces here' }, { action: 'a' }].map((options, index) =>
      (grecaptcha.execute(index === 0 ? 'shop' : 'unknown', options) as Promise<unknown>).then(
        () => 'token',
        () => 'rejected',
      ),
    );
    return [...tokens, ...(await Promise.all(wrong))];
  })) as string[];
  t.equal(new Set(tokens.slice(0, 2)).size, 2);
  t.same(tokens.slice(2), ['rejected', 'rejected']);
  t.match(await site.verify('shop', tokens[0] ?? ''), { success: true, action: 'a/b', score: 0.9 });
  t.match(await site.verify('shop', tokens[1] ?? ''), { success: true, action: 'c_1' });
  t.equal(await page.$('.grecaptcha-badge, textarea'), null);
});

t.test('version 3 and a widget without a container never settled after the body was replaced', async (t) => {
  const page = await open(tag('/recaptcha/api.js?render=shop', ''));
  const tokens = (await page.evaluate(async () => {
    const id = grecaptcha.render({ sitekey: 'shop' });
    await grecaptcha.execute('shop', { action: 'a' });
    await grecaptcha.execute(id);
    const pending = grecaptcha.execute('shop', { action: 'b' });
    document.body.replaceWith(document.createElement('body'));
    const limit = new Promise((_, reject) => setTimeout(reject, 20_000, new Error('still pending')));
    const all = Promise.all([grecaptcha.execute('shop', { action: 'c' }), pending, grecaptcha.execute(id)]);
    return Promise.race([all, limit]);
  })) as string[];
  t.equal(new Set(tokens).size, 3);
  t.match(await site.verify('shop', tokens[0] ?? ''), { success: true, action: 'c' });
});

t.test('a button starts a run on click, and its default action is prevented', async (t) => {
  const page = await open(`<form action="/gone" onclick="note('bubbled')()">
    <button class="g-recaptcha" data-sitekey="shop" data-callback="send" data-action="order">Send</button></form>
    ${tag('/recaptcha/enterprise.js')}<script>var send = note('send');</script>`);
  await (await frameOf(page)).waitForSelector('tollgate-challenge', { state: 'attached' });
  t.equal(countOf('GET /sites/shop/pow'), 0, 'nothing is fetched before');
  await page.click('button');
  await waitFor(page, 'send');
  await page.click('button');
  await waitFor(page, 'send', 2);
  const [first, second] = (await saidOf(page, 'send')) as [string, string];
  t.not(first, second);
  t.same(await saidOf(page, 'bubbled'), []);
  t.match(await site.verify('shop', second), { success: true, action: 'order' });
  t.equal(
    await page.$eval('form', (form) => new FormData(form as HTMLFormElement).get('g-recaptcha-response')),
    second,
  );
});

t.test(
  'hCaptcha: a promise of token and key, a code on failure, and grecaptcha unless disabled',
  async (t) => {
    const page =
      await open(`<div id="one"></div><div id="two"></div>${tag('/1/api.js?render=explicit&onload=loaded', 'crossorigin="anonymous"')}
    <script>function loaded() {
      for (const [place, sitekey] of [['one', 'shop'], ['two', 'other']]) ids.push(hcaptcha.render(place, { sitekey, size: 'invisible' }));
      note('loaded')();
    }</script>`);
    await waitFor(page, 'loaded');
    const [first, failure, closed] = await page.evaluate(async () => {
      const execute = (id: unknown, options?: unknown) => hcaptcha.execute(id, options) as Promise<unknown>;
      const first = (await execute({ async: true })) as { response: string; key: string };
      const isHeld = hcaptcha.getResponse() === first.response && hcaptcha.getRespKey() === first.key;
      const failure = await execute(ids[1], { async: true }).catch((code) => code);
      const running = execute(ids[0], { async: true }).catch((code) => code);
      hcaptcha.close(ids[0]);
      return [{ ...first, isHeld }, failure, await running] as const;
    });
    t.match(first, { response: /\./, key: /^[0-9a-f]{32}$/, isHeld: true });
    t.match(await site.verify('shop', first.response), { success: true, credit: false });
    t.same([failure, closed], ['invalid-data', 'challenge-closed']);
    t.equal(
      await page.evaluate('grecaptcha.render === hcaptcha.render && typeof grecaptcha.ready'),
      'function',
    );
    await page.evaluate('hcaptcha.remove(ids[0])');
    t.equal(await page.$eval('#one', (place) => place.innerHTML), '');
    const off = await open(
      `<form><div class="h-captcha" data-sitekey="shop"></div></form>${tag('/1/api.js?recaptchacompat=off', '')}`,
    );
    await off.waitForSelector('textarea', { state: 'attached' });
    t.same(await off.$$eval('textarea', (fields) => fields.map(({ name }) => name)), ['h-captcha-response']);
    t.equal(await off.evaluate('typeof grecaptcha'), 'undefined');
  },
);

t.test('Turnstile: execution, fields, removal, and widgets named by element or selector', async (t) => {
  const page = await open(
    `<form><div id="one"></div><div id="two"></div></form>${tag('/turnstile/v0/api.js?render=explicit', '')}`,
  );
  const place = await page.evaluate(() => {
    turnstile.render('#one', {
      sitekey: 'shop',
      execution: 'execute',
      'response-field-name': 'human',
      callback: note('one'),
    });
    turnstile.render('#two', {
      sitekey: 'shop',
      'response-field': false,
      size: 'flexible',
      callback: note('two'),
    });
    try {
      turnstile.render('#none', { sitekey: 'shop' });
    } catch {
      note('no container')();
    }
    try {
      turnstile.render(document.body, {});
    } catch {
      note('no site key')();
    }
    return [turnstile.getResponse('#one'), turnstile.render('#one', { sitekey: 'shop' })];
  });
  t.same(
    place,
    [null, 'cf-chl-widget-0'].map((value) => value ?? undefined),
  );
  await waitFor(page, 'two');
  t.same(await saidOf(page, 'one'), []);
  await page.evaluate(() => turnstile.execute(document.getElementById('one')));
  await waitFor(page, 'one');
  const [token] = await saidOf(page, 'one');
  t.same(await page.$eval('form', (form) => [...new FormData(form as HTMLFormElement)]), [['human', token]]);
  t.same(
    [...(await saidOf(page, 'no container')), ...(await saidOf(page, 'no site key'))],
    [undefined, undefined],
  );
  await page.evaluate(() => turnstile.remove('#one'));
  t.equal(await page.$eval('#one', (place) => place.innerHTML), '');
});

t.test('a button rendered again after remove submitted the form without a token', async (t) => {
  const page = await open(
    `<form action="/gone"><button>Send</button></form>${tag('/turnstile/v0/api.js?render=explicit', '')}`,
  );
  const rest = await page.evaluate(() => {
    const button = document.querySelector('button') as HTMLElement;
    const render = () => turnstile.render(button, { sitekey: 'shop', callback: note('token') });
    turnstile.remove(render());
    const rest = document.forms[0]?.children.length;
    render();
    return rest;
  });
  t.equal(rest, 1, 'nothing but the button is left in the form');
  await page.click('button');
  await waitFor(page, 'token');
  t.match(await site.verify('shop', String((await saidOf(page, 'token'))[0])), { success: true });
});

t.test('each element is rendered once, only with a site key, and not with explicit', async (t) => {
  const body = `<div class="cf-turnstile" data-sitekey="shop"></div><div class="cf-turnstile"></div>
    <div class="cf-turnstile" data-sitekey=""></div>`;
  const page = await open(
    `${body}${tag('/turnstile/v0/api.js', '')}${tag('/turnstile/v0/api.js?onload=loaded')}<script>var loaded = note('loaded');</script>`,
  );
  await waitFor(page, 'loaded');
  await nextTurns(page, 50);
  t.equal(await page.$$eval('iframe', ({ length }) => length), 1);
  const explicit = await open(
    `${body}${tag('/turnstile/v0/api.js?render=explicit&onload=loaded')}<script>var loaded = note('loaded');</script>`,
  );
  await waitFor(explicit, 'loaded');
  await nextTurns(explicit, 50);
  t.equal(await explicit.$('iframe'), null);
});

t.test(
  'our origin in script-src and frame-src suffices, also for a copy of the script from another origin',
  async (t) => {
    const { origin } = new URL(site.service);
    site.script('/copied/script.js', await (await fetch(`${site.service}/api.js?compat=turnstile`)).text());
    const page = await open(
      `<div class="cf-turnstile" data-sitekey="shop"></div><script nonce="own" src="/copied/script.js?hl=fr"></script>`,
      {
        'content-security-policy': `default-src 'none'; script-src ${origin} 'nonce-own'; frame-src ${origin}`,
      },
    );
    const frame = await frameOf(page);
    await frame.waitForSelector('.box[data-status=ready]');
    await frame.waitForSelector('text=Terminé.');
    t.equal(await frame.evaluate(() => document.documentElement.lang), 'fr');
    t.match(
      await frame.$eval('tollgate-challenge', (element) => element.shadowRoot?.textContent),
      'Vérification de sécurité',
    );
    t.equal(await page.$eval('iframe', ({ title }) => title), 'Vérification de sécurité');
    t.ok(frame.url().startsWith(`${site.service}/sites/shop/frame`));
  },
);

t.test('a widget works in a document written into a frame', async (t) => {
  const page = await open('<iframe id="written"></iframe>');
  await page.evaluate((src) => {
    const written = (document.getElementById('written') as HTMLIFrameElement).contentDocument;
    written?.write(
      `<form><div class="cf-turnstile" data-sitekey="shop"></div></form><script src="${src}"></scr${'ipt>'}`,
    );
    written?.close();
  }, `${site.service}/turnstile/v0/api.js`);
  const written = await (await page.$('#written'))?.contentFrame();
  await written?.waitForFunction(
    () =>
      document.querySelector('input')?.value !== undefined && document.querySelector('input')?.value !== '',
  );
  const token = await written?.$eval('input', ({ value }) => value);
  t.match(await site.verify('shop', token ?? ''), { success: true, hostname: 'localhost' });
});

t.test('a frame that does not load is an error, and is retried', async (t) => {
  site.refused.set('/sites/shop/frame', { status: 503, body: {} });
  const page =
    await open(`<div class="h-captcha" data-sitekey="shop" data-callback="token" data-error-callback="error"></div>
    <script>var token = note('token'), error = note('error');</script>${tag('/1/api.js')}`);
  await waitFor(page, 'error');
  t.same(await saidOf(page, 'error'), ['network-error']);
  site.refused.clear();
  await waitFor(page, 'token');
});

t.test(
  'a widget was dead after its frame had failed to load: reset, a later start and execute',
  async (t) => {
    site.refused.set('/sites/shop/frame', { status: 503, body: {} });
    const page =
      await open(`<div id="reset"></div><div id="inside"></div><div id="later" style="display: none"></div><div id="paused"></div>
    ${tag('/1/api.js?render=explicit&onload=loaded')}<script>function loaded() {
      const render = (name, more) => hcaptcha.render(name, { sitekey: 'shop', callback: note(name), 'error-callback': note(name + ' failed'), ...more });
      render('reset');
      render('inside', { 'error-callback': () => { note('inside failed')(); hcaptcha.reset('inside'); } });
      render('later');
      render('paused', { size: 'invisible' });
    }</script>`);
    for (const name of ['reset', 'inside', 'later', 'paused']) await waitFor(page, `${name} failed`);
    await page.evaluate(() => {
      const execute = () => hcaptcha.execute('paused', { async: true }) as Promise<unknown>;
      execute().catch(() => {
        note('rejected')();
        execute().then(note('settled'), note('settled'));
      });
    });
    await waitFor(page, 'rejected');
    site.refused.clear();
    await page.evaluate(() => {
      hcaptcha.reset('reset');
      (document.getElementById('later') as HTMLElement).style.display = '';
    });
    await page.keyboard.press('Tab');
    for (const name of ['reset', 'inside', 'later', 'settled']) await waitFor(page, name);
    t.match(await saidOf(page, 'settled'), [{ response: /\./ }]);
  },
);

t.test('a frame that failed to load after a move in the page stayed dead', async () => {
  const page =
    await open(`<div class="cf-turnstile" data-sitekey="shop" data-callback="token" data-error-callback="error"></div>
    <p></p><script>var token = note('token'), error = note('error');</script>${tag('/turnstile/v0/api.js')}`);
  await waitFor(page, 'token');
  site.refused.set('/sites/shop/frame', { status: 503, body: {} });
  await page.evaluate('document.querySelector("p").append(document.querySelector(".cf-turnstile"))');
  await waitFor(page, 'error');
  site.refused.clear();
  await page.evaluate(() => turnstile.reset());
  await waitFor(page, 'token', 2);
});

t.test('a widget in a sandboxed frame reports its failure at once, and the console the reason', async (t) => {
  const inner = site.page(`<!doctype html><html lang="en"><title>A shop</title>
    <div class="cf-turnstile" data-sitekey="shop"></div>${tag('/turnstile/v0/api.js')}`);
  const page = await visit.context.newPage();
  const said: string[] = [];
  page.on('console', (message) => {
    if (message.text().startsWith('Tollgate:')) said.push(message.text());
  });
  await page.goto(
    site.page(`<!doctype html><html lang="en"><title>A page</title>
      <iframe sandbox="allow-scripts allow-forms" src="${inner}"></iframe>`),
  );
  const widget = page.frameLocator('iframe').frameLocator('iframe');
  await widget.getByText('The security check of this site is not set up correctly.').first().waitFor();
  await until(() => said.length > 0, 'the console reports it');
  await nextTurns(page, 3_000);
  t.match(said, [/^Tollgate: a widget has failed \(hostname\): .*a sandboxed frame and a file have none/]);
  t.equal(said.length, 1, said.join('\n'));
});

t.test('a failed run reports the reason, and consecutive calls are slowed down', async (t) => {
  site.refused.set('/sites/shop/redeem', {
    status: 403,
    body: { code: 'hostname_not_allowed', message: 'No' },
  });
  const page = await open(`${tag('/recaptcha/api.js?render=shop', '')}`);
  await page.evaluate(() => {
    const again = () =>
      (grecaptcha.execute('shop', { action: 'a' }) as Promise<unknown>).catch(() => {
        note('failed')();
        again();
      });
    again();
  });
  await waitFor(page, 'failed', 2);
  await nextTurns(page, 1_000);
  t.equal(countOf('POST /sites/shop/redeem'), 2);
  const other = await open(`<div class="cf-turnstile" data-sitekey="shop" data-error-callback="error"></div>
    <div class="cf-turnstile" data-sitekey="other" data-error-callback="error"></div><script>var error = note('error');</script>${tag('/turnstile/v0/api.js')}`);
  await waitFor(other, 'error', 2);
  t.same(await saidOf(other, 'error'), ['110200', '110200']);
});

t.test('calls during a Retry-After prolonged it without end', async (t) => {
  site.refused.set('/sites/shop/pow', {
    status: 429,
    body: { code: 'rate_limited', message: 'Slow down' },
    headers: { 'retry-after': '5' },
  });
  const page = await open(tag('/recaptcha/api.js?render=shop', ''));
  await page.evaluate(() => {
    const again = () =>
      (grecaptcha.execute('shop', { action: 'a' }) as Promise<unknown>).then(note('token'), () => {
        note('failed')();
        again();
      });
    again();
  });
  await waitFor(page, 'failed');
  site.refused.clear();
  await waitFor(page, 'token');
  // The fourth call follows after 6 seconds.
  t.ok((await saidOf(page, 'failed')).length <= 3);
});

t.test('messages from other windows than the frame or its page are ignored', async (t) => {
  const page = await open(
    `<form><div class="cf-turnstile" data-sitekey="shop" data-execution="execute"></div></form><iframe id="other" srcdoc="x"></iframe>${tag('/turnstile/v0/api.js')}`,
  );
  const frame = await frameOf(page);
  await frame.waitForSelector('tollgate-challenge');
  await page.evaluate(() => {
    const forged = { tollgate: 'token', run: 1, token: 'forged', expiresInSeconds: 100 };
    turnstile.execute();
    for (let run = 0; run < 3; run += 1) window.postMessage({ ...forged, run }, '*');
    const other = document.getElementById('other') as HTMLIFrameElement;
    other.contentWindow?.parent.postMessage(forged, '*');
  });
  await page.waitForFunction(() => turnstile.getResponse() !== undefined);
  t.not(await page.evaluate(() => turnstile.getResponse()), 'forged');
  site.answered.length = 0;
  await page.evaluate(() => {
    // From another window than its parent.
    const script = document.createElement('script');
    script.textContent = `parent.frames[0].postMessage({ tollgate: 'run', run: 9, retries: false }, '*')`;
    (document.getElementById('other') as HTMLIFrameElement).contentDocument?.body.append(script);
  });
  await nextTurns(page, 300);
  t.same(site.answered, []);
});

t.test('an image is answered in the raised frame of an invisible widget, by keyboard only', async (t) => {
  const answers: string[] = [];
  const page = await open(tag('/recaptcha/api.js?render=explicit', ''));
  page.on('response', async (response) => {
    if (/\/sites\/image\?/.test(response.url())) answers.push((await response.json()).answer);
  });
  await page.evaluate(() => {
    const { render, execute } = grecaptcha;
    (execute(render({ sitekey: 'image' })) as Promise<string>).then(note('token'));
  });
  const frame = await frameOf(page);
  const field = await frame.waitForSelector('input#answer');
  await frame.waitForFunction(() => document.activeElement?.localName === 'tollgate-challenge');
  // A frame is below the headings of its page.
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
  const { violations } = (await frame.evaluate(
    `(() => { const module = undefined; ${axe}; return axe.run(document, { rules: { 'page-has-heading-one': { enabled: false } } }); })()`,
  )) as { violations: { id: string }[] };
  t.same(
    violations.map(({ id }) => id),
    [],
  );
  await field.fill('wrong');
  await field.press('Enter');
  await frame.waitForFunction(() =>
    document.querySelector('tollgate-challenge')?.shadowRoot?.textContent?.includes('not accepted'),
  );
  await frame.waitForSelector('.image-part:not([data-stale]) img:not([hidden])');
  await field.fill(answers.at(-1) ?? '');
  await field.press('Enter');
  await waitFor(page, 'token');
  const [token] = await saidOf(page, 'token');
  t.match(await site.verify('image', String(token)), { success: true });
  t.equal(await page.$eval('iframe', (frame) => getComputedStyle(frame).visibility), 'hidden');
});

t.test('an image of an invisible widget in a hidden container could not be seen', async (t) => {
  const answers: string[] = [];
  const page = await open(
    `<div id="place" style="display: none"></div>${tag('/1/api.js?render=explicit', '')}`,
  );
  page.on('response', async (response) => {
    if (/\/sites\/image\?/.test(response.url())) answers.push((await response.json()).answer);
  });
  await page.evaluate(() => {
    hcaptcha.render('place', { sitekey: 'image', size: 'invisible', callback: note('token') });
    hcaptcha.execute();
  });
  const field = page.frameLocator('body > div > iframe').locator('input#answer');
  await field.waitFor();
  await field.fill(answers.at(-1) ?? '');
  await field.press('Enter');
  await waitFor(page, 'token');
  const [token] = await saidOf(page, 'token');
  t.equal(await page.evaluate(() => hcaptcha.getResponse('place')), token);
  t.equal(await page.$eval('#place textarea', (field) => (field as HTMLTextAreaElement).value), token);
  await page.evaluate(() => hcaptcha.remove('place'));
  t.equal(await page.$eval('#place', (place) => place.innerHTML), '');
  t.equal(await page.$('iframe'), null);
});

t.test('no page has thrown', async (t) => {
  t.same(visit.errors, []);
});
