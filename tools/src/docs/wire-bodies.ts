// Generates the types of bodies (wire.ts of packages/client and packages/verify) from their schemas.

import { Type } from '@sinclair/typebox';
import {
  SiteverifyAnswer,
  SiteverifyError,
} from '@tollgate/challenge-service/extensions/drop-in/site-bodies.js';
import {
  EffortChallenge,
  ErrorBody,
  HostVerdict,
  HostVerifyBody,
  ImageChallenge,
  PowChallenge,
  ProfileBody,
  SessionEntry,
  SessionsBody,
  TokenBody,
} from '@tollgate/shared/schemas';

/** The supported parts of a JSON schema. */
interface Schema {
  readonly $id?: string;
  readonly type?: string;
  readonly description?: string;
  readonly required?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly const?: unknown;
}

/** A schema, its purpose, and its name unless the schema has an `$id`. */
type Body = readonly [schema: Schema, purpose: string, name?: string];

const ofClient: readonly Body[] = [
  [PowChallenge, 'Response to `GET {prefix}/pow`.'],
  [ImageChallenge, 'Response to `GET {prefix}`.'],
  [EffortChallenge, 'Response to `GET {prefix}?preset=effort`.'],
  [TokenBody, 'Response to `POST /login` and `POST /refresh`.'],
  [ProfileBody, 'Response to `GET /profile`.'],
  [SessionEntry, 'One session in the response to `GET /sessions`.'],
  [SessionsBody, 'Response to `GET /sessions`.'],
  [ErrorBody, 'Error response, status 400 or higher; routes may add fields.'],
];

const hostCall = ['key', 'ip', 'idempotency_key', 'count'] as const;
const hostRules = ['pow', 'image', 'presets', 'algorithms', 'at_least'] as const;

const ofVerify: readonly Body[] = [
  [
    Type.Pick(HostVerifyBody, [...hostCall, ...hostRules]),
    'Body of `POST /host/verify` without the submission.',
    'HostVerifyBody',
  ],
  [HostVerdict, 'Response to `POST /host/verify`.'],
  [SiteverifyError, 'Why a receipt is rejected.', 'SiteverifyError'],
  [SiteverifyAnswer, 'Response to `POST {prefix}/siteverify`.'],
];

const head =
  '// The bodies that the services send, as types. Written by `npm run docs` from their schemas. Do not edit.';

/** The generated files and their texts. */
export function wireFiles(): readonly (readonly [path: string, text: string])[] {
  return [
    ['packages/client/src/wire.ts', textOf(ofClient)],
    ['packages/verify/src/wire.ts', textOf(ofVerify)],
  ];
}

function textOf(bodies: readonly Body[]): string {
  return `${[head, ...bodies.map(declarationOf)].join('\n\n')}\n`;
}

/** @throws {TypeError} if the schema uses a feature that is not supported here */
function declarationOf([schema, purpose, name = schema.$id]: Body): string {
  if (schema.anyOf !== undefined) {
    const types = schema.anyOf.map((each) => `\n  | ${typeOf(each)}`).join('');
    return `/** ${purpose} */\nexport type ${name} =${types};`;
  }
  const required = new Set(schema.required);
  const lines = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    ...(property.description === undefined ? [] : [`  /** ${property.description} */`]),
    `  readonly ${keyOf(name)}${required.has(name) ? '' : '?'}: ${typeOf(property)};`,
  ]);
  return [`/** ${purpose} */`, `export interface ${name} {`, ...lines, '}'].join('\n');
}

function keyOf(name: string): string {
  return /^\w+$/.test(name) ? name : `'${name}'`;
}

function typeOf(schema: Schema): string {
  if (schema.$id !== undefined) return schema.$id;
  if (schema === SiteverifyError) return 'SiteverifyError';
  if (schema.const !== undefined)
    return typeof schema.const === 'string' ? `'${schema.const}'` : String(schema.const);
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `readonly ${itemOf(schema.items ?? {})}[]`;
    case 'object':
      return recordOf(schema);
    default:
      throw new TypeError(`no type for ${JSON.stringify(schema)}`);
  }
}

function itemOf(schema: Schema): string {
  const type = typeOf(schema);
  return type.includes(' | ') ? `(${type})` : type;
}

/** An object with arbitrary names. */
function recordOf({ patternProperties = {}, properties }: Schema): string {
  const [values, more] = Object.values(patternProperties);
  if (values === undefined || more !== undefined || properties !== undefined)
    throw new TypeError('an object inside a body must have its own schema with an $id');
  return `Readonly<Record<string, ${typeOf(values)}>>`;
}
