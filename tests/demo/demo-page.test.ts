// The demo page: logging in and out, by mouse and by keyboard, in several languages, and with unavailable services.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedPage } from '@tollgate/tools/demo/demo-page.js';
import t from 'tap';
import {
  fail,
  failUntilImage,
  openDemo,
  submit,
  visit,
  waitForAccount,
  waitForForm,
} from './demo-page-visit.js';

const demo = 'demo@example.com';
const pageFolder = new URL('../../../tools/page/', import.meta.url);

const { system, browser } = await openDemo(t);

const password = () => system.demo?.password ?? '';

t.test('the demo account logs in, a reload keeps the session, a logout ends it', async (t) => {
  const { page, context } = await visit(t, browser, system);
  await waitForForm(page);
  t.equal(await page.inputValue('#email'), demo);
  t.match(await page.textContent('#password-hint'), 'printed in the terminal where npm start runs');

  await submit(page, demo, password());
  await waitForAccount(page, demo);
  t.equal(await page.title(), 'Tollgate · Signed in');
  t.match(await page.textContent('#token-time'), /^1[45]:\d\d$/);
  t.match(await page.textContent('#token-next'), /^Renews automatically in 1[34]:\d\d\.$/);
  t.equal(await page.inputValue('#password'), '', 'the password does not stay in the page');
  const [cookie] = await context.cookies(`${system.address}/refresh`);
  t.match(cookie, {
    name: 'refreshToken',
    httpOnly: true,
    secure: false,
    sameSite: 'Strict',
    path: '/refresh',
  });
  const kept = await page.evaluate('[{ ...localStorage }, { ...sessionStorage }, document.cookie]');
  const [storage] = kept as [Record<string, string>];
  t.match(storage[`tollgate:nonce:${system.address}/`], /^[\w-]{22}$/);
  delete storage[`tollgate:nonce:${system.address}/`];
  t.same(kept, [{ [`tollgate:${system.address}/`]: 'signed-in' }, {}, ''], 'no token');

  await page.reload();
  await waitForAccount(page, demo);

  await page.click('#log-out');
  await waitForForm(page);
  t.equal(await page.textContent('#notice'), 'You are logged out.');
  await page.reload();
  await waitForForm(page);
  t.equal(await page.textContent('#notice'), '');
  t.same(await context.cookies(`${system.address}/refresh`), []);
});

t.test('a first visit gets no error response, and shows nothing red', async (t) => {
  const context = await browser.newContext({ locale: 'en-GB' });
  t.teardown(() => context.close());
  const answers: string[] = [];
  const wrong: string[] = [];
  context.on('response', (response) => {
    answers.push(response.url());
    if (response.status() >= 400) wrong.push(`${response.status()} ${response.url()}`);
  });
  context.on('requestfailed', (request) => wrong.push(`${request.failure()?.errorText} ${request.url()}`));
  context.on('console', (message) => wrong.push(message.text()));
  context.on('weberror', (error) => wrong.push(error.error().message));
  const page = await context.newPage();
  await page.goto(system.address);
  await waitForForm(page);
  await page.locator('#log li').nth(1).waitFor();
  t.same(wrong, []);
  t.ok(answers.some((url) => url.endsWith('/api/captcha/pow')));
  t.notOk(answers.some((url) => url.endsWith('/refresh')));
  t.equal(await page.locator('#log :is(.refused, .broken)').count(), 0);
  t.equal(await page.textContent('#notice'), '');
});

t.test('a missing cookie is no error, and is requested once', async (t) => {
  const { page, context } = await visit(t, browser, system);
  await waitForForm(page);
  await submit(page, demo, password());
  await waitForAccount(page, demo);
  await context.clearCookies();
  await page.reload();
  await waitForForm(page);
  t.equal(await page.textContent('#log .ordinary .call'), 'POST /refresh');
  t.equal(await page.locator('#log :is(.refused, .broken)').count(), 0);
  t.equal(await page.textContent('#notice'), '');
  await page.reload();
  await waitForForm(page);
  t.equal(await page.locator('#log .ordinary').count(), 0);
});

t.test('the page lists its requests and solved work, but no token', async (t) => {
  const { page } = await visit(t, browser, system);
  await waitForForm(page);
  await submit(page, demo, password());
  await waitForAccount(page, demo);
  await page.click('#call');
  await page.locator(`#answer:has-text("200")`).waitFor();
  t.equal(await page.textContent('#answer'), `200\n${JSON.stringify({ id: 1, email: demo }, null, 2)}`);
  await page.locator('#log li').nth(5).waitFor();
  const lines = await page.locator('#log li').allTextContents();
  const told = lines.map((line) => line.replace(/\s+[\d,]+ (hashes|ms)\b/g, '').trim()).reverse();
  t.same(told.slice(0, 3), ['GET /api/captcha/pow 200', 'solved 4 bits', 'POST /login 200']);
  t.same(told.slice(3).sort(), ['GET /profile 200', 'GET /profile 200', 'GET /sessions 200']);
  t.match(await page.textContent('#solver'), /^WebAssembly( SIMD)?$/);
  t.match(await page.textContent('#speed'), /^([\d.]+ M\/s)?$/);
});

