// The canonical form of accounts and addresses for counting, and their pseudonyms.

import { domainToASCII, domainToUnicode } from 'node:url';
import ipaddr from 'ipaddr.js';
import { createLruCache, type LruCache } from '../../cache/bounded-maps.js';
import { keyedHash, type RingKey } from '../../crypto/key-ring.js';
import { ALPHANUMERICS } from '../../crypto/random.js';

/** The length of an IPv6 address that ends in an IPv4 one; a longer text has a zone or is not an address. */
const LONGEST_CACHED = 45;

const cache = createLruCache<{ readonly normalised: string | null }>(5000);

/**
 * The six leading parts of the /96 prefixes under which translators map IPv4 addresses to IPv6. The local-use prefix
 * 64:ff9b:1::/48 (RFC 8215) is missing because each network chooses the position of the IPv4 address in it.
 */
const TRANSLATED_PREFIXES = [
  // RFC 6052, the well-known prefix.
  [0x64, 0xff9b, 0, 0, 0, 0],
  // RFC 2765, IPv4-translated addresses.
  [0, 0, 0, 0, 0xffff, 0],
];

/**
 * Normalises a client address (docs/decisions/client-address.md). An IPv4-mapped IPv6 address, or one under a prefix of
 * translators (`64:ff9b::/96`, `::ffff:0:0:0/96`), becomes the IPv4 address. Any other IPv6 address becomes its /64
 * network, under 6to4 and Teredo too, where the IPv4 address belongs to a router or relay of many clients. A port is dropped.
 *
 * @returns null if this is not an IP address
 */
export function normaliseAddress(address: string | undefined): string | null {
  if (address === undefined) return null;
  if (address.length > LONGEST_CACHED) return normalise(address);
  let known = cache.get(address);
  if (known === undefined) {
    known = { normalised: normalise(address) };
    cache.set(address, known);
  }
  return known.normalised;
}

// Some proxies add the port of the connection to X-Forwarded-For: 192.0.2.1:4711, [2001:db8::1]:4711.
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+)):\d{1,5}$/;

/** Returns a client address without its port. */
export function withoutPort(address: string): string {
  const [, ipv6, ipv4] = WITH_PORT.exec(address) ?? [];
  return ipv6 ?? ipv4 ?? address;
}

