// The applications of docs/examples with a contact form and a page for logged-in users, in a browser with the services.

import t from 'tap';
import { visitStacks } from './javascript-stacks.js';

await visitStacks(t, {
  SvelteKit: { example: 'sveltekit', hasOrders: true },
  Nuxt: { example: 'nuxt', hasOrders: true },
  // The status of a server action is always 200: the page's script renders the result.
  'Next.js': { example: 'next', hasOrders: true, statuses: { rejected: 200, unavailable: 200 } },
});
