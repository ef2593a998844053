// The simulated days: the number of strangers, whether they solve images, and who has a device cookie.

/** A kind of day. */
export interface Scenario {
  readonly name: string;
  readonly strangersPerHour: number;
  readonly strangersAnswerImages: boolean;
  /** Whether the owner's browser has a device cookie. */
  readonly ownerIsKnown: boolean;
  /** Whether a thief tries once a minute with a stolen device cookie. */
  readonly hasThief: boolean;
}

/** `DEVICE_ATTEMPTS` by default. */
export const DEFAULT_BUDGET = 5;

const QUIET = { strangersPerHour: 0, strangersAnswerImages: false };
const WITHOUT_IMAGES = { strangersPerHour: 120, strangersAnswerImages: false };
const WITH_IMAGES = { strangersPerHour: 120, strangersAnswerImages: true };

/** Every kind of day; the pairs differ in one thing. */
export const SCENARIOS: readonly Scenario[] = [
  { name: 'nobody else', ...QUIET, ownerIsKnown: true, hasThief: false },
  { name: 'strangers, owner unknown', ...WITHOUT_IMAGES, ownerIsKnown: false, hasThief: false },
  { name: 'strangers, owner known', ...WITHOUT_IMAGES, ownerIsKnown: true, hasThief: false },
  {
    name: 'strangers who answer images, owner unknown',
    ...WITH_IMAGES,
    ownerIsKnown: false,
    hasThief: false,
  },
  { name: 'strangers who answer images, owner known', ...WITH_IMAGES, ownerIsKnown: true, hasThief: false },
  { name: 'a thief alone', ...QUIET, strangersAnswerImages: true, ownerIsKnown: true, hasThief: true },
  { name: 'a thief and strangers', ...WITHOUT_IMAGES, ownerIsKnown: true, hasThief: true },
  { name: 'both, answering images', ...WITH_IMAGES, ownerIsKnown: true, hasThief: true },
];
