// Checks that each client counts as its own address, not as another client's or the proxy's.

import { type Answer, textOf } from '../answer.js';
import type { Route } from '../exchange.js';
import type { CountedAddress } from '../inside/counted-address.js';
import { addressesOf, type PublicClient } from '../public-client.js';
import { type Finding, good, problem, warning } from '../report.js';

/**
 * Counted addresses of requests, as tags. The tag, the first two characters of a challenge's token, is derived from the
 * counted address: equal addresses have equal tags, and 3,843 of 3,844 others differ.
 */
export interface AddressFacts {
  /** Tags of plain requests, all from one address of this machine. */
  readonly plain: readonly string[];
  /** Tags of requests with a forged `X-Forwarded-For`. */
  readonly claiming: readonly string[];
  /** Tags of requests from several addresses of this machine, one for each; fewer than two are inconclusive. */
  readonly apart: readonly string[];
  /** The address counted in the store; undefined if it was not read. */
  readonly counted: CountedAddress | undefined;
  /** `TRUST_PROXY` of the service's environment; undefined if unknown. */
  readonly trustProxy: readonly string[] | undefined;
}

const SET_NOT_APPEND =
  'Let the outermost proxy overwrite X-Forwarded-For with the address of the connection, and list only proxies in TRUST_PROXY.';
const NAME_PROXY =
  'Set TRUST_PROXY of both services to the gateway address; the gateway must set X-Forwarded-For.';

/** Documentation addresses (RFC 5737). */
const CLAIMED = ['198.51.100.71', '203.0.113.72'];

/** Linux lets a process connect from every address of 127.0.0.0/8. */
const LOOPBACK = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

const PLAIN_REQUESTS = 3;
const TAG_CHARACTERS = 2;

const NO_TAGS = { plain: [], claiming: [], apart: [] };

/** The tags that a client can see. */
export type AddressTags = Pick<AddressFacts, 'plain' | 'claiming' | 'apart'>;

interface AddressProbe {
  readonly tags: AddressTags;
  /** Responses to the plain requests. */
  readonly answers: readonly Answer[];
  /** The route of the plain requests. */
  readonly route: Route;
}

/** Requests challenges. Each request has one route only, so that this machine uses no second address for it. */
export async function probeAddresses(client: PublicClient): Promise<AddressProbe> {
  const routes = await routesTo(client);
  const [first = {}] = routes;
  const answers: Answer[] = [];
  for (let request = 0; request < PLAIN_REQUESTS; request++) answers.push(await client.issueImage(first));
  const claiming: Answer[] = [];
  for (const address of CLAIMED) {
    claiming.push(await client.issueImage({ ...first, headers: { 'x-forwarded-for': address } }));
  }
  const others: Answer[] = [];
  for (const route of routes.slice(1)) others.push(await client.issueImage(route));
  // A repeated token comes from a cache and proves nothing about the client.
  const tokens = [...answers, ...claiming, ...others]
    .map((answer) => textOf(answer, 'token'))
    .filter(Boolean);
  if (new Set(tokens).size < tokens.length) return { tags: NO_TAGS, answers, route: first };
  const plain = tagsOf(answers);
  const apart = [...plain.slice(0, 1), ...tagsOf(others)];
  return { tags: { plain, claiming: tagsOf(claiming), apart }, answers, route: first };
}

/** Limits and prices are per address: a forged address escapes them, and a collapsed one is shared by all clients. */
export function diagnoseAddresses(facts: AddressFacts): Finding[] {
  const { plain, claiming, trustProxy } = facts;
  const found: Finding[] = [];
  if (trustProxy?.length === 0) {
    found.push(
      problem(
        'trust_proxy_unset',
        'TRUST_PROXY is not set, although a gateway is in front: all clients count as one address.',
        NAME_PROXY,
      ),
    );
  }
  if (plain.length === 0) return found;
  if (new Set(plain).size > 1) {
    found.push(
      warning(
        'address_varies',
        'This client counts as several addresses.',
        'It reaches the gateway by several routes, or nodes differ in TRUST_PROXY or in the first element of CHALLENGE_SECRET.',
      ),
    );
    return found;
  }
  if (claiming.some((tag) => tag !== plain[0])) {
    found.push(
      problem(
        'address_claimed',
        'A forged X-Forwarded-For was accepted: a client can claim any address and escape every limit.',
        SET_NOT_APPEND,
      ),
    );
  }
  const collapse = collapseOf(facts);
  if (collapse !== undefined && trustProxy?.length !== 0) {
    const message = `${collapse}: all clients share every limit and price.`;
    found.push(problem('addresses_collapsed', message, NAME_PROXY));
  }
  if (found.length > 0) return found;
  if (areToldApart(facts))
    return [good('addresses', 'Each client counts as its own address, and cannot claim another.')];
  return [good('addresses', 'A client cannot claim another address.')];
}

/** The evidence that clients share one address; undefined if there is none. */
function collapseOf({ apart, counted }: AddressFacts): string | undefined {
  if (apart.length > 1 && new Set(apart).size === 1) return 'Requests from different addresses count as one';
  if (counted?.proxy === undefined) return undefined;
  return `This client counts as ${counted.proxy}, which is not its address`;
}

/** Whether addresses were distinguished. */
export function areToldApart({ apart, counted }: Pick<AddressFacts, 'apart' | 'counted'>): boolean {
  return new Set(apart).size > 1 || counted?.isOwn === true;
}

/** Routes from different addresses of this machine. */
async function routesTo(client: PublicClient): Promise<Route[]> {
  const addresses = await addressesOf(client);
  if (addresses.some((address) => address.startsWith('127.'))) {
    return LOOPBACK.map((localAddress): Route => ({ family: 4, localAddress }));
  }
  const families = new Set(addresses.map((address) => (address.includes(':') ? 6 : 4)));
  return [4 as const, 6 as const]
    .filter((family) => families.has(family))
    .map((family): Route => ({ family }));
}

function tagsOf(answers: readonly Answer[]): string[] {
  return answers
    .filter(({ status }) => status === 200)
    .map((answer) => textOf(answer, 'token').slice(0, TAG_CHARACTERS));
}
