// Visitors of the simulated site: users with three devices, and attackers.

/** SHA-256 hashes a second of one native core (docs/threat-model.md#the-price-list). */
const CORE = 66_000_000;
/** The same for one graphics card: 22 billion, as published for hashcat on an RTX 4090. Not measured here. */
const CARD = 22_000_000_000;

/** A device, with the SHA-256 hashes a second of its browser, and its share of visitors. */
export interface Device {
  readonly name: string;
  readonly rate: number;
  readonly share: number;
}

/** Devices from the slowest: plain JavaScript on an old phone, a phone, a laptop. */
export const devices: readonly Device[] = [
  { name: 'slow phone', rate: 500_000, share: 0.1 },
  { name: 'phone', rate: 4_000_000, share: 0.6 },
  { name: 'laptop', rate: 20_000_000, share: 0.3 },
];

/** Load in addition to the usual visitors. Times are seconds. */
export interface Scenario {
  readonly name: string;
  readonly durationS: number;
  /** Additional visitors a second. */
  readonly visitors?: number;
  /** Native hashes a second for logins. */
  readonly hashes?: number;
  /** The attacker's addresses; each stays within the limits of an address. */
  readonly addresses?: number;
  /** The attacker alternately works and rests for these times. */
  readonly pulse?: { readonly onS: number; readonly offS: number };
  /** Time from an attacker's challenge request to its use. */
  readonly aheadS?: number;
  /** Requested and discarded challenges a second. */
  readonly asks?: number;
  /** Requested images a second, without work. */
  readonly images?: number;
  /** Whether the numbers of the rule are compared here. */
  readonly isTelling?: boolean;
}

const LONG_S = 600;
const MANY = 10_000;

export const scenarios: readonly Scenario[] = [
  { name: 'nobody else', durationS: LONG_S },
  { name: 'a rush of visitors (150/s)', durationS: 120, visitors: 140, isTelling: true },
  { name: 'a quarter of a core', durationS: LONG_S, hashes: CORE / 4, addresses: MANY },
  { name: 'one core', durationS: LONG_S, hashes: CORE, addresses: MANY, isTelling: true },
  {
    name: 'a farm of 16 cores',
    durationS: LONG_S,
    hashes: 16 * CORE,
    addresses: MANY,
    isTelling: true,
  },
  { name: 'the farm, fetching ahead', durationS: LONG_S, hashes: 16 * CORE, addresses: MANY, aheadS: 110 },
  { name: 'the farm, 20 s', durationS: 20, hashes: 16 * CORE, addresses: MANY, isTelling: true },
  { name: 'a graphics card', durationS: LONG_S, hashes: CARD, addresses: MANY },
  { name: 'the card, 100 addresses', durationS: LONG_S, hashes: CARD, addresses: 100 },
  {
    name: 'one core, 5 s in 30',
    durationS: LONG_S,
    hashes: CORE,
    addresses: MANY,
    pulse: { onS: 5, offS: 25 },
    isTelling: true,
  },
  {
    name: 'one core, 10 s in 60',
    durationS: LONG_S,
    hashes: CORE,
    addresses: MANY,
    pulse: { onS: 10, offS: 50 },
  },
  { name: 'few who only ask (100/s)', durationS: LONG_S, asks: 100 },
  { name: 'many who only ask (10,000/s)', durationS: LONG_S, asks: 10_000 },
  { name: 'many who only ask for images', durationS: LONG_S, images: 10_000 },
];