t.test('keyboard-only login and logout', async (t) => {
  const { page } = await visit(t, browser, system);
  await waitForForm(page);
  await page.waitForSelector('#password:focus');
  await page.keyboard.type(password());
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  t.equal(await page.getAttribute('#password', 'type'), 'text', 'the password can be shown');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#account-title:focus');
  await waitForAccount(page, demo);
  for (let tabs = 0; tabs < 20 && (await page.$('#log-out:focus')) === null; tabs += 1) {
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.waitForSelector('#password:focus');
  t.equal(await page.getAttribute('#password', 'type'), 'password', 'hidden again');
});

t.test('an empty form is not sent', async (t) => {
  const { page } = await visit(t, browser, system);
  await waitForForm(page);
  page.on('request', (request) => {
    if (request.url().endsWith('/login')) t.fail('it was sent');
  });
  await page.fill('#email', '');
  await page.click('#submit');
  await page.waitForSelector('#email:focus');
  t.equal(await page.locator('#sign-in-form:invalid').count(), 1);
});

t.test('after five failures the button counts down to the next attempt', async (t) => {
  const { page } = await visit(t, browser, system);
  const email = 'nobody@example.com';
  await waitForForm(page);
  const field = page.getByRole('textbox', { name: 'Characters in the image' });
  let answer = await failUntilImage(page, email);
  for (let failures = 2; failures < 5; failures += 1) {
    await field.fill(answer);
    const issued = page.waitForResponse((response) => response.url().endsWith('/api/captcha?hint=1'));
    await fail(page, email);
    answer = ((await (await issued).json()) as { answer: string }).answer;
  }
  await field.fill(answer);
  await fail(page, email);
  t.match(await page.textContent('#notice'), 'Too many failed attempts.');
  t.match(await page.textContent('#submit'), /^Wait (1:00|0:\d\d)$/);
  t.equal(await page.getAttribute('#submit', 'aria-disabled'), 'true');
});

t.test('without a response the page says so, and retries on request', async (t) => {
  const { page, context } = await visit(t, browser, system);
  await waitForForm(page);
  await submit(page, demo, password());
  await waitForAccount(page, demo);
  await context.route('**/refresh', (route) => route.abort());
  await page.reload();
  await page.waitForSelector('#look-again:not([hidden])');
  t.match(await page.textContent('#looking-problem'), "We can't reach the server");
  await context.unroute('**/refresh');
  await page.click('#look-again');
  await waitForAccount(page, demo);
});

t.test('the page and its challenge speak the language of the browser', async (t) => {
  for (const [locale, dir, title, refusal] of [
    ['fr-FR', 'ltr', 'Se connecter', 'L’adresse e-mail ou le mot de passe est incorrect.'],
    ['ar', 'rtl', 'تسجيل الدخول', 'عنوان البريد الإلكتروني أو كلمة المرور غير صحيحة.'],
    ['de-AT', 'ltr', 'Anmelden', 'Die E-Mail-Adresse oder das Passwort ist falsch.'],
    ['he', 'rtl', 'התחברות', 'כתובת הדוא״ל או הסיסמה שגויה.'],
    ['pt-BR', 'ltr', 'Entrar', 'O e-mail ou a senha está incorreto.'],
    ['pt-MZ', 'ltr', 'Iniciar sessão', 'O endereço de e-mail ou a palavra-passe está incorreto.'],
    ['zh-HK', 'ltr', '登入', '電子郵件地址或密碼有誤。'],
    ['eo', 'ltr', 'Sign in', 'The email address or the password is wrong.'],
  ] as const) {
    const { page } = await visit(t, browser, system, { locale });
    await waitForForm(page);
    t.equal(await page.getAttribute('html', 'dir'), dir);
    t.equal(await page.textContent('#sign-in-title'), title);
    await submit(page, `${locale}@example.com`, 'a wrong password');
    await page.waitForSelector('#notice[data-kind="bad"]');
    t.equal(await page.textContent('#notice'), refusal);
  }
});

t.test('the page has the languages of the element, and no text is missing in one', async (t) => {
  const keysOf = async (language: string) => {
    const module = await import(new URL(`texts/${language}.js`, pageFolder).href);
    const [texts] = Object.values<Record<string, string>>(module);
    return Object.keys(texts ?? {});
  };
  const markup = ['index.html', 'forms.html']
    .map((name) => readFileSync(new URL(name, pageFolder), 'utf8'))
    .join('');
  const inMarkup = [...markup.matchAll(/data-text="(\w+)"/g)].map(([, key]) => key);
  const languages = readdirSync(new URL('texts/', pageFolder))
    .map((name) => name.replace('.js', ''))
    .filter((language) => language !== 'en');
  const element = await import(join(shippedPage.clientFolder, 'element/languages.js'));
  t.same(['en', ...languages].sort(), element.languages.toSorted());
  const english = [...new Set([...(await keysOf('en')), ...inMarkup])].sort();
  for (const language of languages) t.same((await keysOf(language)).sort(), english, language);
});
