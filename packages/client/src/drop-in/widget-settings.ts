// The options of a widget, from an object or from the attributes of its container, as its settings.

import type { Flavour, Size, Theme } from './messages.js';
import type { FieldPlan } from './response-fields.js';
import { textOf } from './script-tag.js';

/** Options by the vendors' names; clients pass all that they know. */
export type Options = Readonly<Record<string, unknown>>;

/** What the vendors' interfaces have in common, and where they differ. */
export interface Vendor {
  readonly flavour: Flavour;
  /** The class of elements that are rendered by themselves. */
  readonly className: string;
  readonly sizes: Readonly<Record<'normal' | 'compact', readonly [width: number, height: number]>>;
  readonly theme: Theme;
  /** The option that names the language. */
  readonly language: 'hl' | 'language';
  fieldsOf(options: Options): readonly FieldPlan[];
  /** Whether a widget begins by itself; only at `execute` otherwise. */
  startsItself(options: Options, size: Size): boolean;
  /** @throws Error if an option has a value that cannot be */
  check?(options: Options): void;
}

/** What a widget does and how it looks. */
export interface WidgetSettings {
  readonly api: Flavour;
  readonly sitekey: string;
  readonly theme: Theme;
  readonly size: Size;
  readonly width: number;
  readonly height: number;
  /** Whether it is only shown while the person has something to do. */
  readonly isHidden: boolean;
  readonly language: string | undefined;
  readonly tabIndex: number;
  readonly action: string | undefined;
  readonly cdata: string | undefined;
  readonly startsItself: boolean;
  /** What begins anew after the token has expired: the next touch of the page, that of the widget, or nothing. */
  readonly refresh: 'auto' | 'manual' | 'never';
  /** Whether it tries again by itself after failures that may pass. */
  readonly retries: boolean;
  readonly fields: readonly FieldPlan[];
  /** Each a function or the name of a global one. */
  readonly onToken: unknown;
  readonly onExpired: unknown;
  readonly onError: unknown;
}

const themes = ['light', 'dark', 'auto'] as const;
const sizes = ['normal', 'compact', 'flexible', 'invisible'] as const;
const refreshes = ['auto', 'manual', 'never'] as const;

/**
 * Returns the settings of a widget.
 * @param options may have any further ones
 * @param usualLanguage that of the script's tag
 * @throws Error without a site key
 */
export function settingsOf(
  options: Options,
  vendor: Vendor,
  usualLanguage: string | undefined,
): WidgetSettings {
  const sitekey = textOf(options.sitekey);
  if (sitekey === undefined) throw new Error('Missing required parameter: sitekey');
  vendor.check?.(options);
  const size = oneOf(sizes, options.size) ?? 'normal';
  const [width, height] = vendor.sizes[size === 'compact' ? 'compact' : 'normal'];
  const language = textOf(options[vendor.language]) ?? usualLanguage;
  return {
    api: vendor.flavour,
    sitekey,
    theme: oneOf(themes, options.theme) ?? vendor.theme,
    size,
    width,
    height,
    isHidden: size === 'invisible' || options.appearance === 'interaction-only',
    language: language === 'auto' ? undefined : language,
    tabIndex: Number(textOf(options.tabindex) ?? 0) || 0,
    action: textOf(options.action),
    cdata: textOf(options.cData),
    startsItself: vendor.startsItself(options, size),
    refresh: oneOf(refreshes, options['refresh-expired']) ?? 'auto',
    retries: options.retry !== 'never',
    fields: vendor.fieldsOf(options),
    onToken: options.callback,
    onExpired: options['expired-callback'],
    onError: options['error-callback'],
  };
}

/** Returns the options in the `data-` attributes of an element. */
export function optionsIn(element: Element): Options {
  const entries = [...element.attributes]
    .filter(({ name }) => name.startsWith('data-'))
    .map(({ name, value }): [string, string] => {
      const option = name.slice('data-'.length);
      return [option === 'cdata' ? 'cData' : option, value];
    });
  return Object.fromEntries(entries);
}

/** Removes what counts as not given. */
export function given(options: unknown): Options {
  if (typeof options !== 'object' || options === null) return {};
  return Object.fromEntries(Object.entries(options).filter(([, value]) => textOf(value) !== undefined));
}

function oneOf<Value extends string>(values: readonly Value[], value: unknown): Value | undefined {
  return values.find((known) => known === value);
}