function normalise(text: string): string | null {
  const address = withoutPort(text);
  // `isValid` also accepts `1` and `0x7f.1` as IPv4 addresses.
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return null;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const { parts } = parsed as ipaddr.IPv6;
  if (TRANSLATED_PREFIXES.some((prefix) => prefix.every((part, at) => part === parts[at]))) {
    return parts
      .slice(6)
      .flatMap((part) => [part >> 8, part & 0xff])
      .join('.');
  }
  const network = parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/**
 * Returns the /56 and the /48 of a normalised IPv6 address, in this order: networks that a provider may assign to one
 * customer. Empty for anything else.
 */
export function widerNetworks(normalised: string): readonly string[] {
  const [first, second, third, fourth] = normalised.split(':');
  if (!normalised.endsWith('::/64') || fourth === undefined) return [];
  const upper = (Number.parseInt(fourth, 16) & 0xff00).toString(16);
  return [`${first}:${second}:${third}:${upper}::/56`, `${first}:${second}:${third}::/48`];
}

/**
 * Returns the key under which an account is counted: trimmed, in compatibility form (NFKC) and lower case, without invisible
 * characters, and with an international domain in its ASCII form (`xn--…`). It does not check that this is an e-mail
 * address. Otherwise each spelling of an e-mail address (`Ann@…`, ` ann@…`, full-width letters) would have its own failure
 * count, and a person one account per form of the domain that browsers submit.
 *
 * @throws TypeError if `account` is not a string
 */
export function accountKey(account: string): string {
  return withDomain(visible(withDomain(foldAccount(account), unicodeDomain)), asciiDomain);
}

/**
 * Returns the spellings under which an account may be registered, the typed one first: with an international domain in
 * either form, with and without invisible characters. Most accounts have one, which is the account key.
 *
 * @throws TypeError if `account` is not a string
 */
export function accountSpellings(account: string): readonly string[] {
  const typed = foldAccount(account);
  const bases = [typed, visible(typed), visible(withDomain(typed, unicodeDomain))];
  const all = bases.flatMap((base) => [base, withDomain(base, unicodeDomain), withDomain(base, asciiDomain)]);
  return [...new Set(all)];
}

/**
 * Returns an account trimmed, in compatibility form (NFKC) and lower case: the account key of versions that counted
 * invisible characters and both forms of a domain.
 *
 * @throws TypeError if `account` is not a string
 */
export function foldAccount(account: string): string {
  // Lower case can undo NFKC (U+0130 becomes two characters), and NFKC can produce white space at the ends.
  return account.normalize('NFKC').toLowerCase().normalize('NFKC').trim();
}

/** Zero-width characters, soft hyphens, direction marks and other characters that Unicode calls invisible. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Removes invisible characters, unless nothing would be left. */
function visible(folded: string): string {
  // The neighbours of a removed character may combine.
  return foldAccount(folded.replaceAll(INVISIBLE, '')) || folded;
}

/** Applies a function to the domain of an address: the part after the last `@`. */
function withDomain(folded: string, form: (domain: string) => string): string {
  const at = folded.lastIndexOf('@') + 1;
  return at === 0 ? folded : folded.slice(0, at) + form(folded.slice(at));
}

/** A label of an international domain. */
const INTERNATIONAL_LABEL = /^xn--|[^\0-\x7f]/;

/** ASCII that no domain contains. The converters would drop everything after it. */
const NO_DOMAIN = /[\0-,/:-`{-\x7f]/;

/**
 * Returns both forms of an international domain (RFC 5891); undefined for any other string, and for one without both forms.
 */
function domainForms(domain: string): { readonly ascii: string; readonly unicode: string } | undefined {
  const labels = domain.split(/[.。]/);
  if (NO_DOMAIN.test(domain) || !labels.some((label) => INTERNATIONAL_LABEL.test(label))) return undefined;
  const ascii = domainToASCII(domain);
  const unicode = domainToUnicode(ascii);
  // The converters take a number for an address, and some labels for plain ASCII.
  return ascii.includes('xn--') && domainToASCII(unicode) === ascii ? { ascii, unicode } : undefined;
}

const asciiDomain = (domain: string) => domainForms(domain)?.ascii ?? domain;
const unicodeDomain = (domain: string) => foldAccount(domainForms(domain)?.unicode ?? domain);

/** Number of values of a two-character tag. */
const TAGS = ALPHANUMERICS.length ** 2;

/** Cached addresses per key. */
const MOST_ADDRESSES = 5000;

/** Digits of a pseudonym that decide its slot. */
const SLOT_DIGITS = 8;

/** The pseudonyms of an address and its networks. */
interface AddressPseudonyms {
  /** 128 bits of the keyed hash of the address, as 32 hexadecimal digits. */
  readonly address: string;
  /** The same for its /56 and its /48, in this order; none for an IPv4 address. */
  readonly networks: readonly string[];
  /** The slot tag of the address. */
  readonly tag: string;
}

const pseudonymCaches = new WeakMap<RingKey, LruCache<AddressPseudonyms>>();

/**
 * Returns the pseudonyms of an address. Every request needs them and an HMAC costs a third of a small request, so the
 * most recent ones are cached. All networks of one /48 begin with the same digits, so that their counters share a slot
 * and one script can count them together.
 * @param address normalised, or a string for an unknown address
 */
export function addressPseudonyms(key: RingKey, address: string): AddressPseudonyms {
  let known = pseudonymCaches.get(key);
  if (known === undefined) {
    known = createLruCache(MOST_ADDRESSES);
    pseudonymCaches.set(key, known);
  }
  let pseudonyms = known.get(address);
  if (pseudonyms === undefined) {
    pseudonyms = derivePseudonyms(key, address);
    known.set(address, pseudonyms);
  }
  return pseudonyms;
}

/** Returns the pseudonym of an address without those of its networks. */
export function addressPseudonym(key: RingKey, address: string): string {
  return addressPseudonyms(key, address).address;
}

function derivePseudonyms(key: RingKey, address: string): AddressPseudonyms {
  const hash = (text: string) => keyedHash(key.derive('tollgate address'), text).toString('hex');
  const networks = widerNetworks(address).map(hash);
  const slot = (networks.at(-1) ?? '').slice(0, SLOT_DIGITS);
  const inSlot = (pseudonym: string) => slot + pseudonym.slice(slot.length);
  const pseudonym = inSlot(hash(address));
  return { address: pseudonym, networks: networks.map(inSlot), tag: slotTag(pseudonym) };
}

/** Returns 128 bits of the keyed hash of an account, as 32 hexadecimal digits, different for each application. */
export function accountPseudonym(key: RingKey, application: string, accountKey: string): string {
  return keyedHash(key.derive('tollgate account'), application, accountKey).toString('hex');
}

/**
 * Returns the two characters that put the counters and challenges of an address into one hash slot; they only spread load.
 */
export function slotTag(pseudonym: string): string {
  const slot = Number.parseInt(pseudonym.slice(0, SLOT_DIGITS), 16) % TAGS;
  return ALPHANUMERICS.charAt(Math.floor(slot / 62)) + ALPHANUMERICS.charAt(slot % 62);
}
