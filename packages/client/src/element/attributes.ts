// Reads the element's attributes as controller options.

import type { ChallengeOptions } from '../challenge/challenge-options.js';

const images = ['demanded', 'always', 'never'] as const;
const credentials = ['omit', 'same-origin', 'include'] as const;
const starts = ['load', 'focus', 'submit'] as const;
const displays = ['inline', 'floating', 'invisible'] as const;

/** Start of the first fetch. */
export type Start = (typeof starts)[number];
/** Display mode. */
export type Display = (typeof displays)[number];

/** Attributes whose change requires a new controller. */
export const optionAttributes = [
  'base-url',
  'prefix',
  'credentials',
  'pow-token-name',
  'pow-nonce-name',
  'captcha-token-name',
  'captcha-name',
  'image',
  'no-pow',
  'preset',
  'algorithms',
  'chunk-size',
  'max-hashes',
  'worker-url',
  'start',
] as const;

/** Attributes with the last error of a server-rendered form. */
export const refusalAttributes = ['captcha-required', 'captcha-alternatives', 'pow-scope'] as const;

/** Service of elements without `base-url`: the origin of this file, else that of the page. */
const usualBaseUrl = /^(http.+)\/api\/captcha\/(v\/\w+\/)?tollgate\.js/.exec(import.meta.url)?.[1];

/** Returns the start mode: by default `focus` if an image is always required, because it would expire before. */
export function startOf(element: Element): Start {
  const usual = element.getAttribute('image') === 'always' ? 'focus' : 'load';
  return oneOf(starts, element.getAttribute('start')) ?? usual;
}

export function displayOf(element: Element): Display {
  return oneOf(displays, element.getAttribute('display')) ?? 'inline';
}

/** Reads the options; the controller's defaults replace missing and invalid attributes. */
export function optionsFrom(element: Element): ChallengeOptions {
  const text = (name: (typeof optionAttributes)[number]) => element.getAttribute(name) ?? undefined;
  const number = (name: (typeof optionAttributes)[number]) => {
    const value = Number(text(name));
    return Number.isSafeInteger(value) && value > 0 ? value : undefined;
  };
  const file = text('worker-url');
  const sent = oneOf(credentials, text('credentials'));
  return defined({
    baseUrl: text('base-url') ?? usualBaseUrl,
    prefix: text('prefix'),
    fetchOptions: sent && { credentials: sent },
    fields: defined({
      pow_token: text('pow-token-name'),
      pow_nonce: text('pow-nonce-name'),
      captcha_token: text('captcha-token-name'),
      captcha: text('captcha-name'),
    }),
    image: oneOf(images, text('image')),
    pow: !element.hasAttribute('no-pow'),
    preset: text('preset'),
    algorithms: text('algorithms')?.split(/\s+/),
    chunkSize: number('chunk-size'),
    maxHashes: number('max-hashes'),
    // Relative to the page, like every other URL in its markup.
    workerUrl: file && new URL(file, document.baseURI),
  });
}

/**
 * Returns the last error of a server-rendered form from `refusalAttributes`, in the format of an error body; null if they
 * name none. The alternatives are separated by spaces.
 */
export function refusalFrom(element: Element): Record<string, unknown> | null {
  const captchaRequired = element.hasAttribute('captcha-required');
  const scope = element.getAttribute('pow-scope');
  if (!captchaRequired && !scope) return null;
  return {
    captcha_required: captchaRequired,
    ...(scope && { pow_scope: scope }),
    captcha_alternatives: (element.getAttribute('captcha-alternatives') ?? '').split(/\s+/).filter(Boolean),
  };
}

function oneOf<Value extends string>(
  values: readonly Value[],
  text: string | null | undefined,
): Value | undefined {
  return values.find((value) => value === text);
}

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

function defined<T extends object>(values: T): Partial<Defined<T>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<
    Defined<T>
  >;
}
