// Reads a server's siteverify request, in each form that clients send.

import { Busboy } from '@fastify/busboy';
import { repeatedKeys } from './repeated-keys.js';

const FIELDS = ['secret', 'response', 'remoteip', 'sitekey', 'idempotency_key'] as const;
type Field = (typeof FIELDS)[number];

/** The fields of a request as sent; an empty one counts as missing. Unknown fields are dropped. */
export type SiteverifyFields = Readonly<Partial<Record<Field, string>>>;

/** A request that is not yet parsed. */
interface SiteverifyRequest {
  /** The value of `Content-Type`; empty without one. */
  readonly contentType: string;
  /** Empty without one. */
  readonly body: Buffer;
  /** The query of the URL, without the question mark. */
  readonly query: string;
}

const MAX_IDEMPOTENCY_KEY_CHARACTERS = 64;

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Reads the body, a form (`application/x-www-form-urlencoded`, `multipart/form-data`, or without a type) or JSON, and the
 * query for fields that the body lacks. Returns null if the body cannot be read or has another type, or if one of our fields
 * is duplicate or not a string. In JSON, `null` counts as absent.
 */
export async function readSiteverify(request: SiteverifyRequest): Promise<SiteverifyFields | null> {
  const body = await bodyEntries(request);
  if (body === null) return null;
  const named = namedFields(body);
  const queried = named === null ? null : namedFields(new URLSearchParams(request.query), named);
  if (named === null || queried === null) return null;
  const present = [...queried, ...named].filter(([, value]) => value !== '');
  const fields: SiteverifyFields = Object.fromEntries(present);
  const isKeyLong = (fields.idempotency_key?.length ?? 0) > MAX_IDEMPOTENCY_KEY_CHARACTERS;
  return isKeyLong ? null : fields;
}

type Entries = Iterable<readonly [name: string, value: unknown]>;
type NamedFields = ReadonlyMap<Field, string>;

/** @param before fields that are already known, and are dropped */
function namedFields(entries: Entries, before?: NamedFields): NamedFields | null {
  const fields = new Map<Field, string>();
  for (const [name, value] of entries) {
    const field = FIELDS.find((known) => known === name);
    if (field === undefined || value === null || before?.has(field) === true) continue;
    if (typeof value !== 'string' || fields.has(field)) return null;
    fields.set(field, value);
  }
  return fields;
}

async function bodyEntries({ contentType, body }: SiteverifyRequest): Promise<Entries | null> {
  const isMarked = body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const content = isMarked ? body.subarray(BYTE_ORDER_MARK.length) : body;
  if (content.length === 0) return [];
  const [essence = ''] = contentType.split(';', 1);
  switch (essence.trim().toLowerCase()) {
    case '':
    case 'application/x-www-form-urlencoded':
      return new URLSearchParams(content.toString('utf8'));
    case 'application/json':
      return jsonEntries(content.toString('utf8'));
    case 'multipart/form-data':
      return multipartEntries(contentType, content);
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

/** The whole body is here, and small, so the parser needs no limits of its own. */
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
