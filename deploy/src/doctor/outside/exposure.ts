// Whether outsiders reach what is meant for operators.

import { type Answer, codeOf } from '../answer.js';
import { type Finding, good, problem, warning } from '../finding.js';

export interface ExposureFacts {
  /** Answers of the public address to requests that only the admin ports answer, by request. */
  readonly answers: Readonly<Record<string, Answer>>;
  /** Answers of other ports of the public host, by port; empty where that host is this machine. */
  readonly ports: Readonly<Record<string, Answer>>;
}

/** The admin ports, through the gateway and beside it. */
export function diagnoseExposure({ answers, ports }: ExposureFacts): Finding[] {
  const routed = Object.entries(answers).filter(([, answer]) => isAdmin(answer));
  const open = Object.entries(ports).filter(([, answer]) => isAdmin(answer) || isPublic(answer));
  const found: Finding[] = [];
  if (routed.length > 0) {
    found.push(
      problem(
        'admin_routed',
        `The gateway lets outsiders reach an admin port: ${routed.map(([name]) => name).join(', ')}.`,
        'Route the paths of the two public ports alone, and none to 9001 and 9002.',
      ),
    );
  }
  if (open.length > 0) {
    found.push(
      warning(
        'ports_open',
        `From here, services are reached past the gateway, at port ${open.map(([port]) => port).join(', ')}.`,
        'If this machine is outside, bind BIND and ADMIN_BIND to an inner address, or close the ports.',
      ),
    );
  }
  return found.length > 0 ? found : [good('exposure', 'No admin port is reached through the gateway.')];
}

/** Told by what is in the answer: many sites answer 200 to everything. */
function isAdmin(answer: Answer): boolean {
  const { json, text } = answer;
  const { checks } = json;
  const isHealth = typeof checks === 'object' && checks !== null && 'store' in checks;
  const isMetrics = /^tollgate_[a-z_]+/m.test(text);
  return isHealth || isMetrics || ['api_key_invalid', 'host_key_invalid'].includes(codeOf(answer) ?? '');
}

/** What the public listeners answer to a request without a bearer, or for nothing. */
function isPublic(answer: Answer): boolean {
  return ['token_invalid', 'not_found'].includes(codeOf(answer) ?? '');
}
