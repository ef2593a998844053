// Derives the errors and headers of a route's answers from its options, so that no route has to list them.

import type { RouteOptions } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route counts its own requests against a limit, and answers like one with `config.rateLimit`. */
    readonly limited?: boolean;
    /** Headers that only the success of this route has: the description of each, by name. */
    readonly answerHeaders?: Readonly<Record<string, string>>;
    /** The route answers everything with 200 and a verdict, but a path that does not exist. */
    readonly answersVerdicts?: boolean;
    /** Browsers get each error as a page. */
    readonly answersPages?: boolean;
    /** Refusals that only this route has: what each status means, and its headers with their descriptions. */
    readonly refusals?: Readonly<Record<number, Refusal>>;
  }
}

/** A refusal of one route. */
export interface Refusal {
  readonly description: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The description of every header that an answer may have. */
export const ANSWER_HEADERS = {
  'Accept-Encoding': '`identity`, if the body was compressed',
  'Access-Control-Allow-Credentials': 'For the allowed origin',
  'Access-Control-Allow-Origin': 'The allowed origin, to a request from there',
  'Access-Control-Expose-Headers': 'Which headers a page of that origin may read',
  'Cache-Control': 'Always `no-store`',
  'Content-Language': 'The language of `message` and `errors`',
  'Content-Security-Policy': 'Always the strictest',
  'RateLimit-Limit': 'Requests in a window',
  'RateLimit-Remaining': 'Requests that are left in this window',
  'RateLimit-Reset': 'Seconds until the window ends',
  'Referrer-Policy': 'Always `no-referrer`',
  'Retry-After': 'Seconds after which the request may be repeated',
  'Set-Cookie': 'Clears cookies that other sites have planted',
  'Strict-Transport-Security': 'With an https `PUBLIC_URL`',
  Vary: 'The request headers that the answer depends on',
  'WWW-Authenticate': 'Always `Bearer`',
  'X-Captcha-Test-Mode': '`1` in test mode',
  'X-Content-Type-Options': 'Always `nosniff`',
} as const;

export type AnswerHeader = keyof typeof ANSWER_HEADERS;

/** The headers of every answer. */
export const EVERY_ANSWER: readonly AnswerHeader[] = [
  'Cache-Control',
  'Content-Security-Policy',
  'Referrer-Policy',
  'Strict-Transport-Security',
  'Vary',
  'X-Captcha-Test-Mode',
  'X-Content-Type-Options',
];

/** The headers of every answer of a server with CORS. */
export const CROSS_ORIGIN: readonly AnswerHeader[] = [
  'Access-Control-Allow-Credentials',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
];

const EVERY_ERROR: readonly AnswerHeader[] = ['Content-Language'];
const LIMITED: readonly AnswerHeader[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** An error answer: its status, when it is sent, and its headers besides those of every answer. */
export interface DocumentedError {
  /** The name of the response in `components`; undefined for one that only this route has. */
  readonly name: string | undefined;
  readonly status: number;
  readonly description: string;
  readonly headers: readonly AnswerHeader[];
  /** Headers that only this route has: the description of each, by name. */
  readonly ownHeaders: Readonly<Record<string, string>>;
}

/** The properties of a route that decide its errors. */
export interface RouteFacts {
  /** It may be sent a body. */
  readonly hasBody: boolean;
  /** Its body or query is checked against a schema. */
  readonly isChecked: boolean;
  readonly hasParams: boolean;
  readonly isLimited: boolean;
  readonly checksOrigin: boolean;
  readonly answersVerdicts: boolean;
  readonly answersPages: boolean;
  /** The credential that it requires. */
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
    description: 'The request cannot be read',
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
    description: 'Another origin',
    headers: [],
    when: ({ checksOrigin }) => checksOrigin,
  },
  {
    name: 'NotFound',
    status: 404,
    description: 'There is no such thing',
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
    description: 'Not a type that is read here, or a compressed body',
    headers: ['Accept-Encoding'],
    when: ({ hasBody }) => hasBody,
  },
  {
    name: 'UnprocessableContent',
    status: 422,
    description: 'What was sent is refused',
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
    description: 'A mistake of the service',
    headers: [],
    when: () => true,
  },
  {
    name: 'ServiceUnavailable',
    status: 503,
    description: 'The store or a part of the service is out of reach, or busy',
    headers: ['Retry-After'],
    when: () => true,
  },
];

/** Returns the facts of a route. @param checksOrigin whether the server refuses other origins where state may change */
export function factsOf(route: RouteOptions, checksOrigin: boolean): RouteFacts {
  const { schema, config, method } = route;
  const hasBody = [method].flat().some((name) => name !== 'GET' && name !== 'HEAD');
  return {
    hasBody,
    isChecked: schema?.body !== undefined || schema?.querystring !== undefined,
    hasParams: schema?.params !== undefined,
    isLimited: config?.limited === true || config?.rateLimit !== undefined,
    checksOrigin: checksOrigin && hasBody,
    answersVerdicts: config?.answersVerdicts === true,
    answersPages: config?.answersPages === true,
    credential: credentialOf(schema?.security ?? []),
  };
}

function credentialOf(security: readonly Readonly<Record<string, readonly string[]>>[]) {
  const names = security.map((each) => Object.keys(each));
  // An empty requirement makes the credential optional.
  if (names.length === 0 || names.some((each) => each.length === 0)) return 'none';
  return names.flat().includes('refreshCookie') ? 'cookie' : 'bearer';
}

/** Returns the errors that a route with these facts may answer. @param refusals those that only this route has */
export function errorAnswers(
  facts: RouteFacts,
  refusals: Readonly<Record<number, Refusal>> = {},
): DocumentedError[] {
  const common = facts.answersVerdicts ? [] : RULES.filter(({ when }) => when(facts));
  const statuses = new Set([...common.map(({ status }) => status), ...Object.keys(refusals).map(Number)]);
  return [...statuses].map((status) => {
    const rule = common.find((each) => each.status === status);
    const refusal = refusals[status];
    return {
      name: refusal === undefined && rule && !facts.answersPages ? nameOf(rule, facts) : undefined,
      status,
      description: refusal?.description ?? rule?.description ?? '',
      headers: [...EVERY_ERROR, ...limitHeaders(facts), ...(rule?.headers ?? [])],
      ownHeaders: { ...refusal?.headers, ...(facts.answersPages && PAGE_HEADERS) },
    };
  });
}

const PAGE_HEADERS = { 'Cross-Origin-Opener-Policy': 'Of a page: `same-origin-allow-popups`' };

/** A limit adds headers, so the same error is another response of a limited route. */
function nameOf({ name, status }: Rule, { isLimited }: RouteFacts): string {
  return isLimited && status !== 429 ? `Limited${name}` : name;
}

/** Returns the headers that a limit adds to the answers of a route. */
export function limitHeaders({ isLimited }: Pick<RouteFacts, 'isLimited'>): readonly AnswerHeader[] {
  return isLimited ? LIMITED : [];
}
