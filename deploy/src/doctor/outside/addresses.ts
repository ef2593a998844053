// Whether each client counts as itself: not as another, and not as the proxy.

import { type Finding, good, problem, warning } from '../finding.js';

/**
 * What is seen of addresses. The first two characters of a challenge's token, its tag, are made from the address that
 * the service counts (decisions 2.1): equal addresses give equal tags, and 3,843 of 3,844 others do not.
 */
export interface AddressFacts {
  /** Tags of plain requests, all from one address of this machine. */
  readonly plain: readonly string[];
  /** Tags of requests that claim to come from elsewhere, in an `X-Forwarded-For` of their own. */
  readonly claiming: readonly string[];
  /** Tags of requests from several addresses of this machine, one for each; fewer than two say nothing. */
  readonly apart: readonly string[];
  /** What the store counted; undefined when it could not be looked into. */
  readonly counted: CountedAddress | undefined;
  /** `TRUST_PROXY` of the service's environment; undefined when that is not here. */
  readonly trustProxy: readonly string[] | undefined;
}

/** The address that a request of this machine was counted under. */
export interface CountedAddress {
  /** Whether it was the address that this machine connected from. */
  readonly isOwn: boolean;
  /** The address, when it is one of those that a proxy may have. */
  readonly proxy: string | undefined;
}

const SET_NOT_APPEND =
  'Let the outermost proxy set X-Forwarded-For to the address that it sees, and name proxies alone in TRUST_PROXY.';
const NAME_PROXY =
  'Set TRUST_PROXY of both services to the address of the gateway, which has to set X-Forwarded-For.';

/** Everybody's limits and prices hang on this. */
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
        'Either it reaches the gateway by several ways, or nodes have different TRUST_PROXY or a CHALLENGE_SECRET that begins differently.',
      ),
    );
    return found;
  }
  if (claiming.some((tag) => tag !== plain[0])) {
    found.push(
      problem(
        'address_claimed',
        'An X-Forwarded-For that the doctor made up was believed: a client can claim any address, and escape every limit.',
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
  if (knowsApart(facts))
    return [good('addresses', 'Each client counts as its own address, and cannot claim another.')];
  return [good('addresses', 'A client cannot claim another address.')];
}

/** What shows that clients are not told apart. */
function collapseOf({ apart, counted }: AddressFacts): string | undefined {
  if (apart.length > 1 && new Set(apart).size === 1) return 'Requests from different addresses count as one';
  if (counted?.proxy === undefined) return undefined;
  return `This client counts as ${counted.proxy}, which is not its address`;
}

/** Whether it was seen that addresses are told apart. */
export function knowsApart({ apart, counted }: Pick<AddressFacts, 'apart' | 'counted'>): boolean {
  return new Set(apart).size > 1 || counted?.isOwn === true;
}
