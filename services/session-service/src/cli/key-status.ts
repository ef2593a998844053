// Describes which step of a key rotation is safe now.

import { REPORT_EVERY_MS } from '@tollgate/shared/store';
import { JWKS_MAX_AGE_SECONDS } from '@tollgate/shared/tokens';
import {
  type KeyLifetimes,
  type KeyStep,
  type KeyVariable,
  keySteps,
  keyVariables,
} from '../domain/key-roll-out.js';
import { hasChallengeNode, type KeyReports, reportedLifetime, reportedRing } from './key-reports.js';
import { utcTime } from './report.js';

const LIFETIME_NAMES = {
  access: 'access tokens',
  refresh: 'refresh tokens',
  challenge: 'challenges and scope tickets',
  decay: 'failures',
} as const;

/** Clock tolerance in the verification of tokens, rounded up to a minute. */
const MARGIN_MS = 60_000;

/** An intermediate cache and one in the verifier may each keep the published keys for their lifetime. */
const PUBLISH_MS = 2 * JWKS_MAX_AGE_SECONDS * 1000;

/**
 * The lines to print.
 * @param own lifetimes of this environment, for those that no node has reported
 */
export function keyStatus(reports: KeyReports, own: KeyLifetimes): string[] {
  const names = Object.keys(LIFETIME_NAMES) as (keyof KeyLifetimes)[];
  const known = names.map((name) => ({ name, seconds: reportedLifetime(reports, name) }));
  const lifetimes = Object.fromEntries(
    known.map(({ name, seconds }) => [name, seconds ?? own[name]]),
  ) as unknown as KeyLifetimes;
  const lines = keyVariables.flatMap((variable) => {
    const ring = reportedRing(reports, variable);
    if (ring === undefined) return [];
    const { length } = ring.nodes;
    // The keys of an unused access token format.
    if (length === 0 && ring.isServed) return [];
    const publishMs = variable === 'ACCESS_SIGNING_KEYS' ? PUBLISH_MS : 0;
    return [
      `${variable}, on ${length} ${length === 1 ? 'node' : 'nodes'}:`,
      ...keySteps(ring, lifetimeMs(variable, lifetimes), REPORT_EVERY_MS, publishMs).map(
        (step) => `  ${describe(step)}`,
      ),
      ...(variable === 'CHALLENGE_SECRET' ? challengeNotes(lifetimes, hasChallengeNode(reports)) : []),
    ];
  });
  if (lines.length === 0)
    return ['no node has reported its keys yet: start the services on these stores first'];
  return [
    ...lines,
    `Longest lives: ${names.map((name) => `${LIFETIME_NAMES[name]} ${lifetimes[name]} s`).join(', ')}.`,
    ...unreportedNote(known.filter(({ seconds }) => seconds === undefined).map(({ name }) => name)),
    'A service that verifies bearers without the store does not report: give it the new keys before the step "front".',
    'A node that was killed counts until it has been silent for two and a half hours.',
  ];
}

function lifetimeMs(variable: KeyVariable, lifetimes: KeyLifetimes): number {
  const seconds = {
    ACCESS_SECRET: lifetimes.access,
    ACCESS_SIGNING_KEYS: lifetimes.access,
    REFRESH_SECRET: lifetimes.refresh,
    ENCRYPTION_KEY: Math.max(lifetimes.access, lifetimes.refresh),
    CHALLENGE_SECRET: lifetimes.challenge,
  }[variable];
  return seconds * 1000 + MARGIN_MS;
}

function describe(step: KeyStep): string {
  switch (step.step) {
    case 'unknown':
      return 'no running node makes anything with it; its status is unknown';
    case 'finish':
      return `wait: ${step.id} is accepted by ${step.acceptedBy} of ${step.nodes} nodes; bring the same list to all`;
    case 'finish_front':
      return `wait: some nodes use ${step.ids[0]} and others ${step.ids[1]}; bring the same order to all`;
    case 'front':
      return `front: ${step.id} may be moved to the front; an unused old key may be dropped from ${utcTime(step.dropFromMs)} on`;
    case 'publish':
      return `wait: ${step.id} is published, and may be used from ${utcTime(step.untilMs)} on, when caches have it`;
    case 'use':
      return `use: every node accepts ${step.id}; ACCESS_TOKEN_FORMAT may change to its format`;
    case 'wait':
      return `wait: ${step.id} may be dropped from ${utcTime(step.untilMs)} on`;
    case 'drop':
      return `drop: ${step.id} may be dropped`;
    case 'append':
      return 'append: a new key may be appended to the list';
  }
}

function challengeNotes({ decay }: KeyLifetimes, hasChallengeNode: boolean): string[] {
  return [
    ...(hasChallengeNode
      ? []
      : [
          '  No node of the challenge service is among them: unless none runs, look at CAPTCHA_CACHE_STORE first.',
        ]),
    `  Moving another key to the front resets the failures and delays of accounts and addresses, at most ${decay} s of failures:`,
    '  counters are named with the first key.',
    '  Applications with the guard count as nodes: they need the same list at each step.',
  ];
}

function unreportedNote(names: readonly (keyof KeyLifetimes)[]): string[] {
  if (names.length === 0) return [];
  const list = names.map((name) => LIFETIME_NAMES[name]).join(', ');
  return [`No node has reported those of ${list}: they come from this command's own environment.`];
}
