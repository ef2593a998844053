// The demo page as a user operates it, in any engine: the only place with its ids.
import { until } from '@tollgate/test-support/until.js';
import { find, isShown, type Tab } from '../../src/engines/engine.js';
import type { Site } from './site.js';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** The page's controls, by purpose. */
const controls = {
  email: '#email',
  password: '#password',
  'show password': '#show-password',
  remember: '#remember',
  'sign in': '#submit',
  'call the protected route': '#call',
  'log out': '#log-out',
  'look again': '#look-again',
  answer: 'input#answer',
  'new image': '[part~=new-image]',
  'work or image': '[part~=alternative]',
} as const;

export type Control = keyof typeof controls;

export interface DemoPage {
  readonly tab: Tab;
  click(control: Control): Promise<void>;
  fill(control: Control, text: string): Promise<void>;
  /** Waits until it is visible. */
  see(control: Control): Promise<void>;
  /** Waits until it has the focus. */
  waitForFocus(control: Control | 'title'): Promise<void>;
  hasFocus(control: Control): Promise<boolean>;
  /** Waits until the form is there and its work is done. */
  waitForForm(): Promise<void>;
  /** Waits until the page shows that this user is signed in. */
  waitForAccount(email: string): Promise<void>;
  /** Fills the form and sends it; resolves after the response. */
  submit(account: Credentials): Promise<void>;
  /** Fills the form, sends it, and waits for success. */
  signIn(account: Credentials): Promise<void>;
  /** Sends a wrong password, and resolves with the page's message. */
  fail(email: string): Promise<string>;
  /** Fails until an image is required, and waits for it. */
  failUntilImage(email: string): Promise<void>;
  /** Presses the button that calls the protected route. @returns the response status */
  callProfile(): Promise<number>;
  /** The line with the outcome of the last action. */
  notice(): Promise<string>;
  /** Waits until that line is this text. */
  waitForNotice(text: string): Promise<void>;
  /** The displayed price, in bits. */
  bits(): Promise<number>;
  /** Waits for this displayed price, in bits. */
  waitForBits(bits: number): Promise<void>;
  /** Waits until the element is in this state, such as `solving`. */
  waitForChallenge(status: string): Promise<void>;
  /** The element's message about its state. */
  word(): Promise<string>;
  /** The number of refresh responses of this page since it was loaded. */
  refreshes(): Promise<number>;
}

/** A JavaScript expression for the text of an element. */
export const textOf = (selector: string) => `(${find(selector)}?.textContent ?? '')`;

const refreshes = `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/refresh')).length`;
const isAnswered = `${find('#submit')}.ariaDisabled === 'false' || /\\d:\\d\\d/.test(${textOf('#submit')})`;

/** Opens the demo page of a site in a tab. */
export async function openDemoPage(tab: Tab, { front }: Site): Promise<DemoPage> {
  await tab.open(front.address);
  const page: DemoPage = {
    tab,
    click: (control) => tab.click(controls[control]),
    fill: (control, text) => tab.fill(controls[control], text),
    see: (control) => tab.waitFor(isShown(controls[control])),
    waitForFocus: (control) =>
      tab.waitFor(control === 'title' ? isFocused('#account-title') : isFocused(controls[control])),
    hasFocus: (control) => tab.evaluate(isFocused(controls[control])),
    async waitForForm() {
      await tab.waitFor(isShown('#sign-in'));
      await page.waitForChallenge('ready');
    },
    waitForAccount: (email) => tab.waitFor(`${textOf('#account-email')} === ${JSON.stringify(email)}`),
    async submit({ email, password }) {
      const before = logIns();
      await page.fill('email', email);
      await page.fill('password', password);
      // It counts down while the service requires a wait.
      await tab.waitFor(`${find('#submit')}.ariaDisabled !== 'true'`);
      await page.click('sign in');
      await until(() => logIns() > before, 'the response to the login');
    },
    async signIn(account) {
      await page.waitForForm();
      await page.submit(account);
      await page.waitForAccount(account.email);
    },
    async fail(email) {
      await page.submit({ email, password: 'a wrong password' });
      await tab.waitFor(`${find('#notice[data-kind=bad]')} !== null && (${isAnswered})`);
      return page.notice();
    },
    async failUntilImage(email) {
      await page.waitForForm();
      await page.fail(email);
      await page.fail(email);
      await page.see('answer');
      await page.waitForChallenge('ready');
    },
    async callProfile() {
      await page.click('call the protected route');
      await tab.waitFor(isShown('output#answer'));
      return Number.parseInt(await tab.evaluate<string>(textOf('output#answer')), 10);
    },
    notice: () => tab.evaluate(textOf('#notice')),
    waitForNotice: (text) => tab.waitFor(`${textOf('#notice')} === ${JSON.stringify(text)}`),
    bits: async () => Number(await tab.evaluate(textOf('#bits'))),
    waitForBits: (bits) => tab.waitFor(`${textOf('#bits')} === '${bits}'`),
    waitForChallenge: (status) => tab.waitFor(`${find('tollgate-challenge')}?.status === '${status}'`),
    word: () => tab.evaluate(textOf('[part~=word]')),
    refreshes: () => tab.evaluate(refreshes),
  };
  const logIns = () => front.answered.filter((one) => one.startsWith('POST /login ')).length;
  return page;
}

/** Waits until the page has had this many refresh responses. */
export async function waitForRefreshes(page: DemoPage, count: number): Promise<void> {
  await page.tab.waitFor(`${refreshes} >= ${count}`);
}

/** A JavaScript expression that is true while the element has the focus, in any tree. */
export function isFocused(selector: string): string {
  return `${find(selector)}?.matches(':focus') === true`;
}
