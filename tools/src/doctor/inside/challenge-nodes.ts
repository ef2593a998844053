// Checks that all users of the challenge store have the same secret.

import { openKeyRing } from '@tollgate/shared/crypto';
import {
  type ChallengeServiceStatus,
  challengeServiceStatus,
  isChallengeService,
  openKeyRecord,
  type ReportedKeys,
  SEEN_EVERY_MS,
  type Store,
} from '@tollgate/shared/store';
import { type Finding, problem, warning } from '../report.js';

/** The nodes on the challenge store, compared with the `CHALLENGE_SECRET` of the environment. */
export interface ChallengeNodes {
  /** The variable of that store. */
  readonly variable: string;
  readonly service: ChallengeServiceStatus;
  /** Number of applications with the guard that do not accept the first element. */
  readonly otherSecrets: number;
}

/**
 * Reads the nodes that have reported their keys on the store.
 * @param secret `CHALLENGE_SECRET`, a list
 */
export async function probeChallengeNodes(
  variable: string,
  store: Store,
  secret: string,
): Promise<ChallengeNodes> {
  const ids = openKeyRing(secret).all.map(({ id }) => id);
  const reported = await openKeyRecord(store).read();
  // Session and challenge services issue tokens. The other nodes are applications.
  const applications = reported.nodes.filter(
    (node) => !node.makes && node.ids.CHALLENGE_SECRET !== undefined,
  );
  const others = applications.filter(({ ids: theirs }) => !theirs.CHALLENGE_SECRET?.includes(ids[0] ?? ''));
  return { variable, service: serviceStatus(reported, ids), otherSecrets: others.length };
}

/** If processes differ, one with the same secret counts: another check compares them. */
function serviceStatus({ nodes, nowMs }: ReportedKeys, ids: readonly string[]): ChallengeServiceStatus {
  const running = nodes.filter(
    (node) => isChallengeService(node) && nowMs - (node.seen?.atMs ?? 0) < 2 * SEEN_EVERY_MS,
  );
  const isFound = running.some((node) => challengeServiceStatus({ nodes: [node] }, ids) === 'found');
  return isFound ? 'found' : challengeServiceStatus({ nodes }, ids);
}

/** Requires a challenge service with the same secret; warns of applications with another one. */
export function diagnoseChallengeNodes({ variable, service, otherSecrets }: ChallengeNodes): Finding[] {
  const found: Finding[] = [];
  if (service === 'missing') {
    found.push(
      problem(
        'challenge_service_missing',
        `No challenge service has reported to the store in ${variable}: every login would be rejected.`,
        'Start it, or set its store: CAPTCHA_CACHE_STORE, else STORE_URL, must be the same for all.',
      ),
    );
  }
  if (service === 'other_secret') {
    found.push(
      problem(
        'challenge_secret_differs',
        `The challenge service on the store in ${variable} has a different CHALLENGE_SECRET: every login is rejected.`,
        'Set the same list for both services and every application with the guard.',
      ),
    );
  }
  if (otherSecrets > 0) {
    found.push(
      warning(
        'application_secret_differs',
        `${otherSecrets === 1 ? '1 application' : `${otherSecrets} applications`} on the store in ${variable} ${otherSecrets === 1 ? 'has' : 'have'} a different CHALLENGE_SECRET: every submission there is rejected.`,
        'Set the same list for every application with the guard. A killed one counts for two and a half hours.',
      ),
    );
  }
  return found;
}
