// Reads the request of a server that verifies a receipt, in each form in which clients send one.

import { Busboy } from '@fastify/busboy';
import { repeatedKeys } from './repeated-keys.js';

const FIELDS = ['secret', 'response', 'remoteip', 'sitekey', 'idempotency_key'] as const;
type Field = (typeof FIELDS)[number];

/** The fields of a request as they were sent; an empty one counts as missing. Fields that are not ours are dropped. */
export type SiteverifyFields = Readonly<Partial<Record<Field, string>>>;

/** A request that is not yet read. */
export interface SiteverifyRequest {
  /** The value of `Content-Type`; empty without one. */
  readonly contentType: string;
  /** Empty without one. */
  readonly body: Buffer;
  /** The query of the URL, without the question mark. */
  readonly query: string;
}

const MAX_IDEMPOTENCY_KEY_CHARACTERS = 64;

/**
 * Reads a form (`application/x-www-form-urlencoded`, `multipart/form-data`), JSON, or the query of a request with an empty
 * body. Returns null if it cannot be read, is of another type, or has one of our fields more than once or not as text.
 */
export async function readSiteverify(request: SiteverifyRequest): Promise<SiteverifyFields | null> {
  const entries = await entriesOf(request);
  if (entries === null) return null;
  const fields: Partial<Record<Field, string>> = {};
  const seen = new Set<Field>();
  for (const [name, value] of entries) {
    const field = FIELDS.find((known) => known === name);
    if (field === undefined) continue;
    if (typeof value !== 'string' || seen.has(field)) return null;
    seen.add(field);
    if (value !== '') fields[field] = value;
  }
  const isKeyLong = (fields.idempotency_key?.length ?? 0) > MAX_IDEMPOTENCY_KEY_CHARACTERS;
  return isKeyLong ? null : fields;
}

type Entries = Iterable<readonly [name: string, value: unknown]>;

async function entriesOf({ contentType, body, query }: SiteverifyRequest): Promise<Entries | null> {
  if (body.length === 0) return new URLSearchParams(query);
  const [essence = ''] = contentType.split(';', 1);
  switch (essence.trim().toLowerCase()) {
    case 'application/x-www-form-urlencoded':
      return new URLSearchParams(body.toString('utf8'));
    case 'application/json':
      return jsonEntries(body.toString('utf8'));
    case 'multipart/form-data':
      return multipartEntries(contentType, body);
    default:
      return null;
  }
}

function jsonEntries(text: string): Entries | null {
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return null;
    return repeatedKeys(text).some(isField) ? null : Object.entries(fields);
  } catch {
    return null;
  }
}

function isField(name: string): boolean {
  return FIELDS.some((field) => field === name);
}

/** The whole body is here, and small, so that the parser needs no limits of its own. */
function multipartEntries(contentType: string, body: Buffer): Promise<Entries | null> {
  return new Promise((resolve) => {
    const entries: [name: string, value: unknown][] = [];
    const giveUp = () => resolve(null);
    try {
      const parser = new Busboy({ headers: { 'content-type': contentType } });
      parser.on('field', (name, value) => entries.push([name, value]));
      parser.on('file', (name, content) => {
        entries.push([name, content]);
        content.on('error', giveUp).resume();
      });
      parser.on('error', giveUp);
      parser.on('finish', () => resolve(entries));
      parser.end(body);
    } catch {
      giveUp();
    }
  });
}
