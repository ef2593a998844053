// Runs the flows in an engine: one start of the browser, one system, a new visitor for each flow.
import type { Test } from 'tap';
import type { Engine, EngineBrowser, Visitor } from '../../src/engines/engine.js';
import { engines } from '../../src/engines/engines.js';
import { accessFlows } from './access-flows.js';
import { type DemoPage, openDemoPage } from './demo-page.js';
import { formFlows } from './form-flows.js';
import { gateFlows } from './gate-flows.js';
import { outageFlows } from './outage-flows.js';
import { priceFlows } from './price-flows.js';
import { sessionFlows } from './session-flows.js';
import { type Site, startSite } from './site.js';
import { widgetFlows } from './widget-flows.js';

/** Arguments of a flow. */
export interface Stage {
  readonly site: Site;
  readonly browser: EngineBrowser;
  /** A new visitor, on a light screen. */
  readonly visitor: Visitor;
  /** Opens the demo page in a new tab of that visitor. */
  openPage(): Promise<DemoPage>;
}

/** A flow, named after its expected behaviour. */
export type Flows = Readonly<Record<string, (t: Test, stage: Stage) => Promise<void>>>;

const flows: Flows = {
  ...sessionFlows,
  ...priceFlows,
  ...formFlows,
  ...widgetFlows,
  ...gateFlows,
  ...accessFlows,
  ...outageFlows,
};

/** With Trusted Types the solver tries the plain URL of its worker first, as required by bundlers. */
const plainUrlFirst = /^\/forms\/\S+ require-trusted-types-for trusted-types-sink Worker\b/;

/** Turbo rejects when a flow loses its request; on a busy machine the report arrives once the front is back. */
const lostByTurbo = /^\/forms\/turbo\.html: TypeError: (Failed to fetch|NetworkError|Load failed)/;

/** Tests all flows in an engine; if it is missing, one line names the packages to install. */
export async function testFlows(t: Test, name: Engine['name']): Promise<void> {
  const engine = engines[name];
  if (engine.missing !== undefined) {
    t.test(`the flows in ${name}`, { skip: `${name} is not tested: ${engine.missing}` }, async () => {});
    return;
  }
  const site = await startSite(t);
  const browser = await engine.launch();
  t.teardown(() => browser.close());
  for (const [title, flow] of Object.entries(flows)) {
    t.test(`${name}: ${title}`, async (t) => {
      const visitor = await browser.visit();
      t.teardown(() => visitor.leave());
      t.teardown(() => site.front.restore());
      const openPage = async () => openDemoPage(await visitor.openTab(), site);
      await flow(t, { site, browser, visitor, openPage });
      const complaints = site.front.complaints
        .splice(0)
        .filter((text) => !plainUrlFirst.test(text) && !lostByTurbo.test(text));
      t.same(complaints, [], 'no page has errors');
      t.same(site.elsewhere.complaints.splice(0), [], 'no page elsewhere has errors');
    });
  }
}
