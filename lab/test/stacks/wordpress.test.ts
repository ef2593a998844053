// deploy/wordpress in Debian's WordPress, in a browser.

import { hash } from 'node:crypto';
import { languages } from '@tollgate/shared/messages';
import { launchBrowser } from '@tollgate/tests/browser/chromium.js';
import { openPage } from '@tollgate/tests/browser/open-page.js';
import { codeBlocks } from '@tollgate/tests/docs/markdown.js';
import { readProjectFile } from '@tollgate/tests/docs/project-file.js';
import { type HostedSystem, startHostedSystem } from '@tollgate/tests/examples/hosts.js';
import type { Browser, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { startFront } from '../engines/front.js';
import { ADMIN, type Blog, hasWordPress, startBlog } from './blog.js';

const SECRET = 'the-secret-of-the-blog-00000000000000000';
const REJECTED = 'The security check failed or has expired. Please try again.';
const UNAVAILABLE = 'The security check is unavailable at the moment. Please try again shortly.';
const NO_SCRIPT = 'This form needs JavaScript.';
const RECEIPT = 'cf-turnstile-response';

t.test(
  'the plugin in WordPress',
  { skip: hasWordPress ? false : 'WordPress is not installed' },
  async (t) => {
    const [ownForm = ''] = codeBlocks(readProjectFile('docs/stacks/wordpress.md'), 'php');
    const system = await startHostedSystem(t, {
      SITES: JSON.stringify({ blog: { secret_sha256: hash('sha256', SECRET), hostnames: ['localhost'] } }),
      CAPTCHA_POW_VOLUME_STEP: '0',
      RATE_LIMIT_POW: '1000',
      RATE_LIMIT_REDEEM: '1000',
      RATE_LIMIT_SITEVERIFY: '1000',
    });
    const blog = await startBlog(t, ownForm);
    const browser = await launchBrowser();
    t.teardown(() => browser.close());
    await tests(t, system, blog, browser);
  },
);

async function tests(t: Test, system: HostedSystem, blog: Blog, browser: Browser): Promise<void> {
  const internal = await startFront();
  t.teardown(() => internal.stop());
  internal.forward('/', system.ports.challenge);
  const url = (path: string) => `${blog.address}/${path}`;
  const POST = '?p=1';
  const admin = await openPage(t, browser, url('wp-login.php'));
  const visit = (path: string) => openPage(t, browser, url(path));

  /** Waits until the widget of the page has a receipt. */
  const receiptIn = async (page: Page): Promise<string> => {
    await page.locator('.cf-turnstile').scrollIntoViewIfNeeded();
    await page.waitForFunction(
      (name) => document.querySelector<HTMLInputElement>(`[name=${name}]`)?.value,
      RECEIPT,
    );
    return page.locator(`[name=${RECEIPT}]`).inputValue();
  };
  const send = async (path: string, fields: Record<string, string>) => {
    const cookie = 'wordpress_test_cookie=WP%20Cookie%20check';
    const body = new URLSearchParams(fields);
    const response = await fetch(url(path), {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: { cookie },
    });
    return { status: response.status, text: await response.text() };
  };
  const logIn = async (page: Page, name: string, password: string) => {
    await page.fill('#user_login', name);
    await page.fill('#user_pass', password);
    await page.click('#wp-submit');
  };
  const showsError = (page: Page, text: string) => page.locator('#login_error', { hasText: text }).waitFor();
  /** A site can have a language without its language pack. */
  const setLocale = (locale: string) =>
    blog.evaluate(`global $wpdb;
      $wpdb->replace( $wpdb->options, array( 'option_name' => 'WPLANG', 'option_value' => '${locale}' ) );`);
  const status = (text: string) => admin.locator('strong', { hasText: text }).waitFor();

  await t.test('an administrator uploads, activates and configures it', async () => {
    await logIn(admin, ADMIN.name, ADMIN.password);
    await admin.waitForURL(url('wp-admin/'));
    await admin.goto(url('wp-admin/options-general.php'));
    await admin.check('#users_can_register');
    await admin.click('#submit');
    await admin.goto(url('wp-admin/plugin-install.php?tab=upload'));
    await admin.setInputFiles('#pluginzip', blog.plugin);
    await admin.click('#install-plugin-submit');
    await admin.getByText('Plugin installed successfully.').waitFor();
    await admin.getByRole('link', { name: 'Activate Plugin' }).click();
    await admin.getByText('Plugin activated.').waitFor();
    await admin.goto(url('wp-admin/options-general.php?page=tollgate'));
    await status('Not configured: no form is guarded.');
    await admin.fill('#tollgate-url', `${system.address}/`);
    await admin.fill('#tollgate-internal_url', internal.address);
    await admin.fill('#tollgate-site_key', 'blog');
    await admin.fill('#tollgate-secret', 'wrong');
    await admin.click('#submit');
    await status('The service cannot be used: invalid-input-secret.');
    await admin.fill('#tollgate-secret', SECRET);
    await admin.click('#submit');
    await status('The service accepts the secret.');
    await admin.click('#submit');
    await status('The service accepts the secret.');
    t.notOk((await admin.content()).includes(SECRET));
  });

  const comment = (page: Page, text: string) => page.fill('#comment', text);
  const isHeld = (page: Page, text: string) =>
    page
      .locator('li.comment', { hasText: /awaiting moderation/ })
      .filter({ hasText: text })
      .waitFor();
  const author = async (page: Page) => {
    await page.fill('#author', 'Ann');
    await page.fill('#email', 'ann@example.com');
  };
  const posted = { author: 'Bob', email: 'bob@example.com', comment_post_ID: '1' };

  await t.test('comments', async (t) => {
    const page = await visit(POST);
    await author(page);
    await comment(page, 'The first comment');
    const spent = await receiptIn(page);
    await page.click('#submit');
    await isHeld(page, 'The first comment');
    for (const receipt of ['', 'forged', spent]) {
      const refused = await send('wp-comments-post.php', { ...posted, comment: 'x', [RECEIPT]: receipt });
      t.match(refused, { status: 403, text: REJECTED }, receipt);
    }
    const missing = await send('wp-comments-post.php', { ...posted, comment: 'x' });
    t.match(missing, { status: 403, text: REJECTED });
    t.match(await send('wp-comments-post.php', { ...posted, comment: 'x', [`${RECEIPT}[]`]: 'x' }), {
      status: 403,
    });
  });

  await t.test('a comment is accepted after a refused field, and after the service was away', async (t) => {
    const page = await visit(POST);
    await comment(page, 'The second comment');
    await receiptIn(page);
    await page.click('#submit');
    await page.getByText('Please fill the required fields').waitFor();
    await page.goBack();
    t.equal(await page.inputValue('#comment'), 'The second comment');
    await author(page);
    await receiptIn(page);
    const restore = await internal.cut();
    await page.click('#submit');
    await page.getByText(UNAVAILABLE).waitFor();
    await page.getByText('Back').click();
    await restore();
    t.equal(await page.inputValue('#comment'), 'The second comment');
    await receiptIn(page);
    await page.click('#submit');
    await isHeld(page, 'The second comment');
  });

  await t.test('moderators need no receipt', async () => {
    await admin.goto(url(POST));
    await comment(admin, 'A reply');
    await admin.click('#submit');
    await admin.locator('li.comment', { hasText: 'A reply' }).waitFor();
  });

  await t.test('the login', async (t) => {
    const page = await visit('wp-login.php');
    const right = { log: ADMIN.name, pwd: ADMIN.password };
    const wrong = { log: ADMIN.name, pwd: 'wrong' };
    for (const fields of [right, wrong, { ...right, [RECEIPT]: 'forged' }]) {
      t.match(await send('wp-login.php', fields), { status: 200, text: REJECTED });
    }
    await page.click('#wp-submit');
    await showsError(page, 'The username field is empty');
    const first = await receiptIn(page);
    await logIn(page, ADMIN.name, 'wrong');
    await showsError(page, 'The password you entered');
    t.match(await send('wp-login.php', { ...right, [RECEIPT]: first }), { status: 200, text: REJECTED });
    const second = await receiptIn(page);
    await logIn(page, ADMIN.name, ADMIN.password);
    await page.waitForURL(url('wp-admin/'));
    t.equal((await send('wp-login.php', { ...right, [RECEIPT]: second })).status, 302, 'the same form again');
    t.match(await send('wp-login.php', { ...wrong, [RECEIPT]: second }), { status: 200, text: REJECTED });
    const other = await visit(POST);
    const foreign = await receiptIn(other);
    t.match(await send('wp-login.php', { ...right, [RECEIPT]: foreign }), { status: 200, text: REJECTED });
  });

  await t.test('while the service is away, administrators may be allowed to log in', async (t) => {
    const page = await visit('wp-login.php');
    const form = { log: ADMIN.name, pwd: ADMIN.password, [RECEIPT]: await receiptIn(page) };
    const restore = await internal.cut();
    t.match(await send('wp-login.php', form), { status: 200, text: UNAVAILABLE });
    blog.allowAdminsWithoutService(true);
    t.match(await send('wp-login.php', { ...form, pwd: 'wrong' }), { status: 200, text: UNAVAILABLE });
    t.match(await send('wp-login.php', { ...form, [RECEIPT]: '' }), { status: 200, text: REJECTED });
    await logIn(page, ADMIN.name, ADMIN.password);
    await page.waitForURL(url('wp-admin/'));
    await blog.evaluate(`wp_create_user( 'carol', 'a password of Carol', 'carol@example.com' );`);
    t.match(await send('wp-login.php', { ...form, log: 'carol', pwd: 'a password of Carol' }), {
      status: 200,
      text: UNAVAILABLE,
    });
    blog.allowAdminsWithoutService(false);
    await restore();
  });

  await t.test('a service that does not respond counts as unavailable', async (t) => {
    const release = internal.hold('POST /api/captcha/siteverify');
    t.teardown(release);
    const refused = await send('wp-comments-post.php', { ...posted, comment: 'x', [RECEIPT]: 'x' });
    t.match(refused, { status: 503, text: UNAVAILABLE });
  });

  await t.test('a login form in a page is guarded, and no login without a form', async (t) => {
    await blog.evaluate(`wp_insert_post( array(
      'post_type' => 'page', 'post_status' => 'publish', 'post_name' => 'enter', 'post_title' => 'Enter',
      'post_content' => '<!-- wp:loginout {"displayLoginAsForm":true} /-->',
    ) );`);
    const page = await visit('?pagename=enter');
    await receiptIn(page);
    await page.fill('[name=log]', 'carol');
    await page.fill('[name=pwd]', 'a password of Carol');
    await page.getByRole('button', { name: 'Log In' }).click();
    await page.getByRole('link', { name: 'Log out', exact: true }).waitFor();
    await page.goto(url('wp-admin/options-general.php?page=tollgate'));
    await page.getByText('you are not allowed to access this page').waitFor();
    const login = `wp_authenticate( 'carol', 'a password of Carol' ) instanceof WP_User ? 'yes' : 'no';`;
    t.equal(await blog.evaluate(`echo ${login}`), 'yes', 'as a second factor or a command does it');
  });

  await t.test('settings are sanitised', async (t) => {
    const given = `array( 'url' => 'javascript:alert(1)', 'internal_url' => array( 'x' ), 'site_key' => '"><b>blog',
      'secret' => "<script>\n", 'forms' => array( 'login', 'others', array( 'x' ) ) )`;
    t.strictSame(JSON.parse(await blog.evaluate(`echo wp_json_encode( tollgate_sanitize( ${given} ) );`)), {
      url: '',
      internal_url: '',
      site_key: 'blog',
      secret: SECRET,
      forms: ['login'],
    });
    t.match(JSON.parse(await blog.evaluate(`echo wp_json_encode( tollgate_sanitize( null ) );`)), {
      url: '',
    });
  });

  await t.test('application passwords work, and XML-RPC takes no other', async (t) => {
    await admin.goto(url('wp-admin/profile.php'));
    await admin.fill('#new_application_password_name', 'a test');
    await admin.click('#do_new_application_password');
    const password = await admin.locator('#new-application-password-value').inputValue();
    const call = async (word: string) => {
      const values = [ADMIN.name, word].map((text) => `<param><value>${text}</value></param>`).join('');
      const body = `<methodCall><methodName>wp.getUsersBlogs</methodName><params>${values}</params></methodCall>`;
      return (await fetch(url('xmlrpc.php'), { method: 'POST', body })).text();
    };
    t.match(await call(ADMIN.password), 'Incorrect username or password');
    t.match(await call(password), 'isAdmin');
    const authorization = `Basic ${btoa(`${ADMIN.name}:${password}`)}`;
    const created = await fetch(url('?rest_route=/wp/v2/pages'), {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Callback', content: '[callback]', slug: 'callback', status: 'publish' }),
    });
    t.equal(created.status, 201);
  });

  await t.test('a registration', async (t) => {
    const page = await visit('wp-login.php?action=register');
    await receiptIn(page);
    await page.fill('#user_login', 'dora');
    await page.fill('#user_email', 'admin@example.com');
    await page.click('#wp-submit');
    await showsError(page, 'This email address is already registered');
    await page.fill('#user_email', 'dora@example.com');
    const receipt = await receiptIn(page);
    await page.click('#wp-submit');
    await page.waitForURL(/checkemail=registered/);
    const another = { user_login: 'emil', user_email: 'emil@example.com' };
    for (const value of ['', receipt]) {
      const refused = await send('wp-login.php?action=register', { ...another, [RECEIPT]: value });
      t.match(refused, { status: 200, text: REJECTED });
    }
    t.equal(await blog.evaluate(`echo username_exists( 'dora' ) ? 'yes' : 'no';`), 'yes');
    t.equal(await blog.evaluate(`echo username_exists( 'emil' ) ? 'yes' : 'no';`), 'no');
  });

  await t.test('a lost password', async (t) => {
    const page = await visit('wp-login.php?action=lostpassword');
    for (const user_login of [ADMIN.name, 'nobody']) {
      const { text } = await send('wp-login.php?action=lostpassword', { user_login });
      t.match(text, REJECTED);
      t.notMatch(text, 'no account');
    }
    await receiptIn(page);
    await page.fill('#user_login', ADMIN.name);
    await page.click('#wp-submit');
    await page.waitForURL(/checkemail=confirm/);
    await admin.goto(url('wp-admin/users.php'));
    await admin.locator('tr', { hasText: 'dora' }).hover();
    await admin.locator('tr', { hasText: 'dora' }).getByText('Send password reset').click();
    await admin.getByText('Password reset link sent').waitFor();
  });

  await t.test('a form with the shortcode', async (t) => {
    const page = await visit('?pagename=callback');
    await page.fill('[name=callback_number]', '030 123456');
    await receiptIn(page);
    const restore = await internal.cut();
    await page.getByRole('button', { name: 'Call me' }).click();
    await page.getByText(UNAVAILABLE).waitFor();
    await restore();
    t.equal(await page.inputValue('[name=callback_number]'), '030 123456');
    const receipt = await receiptIn(page);
    await page.getByRole('button', { name: 'Call me' }).click();
    await page.getByText('We will call you.').waitFor();
    for (const value of ['', receipt]) {
      const { text } = await send('?pagename=callback', { callback_number: '030 123456', [RECEIPT]: value });
      t.match(text, REJECTED);
      t.notMatch(text, 'We will call you.');
    }
  });

  await t.test('a visitor of a German blog reads German', async (t) => {
    const rejected = 'Die Sicherheitsprüfung ist fehlgeschlagen oder abgelaufen.';
    const unavailable = 'Die Sicherheitsprüfung ist zurzeit nicht verfügbar.';
    await setLocale('de_AT');
    const page = await visit(POST);
    t.match(await page.textContent('#commentform noscript'), 'Dieses Formular braucht JavaScript.');
    await page.frameLocator('.cf-turnstile iframe').getByText('Sicherheitsprüfung').first().waitFor();
    await author(page);
    await comment(page, 'Ein Kommentar');
    await receiptIn(page);
    const restore = await internal.cut();
    await page.click('#submit');
    await page.getByText(unavailable).waitFor();
    await restore();
    const refused = await send('wp-comments-post.php', { ...posted, comment: 'x', [RECEIPT]: 'forged' });
    t.match(refused, { status: 403, text: rejected });
    await setLocale('');
  });

  await t.test('visitors read the language of the widget, or the own translation of the site', async (t) => {
    const language = `add_filter( 'locale', fn() => 'LOCALE' ); echo tollgate_verify( 'form' )->get_error_message();`;
    const read = (locale: string) => blog.evaluate(language.replace('LOCALE', locale));
    for (const [locale, words] of [
      ['pt_BR', 'Tente novamente.'],
      ['pt_AO', 'Tente novamente, por favor.'],
      ['zh_CN', '请重试'],
      ['zh_HK', '請再試一次'],
      ['de_DE_formal', 'Bitte versuchen Sie es noch einmal.'],
      ['eo', REJECTED],
    ] as const) {
      t.match(await read(locale), words, locale);
    }
    const own = `add_filter( 'gettext_tollgate', fn() => 'Ihre Worte', 9 );`;
    t.equal(await blog.evaluate(`${own}${language.replace('LOCALE', 'de_DE')}`), 'Ihre Worte');
    const all = JSON.parse(
      await blog.evaluate(`echo wp_json_encode( require WP_PLUGIN_DIR . '/tollgate/texts.php' );`),
    );
    t.same(Object.keys(all).toSorted(), [NO_SCRIPT, REJECTED, UNAVAILABLE].sort());
    for (const texts of Object.values<Record<string, string>>(all)) {
      t.same(['en', ...Object.keys(texts)], languages);
    }
  });

  await t.test('its fields are the same for all visitors', async (t) => {
    const markup = async () =>
      /<div class="cf-turnstile".*?<\/noscript>/s.exec(await (await fetch(url(POST))).text());
    const [one, other] = [await markup(), await markup()];
    t.ok(one);
    t.strictSame(one?.[0], other?.[0]);
  });

  await t.test('it leaves nothing behind', async (t) => {
    t.strictSame(blog.log().match(/.*tollgate\.php.*/g), null, 'no notice of PHP');
    t.match(blog.log(), /Tollgate: invalid-input-secret|Tollgate: cURL error|Tollgate: .*refused/i);
    await admin.goto(url('wp-admin/plugins.php'));
    await admin.click('#deactivate-tollgate');
    admin.once('dialog', (dialog) => void dialog.accept());
    await admin.click('#delete-tollgate');
    await admin.getByText('was successfully deleted').waitFor();
    t.equal(await blog.evaluate(`echo wp_json_encode( get_option( 'tollgate' ) );`), 'false');
  });
}
