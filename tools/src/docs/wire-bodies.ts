// Generates the types of browser response bodies (packages/client/src/wire.ts) from their schemas.
import {
  EffortChallenge,
  ErrorBody,
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
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** The schemas, and the response of each. */
const bodies: readonly (readonly [Schema, string])[] = [
  [PowChallenge, 'Response to `GET {prefix}/pow`.'],
  [ImageChallenge, 'Response to `GET {prefix}`.'],
  [EffortChallenge, 'Response to `GET {prefix}?preset=effort`.'],
  [TokenBody, 'Response to `POST /login` and `POST /refresh`.'],
  [ProfileBody, 'Response to `GET /profile`.'],
  [SessionEntry, 'One session in the response to `GET /sessions`.'],
  [SessionsBody, 'Response to `GET /sessions`.'],
  [ErrorBody, 'Error response, status 400 or higher; routes may add fields.'],
];

const head =
  '// The bodies that the services send, as types. Written by `npm run docs` from their schemas. Do not edit.';

/** The text of packages/client/src/wire.ts. */
export function wireBodies(): string {
  return `${[head, ...bodies.map(([schema, purpose]) => interfaceOf(schema, purpose))].join('\n\n')}\n`;
}

/** @throws {TypeError} if the schema uses a feature that is not supported here */
function interfaceOf(schema: Schema, purpose: string): string {
  const required = new Set(schema.required);
  const lines = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    ...(property.description === undefined ? [] : [`  /** ${property.description} */`]),
    `  readonly ${name}${required.has(name) ? '' : '?'}: ${typeOf(property)};`,
  ]);
  return [`/** ${purpose} */`, `export interface ${schema.$id} {`, ...lines, '}'].join('\n');
}

function typeOf(schema: Schema): string {
  if (schema.$id !== undefined) return schema.$id;
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `readonly ${typeOf(schema.items ?? {})}[]`;
    case 'object':
      return recordOf(schema);
    default:
      throw new TypeError(`no type for ${JSON.stringify(schema)}`);
  }
}

/** An object with arbitrary names. */
function recordOf({ patternProperties = {}, properties }: Schema): string {
  const [values, more] = Object.values(patternProperties);
  if (values === undefined || more !== undefined || properties !== undefined)
    throw new TypeError('an object inside a body must have its own schema with an $id');
  return `Readonly<Record<string, ${typeOf(values)}>>`;
}
