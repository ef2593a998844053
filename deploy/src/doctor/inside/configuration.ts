// What the service's environment says that would hurt.

import { type Finding, good, problem, warning } from '../finding.js';

export interface ConfigurationFacts {
  /** The lines that stop the start of the service; none when it would start. */
  readonly mistakes: readonly string[];
  readonly publicUrl: string;
  /** `PUBLIC_URL` of the environment. */
  readonly configuredUrl: string | undefined;
  /** The lists of secrets by variable. */
  readonly secrets: Readonly<Record<string, string | undefined>>;
  /** What is kept in a file of this machine, by variable. */
  readonly embedded: readonly string[];
  readonly isProduction: boolean;
  /** Whether the public address never leaves this machine. */
  readonly isLocal: boolean;
  /** Whether the environment's keys open a token of the running service; undefined without one. */
  readonly opensToken: boolean | undefined;
}

/** Mistakes, secrets, embedded stores, and whether it is the running service's environment at all. */
export function diagnoseConfiguration(facts: ConfigurationFacts): Finding[] {
  const found = [
    ...facts.mistakes.map((line) =>
      problem(
        'configuration',
        `The service would not start: ${line}.`,
        'Mend the variable that the line begins with.',
      ),
    ),
    ...diagnoseSecrets(facts.secrets),
    ...diagnosePlace(facts),
    ...diagnoseEmbedded(facts),
  ];
  return found.length > 0
    ? found
    : [good('configuration', 'The environment is complete, and its secrets differ.')];
}

function diagnoseSecrets(secrets: ConfigurationFacts['secrets']): Finding[] {
  return Object.entries(secrets).flatMap(([name, list]) => {
    const elements = list?.split(',') ?? [];
    const found: Finding[] = [];
    if (elements.length > 1) {
      found.push(
        warning(
          'keys_changing',
          `${name} has ${elements.length} elements: a change of keys is under way.`,
          'keys status says which step is safe now.',
        ),
      );
    }
    return found;
  });
}

function diagnosePlace({ publicUrl, configuredUrl, opensToken }: ConfigurationFacts): Finding[] {
  const found: Finding[] = [];
  if (configuredUrl !== undefined && configuredUrl.replace(/\/+$/, '') !== publicUrl.replace(/\/+$/, '')) {
    found.push(
      problem(
        'public_url_differs',
        `PUBLIC_URL is ${configuredUrl}, and not the address that was looked at.`,
        'Set it to the address that browsers see.',
      ),
    );
  }
  if (opensToken === false) {
    found.push(
      problem(
        'other_environment',
        'ENCRYPTION_KEY does not open a token of the running service: this is not its environment.',
        'Start the doctor with the variables of the running service.',
      ),
    );
  }
  return found;
}

function diagnoseEmbedded({ embedded, isProduction, isLocal }: ConfigurationFacts): Finding[] {
  if (embedded.length === 0 || (isLocal && !isProduction)) return [];
  return [
    warning(
      'embedded',
      `${embedded.join(', ')} ${embedded.length === 1 ? 'names' : 'name'} a file: it serves the processes of one machine alone.`,
      'For several machines use Redis, and PostgreSQL or a module for the users.',
    ),
  ];
}
