// The demo page as a person uses it, in whatever engine.
import type { Tab } from './engine.js';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface DemoPage {
  readonly tab: Tab;
  waitForForm(): Promise<void>;
  /** Waits until the page shows that this person is signed in. */
  waitForAccount(email: string): Promise<void>;
  /** Fills the form, sends it, and waits until it has worked. */
  signIn(account: Credentials): Promise<void>;
  logOut(): Promise<void>;
  /** Presses the button that calls the protected route. @returns the status of the answer */
  callProfile(): Promise<number>;
  /** The line that says how the last thing went. */
  notice(): Promise<string>;
  /** How many refreshes this page has had answered since it was loaded. */
  refreshes(): Promise<number>;
}

const REFRESHES = `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/refresh')).length`;

export async function openDemoPage(tab: Tab, address: string): Promise<DemoPage> {
  await tab.open(address);
  const text = (id: string) => `document.getElementById('${id}').textContent`;
  const page: DemoPage = {
    tab,
    waitForForm: () => tab.waitFor(`!document.getElementById('sign-in').hidden`),
    waitForAccount: (email) => tab.waitFor(`${text('account-email')} === ${JSON.stringify(email)}`),
    async signIn({ email, password }) {
      await page.waitForForm();
      await tab.fill('#email', email);
      await tab.fill('#password', password);
      await tab.click('#submit');
      await page.waitForAccount(email);
    },
    logOut: () => tab.click('#log-out'),
    async callProfile() {
      await tab.click('#call');
      await tab.waitFor(`!document.getElementById('answer').hidden`);
      return Number.parseInt(await tab.evaluate<string>(text('answer')), 10);
    },
    notice: () => tab.evaluate(text('notice')),
    refreshes: () => tab.evaluate(REFRESHES),
  };
  return page;
}

/** Waits until the page has had so many refreshes answered. */
export async function waitForRefreshes(page: DemoPage, count: number): Promise<void> {
  await page.tab.waitFor(`${REFRESHES} >= ${count}`);
}
