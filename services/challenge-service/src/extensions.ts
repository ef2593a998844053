// The extensions of the service. Files of an extension are read only if one of its variables is set.

import type { Extension, ExtensionCommand } from './extension.js';

/** An extension that the service can load. */
interface KnownExtension {
  /** The names of its variables: if one is set, the extension is loaded. */
  readonly variables: readonly string[];
  /** A prefix of its variables only. */
  readonly prefix?: string;
  readonly load: () => Promise<{ readonly default: Extension }>;
  /** Loads its subcommand of `captcha`. */
  readonly command?: () => Promise<{ readonly default: ExtensionCommand }>;
}

/** In the order in which they are opened and registered. */
export const knownExtensions: readonly KnownExtension[] = [
  {
    variables: ['SITES', 'RATE_LIMIT_REDEEM', 'RATE_LIMIT_SITEVERIFY'],
    load: () => import('../extensions/drop-in/drop-in-extension.js'),
    command: () => import('../extensions/drop-in/cli/site-command.js'),
  },
  {
    variables: ['GATE', 'RATE_LIMIT_GATE'],
    prefix: 'GATE_',
    load: () => import('../extensions/gate/gate-extension.js'),
  },
];

/** Loads the extensions that have a variable set. */
export function loadExtensions(env: Readonly<Record<string, string | undefined>>): Promise<Extension[]> {
  return load(knownExtensions.filter(({ variables }) => variables.some((name) => (env[name] ?? '') !== '')));
}

/** Loads all extensions, for descriptions of the service. */
export function loadAllExtensions(): Promise<Extension[]> {
  return load(knownExtensions);
}

/** Loads the subcommands that extensions add to `captcha`. */
export async function loadCommands(): Promise<ExtensionCommand[]> {
  const modules = await Promise.all(knownExtensions.map(({ command }) => command?.()));
  return modules.flatMap((module) => module?.default ?? []);
}

async function load(extensions: readonly KnownExtension[]): Promise<Extension[]> {
  const modules = await Promise.all(extensions.map((extension) => extension.load()));
  return modules.map((module) => module.default);
}
