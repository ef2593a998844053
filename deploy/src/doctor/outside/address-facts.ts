// Asks for challenges from and as different addresses, and takes the tags of their tokens.

import { lookup } from 'node:dns/promises';
import { type Answer, textOf } from '../answer.js';
import type { Route } from '../exchange.js';
import type { Visitor } from '../visitor.js';
import type { AddressFacts } from './addresses.js';

/** Of the ranges for documentation (RFC 5737): nobody's. */
const CLAIMED = ['198.51.100.71', '203.0.113.72'];

/** Linux lets a process connect from every address of 127.0.0.0/8. */
const LOOPBACK = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

const PLAIN_REQUESTS = 3;
const TAG_CHARACTERS = 2;

const NO_TAGS = { plain: [], claiming: [], apart: [] };

/** What was seen, and the answers themselves. */
export interface AddressLook {
  readonly facts: Pick<AddressFacts, 'plain' | 'claiming' | 'apart'>;
  /** Those to the plain requests. */
  readonly answers: readonly Answer[];
  /** The way of those. */
  readonly route: Route;
}

/** Sends the requests. Each has one way only, so that no second address of this machine comes in between. */
export async function lookAtAddresses(visitor: Visitor): Promise<AddressLook> {
  const routes = await routesTo(visitor);
  const [first = {}] = routes;
  const answers: Answer[] = [];
  for (let request = 0; request < PLAIN_REQUESTS; request++) answers.push(await visitor.issueImage(first));
  const claiming: Answer[] = [];
  for (const address of CLAIMED) {
    claiming.push(await visitor.issueImage({ ...first, headers: { 'x-forwarded-for': address } }));
  }
  const others: Answer[] = [];
  for (const route of routes.slice(1)) others.push(await visitor.issueImage(route));
  // A token that comes twice was kept by a cache, and says nothing of whoever asked.
  const tokens = [...answers, ...claiming, ...others]
    .map((answer) => textOf(answer, 'token'))
    .filter(Boolean);
  if (new Set(tokens).size < tokens.length) return { facts: NO_TAGS, answers, route: first };
  const plain = tagsOf(answers);
  const apart = [...plain.slice(0, 1), ...tagsOf(others)];
  return { facts: { plain, claiming: tagsOf(claiming), apart }, answers, route: first };
}

/** The addresses that the host of the public address resolves to. */
export async function addressesOf({ publicUrl, connect }: Visitor): Promise<string[]> {
  if (connect !== undefined) return [connect];
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '');
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

/** The ways that differ in this machine's address. */
async function routesTo(visitor: Visitor): Promise<Route[]> {
  const addresses = await addressesOf(visitor);
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
