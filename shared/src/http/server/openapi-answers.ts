// Derives the error responses and headers of a route from its options, so that no route has to list them.

import type { RouteOptions } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route counts its own requests against a limit, with the responses of `config.rateLimit`. */
    readonly limited?: boolean;
    /** Headers of this route's success response only: the description of each, by name. */
    readonly responseHeaders?: Readonly<Record<string, string>>;
    /** The route always returns 200 with a verdict, except for an unknown path. */
    readonly alwaysOk?: boolean;
    /** Browsers get each error as a page. */
    readonly sendsPages?: boolean;
    /** Error responses of this route only: the meaning of each status, and its headers with their descriptions. */
    readonly refusals?: Readonly<Record<number, Refusal>>;
  }
}

/** An error response of one route. */
interface Refusal {
  readonly description: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The description of every response header. */
export const ANSWER_HEADERS = {
  'Accept-Encoding': '`identity`, if the body was compressed',
  'Access-Control-Allow-Credentials': 'For the allowed origin',
  'Access-Control-Allow-Origin': 'The allowed origin, to a request from there',
  'Access-Control-Expose-Headers': 'Headers that pages of that origin may read',
  'Cache-Control': 'Always `no-store`',
  'Content-Language': 'Language of `message` and `errors`',
  'Content-Security-Policy': 'Always the strictest',
  'RateLimit-Limit': 'Requests per window',
  'RateLimit-Remaining': 'Remaining requests in this window',
  'RateLimit-Reset': 'Seconds until the window ends',
  'Referrer-Policy': 'Always `no-referrer`',
  'Retry-After': 'Seconds until the request may be repeated',
  'Set-Cookie': 'Clears cookies that other sites have planted',
  'Strict-Transport-Security': 'With an https `PUBLIC_URL`',
  Vary: 'Request headers that affect the response',
  'WWW-Authenticate': 'Always `Bearer`',
  'X-Captcha-Test-Mode': '`1` in test mode',
  'X-Content-Type-Options': 'Always `nosniff`',
} as const;

export type AnswerHeader = keyof typeof ANSWER_HEADERS;

/** The headers of every response. */
export const EVERY_ANSWER: readonly AnswerHeader[] = [
  'Cache-Control',
  'Content-Security-Policy',
  'Referrer-Policy',
  'Strict-Transport-Security',
  'Vary',
  'X-Captcha-Test-Mode',
  'X-Content-Type-Options',
];

/** The headers of every response of a server with CORS. */
export const CROSS_ORIGIN: readonly AnswerHeader[] = [
  'Access-Control-Allow-Credentials',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
];

const EVERY_ERROR: readonly AnswerHeader[] = ['Content-Language'];
const LIMITED: readonly AnswerHeader[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** An error response: its status, its condition, and its headers besides those of every response. */
interface DocumentedError {
  /** The name of the response in `components`; undefined for one of this route only. */
  readonly name: string | undefined;
  readonly status: number;
  readonly description: string;
  readonly headers: readonly AnswerHeader[];
  /** Headers of this route only: the description of each, by name. */
  readonly ownHeaders: Readonly<Record<string, string>>;
}

/** The properties of a route that determine its errors. */
export interface RouteFacts {
  /** Whether it accepts a body. */
  readonly hasBody: boolean;
  /** Whether its body or query has a schema. */
  readonly isChecked: boolean;
  readonly hasParams: boolean;
  readonly isLimited: boolean;
  readonly checksOrigin: boolean;
  readonly alwaysOk: boolean;
  readonly sendsPages: boolean;
  /** The required credential. */
  readonly credential: 'none' | 'cookie' | 'bearer';
}

interface Rule extends Omit<DocumentedError, 'name' | 'ownHeaders'> {
  readonly name: string;
  readonly when: (facts: RouteFacts) => boolean;
}

const RULES: readonly Rule[] = [
  {
    name: 'BadRequest',
    status: 400,
    description: 'The request cannot be parsed',
    headers: [],
    when: ({ hasBody, hasParams }) => hasBody || hasParams,
  },
  {
    name: 'BearerRequired',
    status: 401,
    description: 'The credential is missing or no longer valid',
    headers: ['WWW-Authenticate'],
    when: ({ credential }) => credential === 'bearer',
  },
  {
    name: 'CookieRequired',
    status: 401,
    description: 'The cookie is missing or no longer valid',
    headers: ['Set-Cookie'],
    when: ({ credential }) => credential === 'cookie',
  },
  {
    name: 'OtherOrigin',
    status: 403,
    description: 'The origin is not allowed',
    headers: [],
    when: ({ checksOrigin }) => checksOrigin,
  },
  {
    name: 'NotFound',
    status: 404,
    description: 'Not found',
    headers: [],
    when: ({ hasParams }) => hasParams,
  },
  {
    name: 'PayloadTooLarge',
    status: 413,
    description: 'The body is too large',
    headers: [],
    when: ({ hasBody }) => hasBody,
  },
  {
    name: 'UnsupportedMediaType',
    status: 415,
    description: 'Unsupported content type, or a compressed body',
    headers: ['Accept-Encoding'],
    when: ({ hasBody }) => hasBody,
  },
  {
    name: 'UnprocessableContent',
    status: 422,
    description: 'The request content is rejected',
    headers: [],
    when: ({ isChecked }) => isChecked,
  },
  {
    name: 'TooManyRequests',
    status: 429,
    description: 'Too many requests',
    headers: ['Retry-After'],
    when: ({ isLimited }) => isLimited,
  },
  {
    name: 'InternalServerError',
    status: 500,
    description: 'Internal error',
    headers: [],
    when: () => true,
  },
  {
    name: 'ServiceUnavailable',
    status: 503,
    description: 'The store or a part of the service is unavailable or overloaded',
    headers: ['Retry-After'],
    when: () => true,
  },
];

/** Returns the facts of a route. @param checksOrigin whether the server rejects other origins where state may change */
export function factsOf(route: RouteOptions, checksOrigin: boolean): RouteFacts {
  const { schema, config, method } = route;
  const hasBody = [method].flat().some((name) => name !== 'GET' && name !== 'HEAD');
  return {
    hasBody,
    isChecked: schema?.body !== undefined || schema?.querystring !== undefined,
    hasParams: schema?.params !== undefined,
    isLimited: config?.limited === true || config?.rateLimit !== undefined,
    checksOrigin: checksOrigin && hasBody,
    alwaysOk: config?.alwaysOk === true,
    sendsPages: config?.sendsPages === true,
    credential: credentialOf(schema?.security ?? []),
  };
}

function credentialOf(security: readonly Readonly<Record<string, readonly string[]>>[]) {
  const names = security.map((each) => Object.keys(each));
  // An empty requirement makes the credential optional.
  if (names.length === 0 || names.some((each) => each.length === 0)) return 'none';
  return names.flat().some((name) => name.endsWith('Cookie')) ? 'cookie' : 'bearer';
}

/** Returns the error responses of a route with these facts. @param refusals errors of this route only */
export function errorAnswers(
  facts: RouteFacts,
  refusals: Readonly<Record<number, Refusal>> = {},
): DocumentedError[] {
  const common = facts.alwaysOk ? [] : RULES.filter(({ when }) => when(facts));
  const statuses = new Set([...common.map(({ status }) => status), ...Object.keys(refusals).map(Number)]);
  return [...statuses].map((status) => {
    const rule = common.find((each) => each.status === status);
    const refusal = refusals[status];
    return {
      name: refusal === undefined && rule && !facts.sendsPages ? nameOf(rule, facts) : undefined,
      status,
      description: refusal?.description ?? rule?.description ?? '',
      headers: [...EVERY_ERROR, ...limitHeaders(facts), ...(rule?.headers ?? [])],
      ownHeaders: { ...refusal?.headers, ...(facts.sendsPages && PAGE_HEADERS) },
    };
  });
}

const PAGE_HEADERS = { 'Cross-Origin-Opener-Policy': 'Of a page: `unsafe-none`' };

/** A limit adds headers, so the same error is another response of a limited route. */
function nameOf({ name, status }: Rule, { isLimited }: RouteFacts): string {
  return isLimited && status !== 429 ? `Limited${name}` : name;
}

/** Returns the headers that a limit adds to the responses of a route. */
export function limitHeaders({ isLimited }: Pick<RouteFacts, 'isLimited'>): readonly AnswerHeader[] {
  return isLimited ? LIMITED : [];
}
