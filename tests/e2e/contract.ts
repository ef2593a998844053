// Compares responses with the OpenAPI document of their service.

/** A response of a document. */
export interface DocumentedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Reference {
  readonly $ref: string;
}

interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: object;
}

interface DocumentedOperation {
  readonly requestBody?: object;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly responses: Readonly<Record<string, DocumentedResponse | Reference>>;
}

/** The parts of a document that the tests read. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, DocumentedResponse>>;
  };
}

/** A response as a test received it. */
export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The body, if it is JSON. */
  readonly json?: unknown;
}

/** Headers of HTTP itself and of the gateway, which no service document lists. */
const OF_TRANSPORT = [
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'server',
  'transfer-encoding',
];

/** Statuses whose responses have no content. */
export const WITHOUT_CONTENT = [204, 302, 303, 304];

/** The response of an operation for a status; undefined if not documented. */
export function documentedResponse(
  document: OpenApi,
  operation: DocumentedOperation | undefined,
  status: number | string,
): DocumentedResponse | undefined {
  const response = operation?.responses[status];
  if (response === undefined || !('$ref' in response)) return response;
  return document.components.responses[last(response.$ref)];
}

/** Returns the undocumented parts of a response: its status, its type, headers, or fields of the body. */
export function undocumented(
  document: OpenApi,
  { pattern, method }: { readonly pattern: string; readonly method: string },
  { status, headers, json }: Received,
): string[] {
  const response = documentedResponse(document, document.paths[pattern]?.[method.toLowerCase()], status);
  if (response === undefined) return [`status ${status}`];
  const known = [...OF_TRANSPORT, ...Object.keys(response.headers ?? {}).map((name) => name.toLowerCase())];
  const unknown = Object.keys(headers).filter((name) => !known.includes(name));
  const type = String(headers['content-type'] ?? '').split(';')[0] ?? '';
  const content = response.content?.[type];
  const hasType = content !== undefined || type === '' || WITHOUT_CONTENT.includes(status);
  return [
    ...unknown.map((name) => `header ${name} of ${status}`),
    ...(hasType ? [] : [`type ${type} of ${status}`]),
    ...unknownFields(document, content?.schema ?? {}, json).map((name) => `field ${name} of ${status}`),
  ];
}

/** For alternatives, one of them has every field. */
function unknownFields(document: OpenApi, schema: Schema, json: unknown): string[] {
  const names = typeof json === 'object' && json !== null && !Array.isArray(json) ? Object.keys(json) : [];
  const forms = (schema.anyOf ?? [schema]).map(
    (form) =>
      (form.$ref === undefined ? form : document.components.schemas[last(form.$ref)])?.properties ?? {},
  );
  const missing = forms.map((form) => names.filter((name) => !(name in form)));
  return missing.toSorted((one, other) => one.length - other.length)[0] ?? [];
}

function last(reference: string): string {
  return reference.split('/').at(-1) ?? '';
}
