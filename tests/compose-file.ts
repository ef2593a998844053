// Reads the Compose files as Compose does, as far as the tests require.
import { parse } from 'yaml';
import { readProjectFile } from './docs/project-file.js';

/** The tested settings of a container. */
export interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly target: string };
  readonly command?: string | readonly string[];
  readonly environment?: Readonly<Record<string, string | number | null>>;
  readonly secrets?: readonly (string | { readonly source: string; readonly target: string })[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly [key: string]: unknown;
}

export interface ComposeFile {
  readonly name?: string;
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks?: Readonly<
    Record<string, { readonly internal?: boolean; readonly enable_ipv6?: boolean } | null>
  >;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

/** The file as written, with its anchors. */
export function parseCompose(path: string): ComposeFile {
  return parse(readProjectFile(path), { merge: true });
}

/** Merges the files: lists are appended, and the last file decides single values. */
export function readCompose(...paths: readonly string[]): ComposeFile {
  return paths.map(parseCompose).reduce((below, above) => merge(below, above) as ComposeFile);
}

/** The sources of a container's secrets. */
export function secretsOf({ secrets = [] }: ComposeService): string[] {
  return secrets.map((secret) => (typeof secret === 'string' ? secret : secret.source));
}

function merge(below: unknown, above: unknown): unknown {
  if (Array.isArray(below) && Array.isArray(above)) return [...below, ...above];
  if (!isMap(below) || !isMap(above)) return above;
  const names = new Set([...Object.keys(below), ...Object.keys(above)]);
  return Object.fromEntries(
    [...names].map((name) => [name, name in above ? merge(below[name], above[name]) : below[name]]),
  );
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
