// Widget settings, from an options object or the attributes of the container.

import type { Flavour, Size, Theme } from './messages.js';
import type { FieldPlan } from './response-fields.js';
import { textOf } from './script-tag.js';

/** Options by the vendors' names; clients may pass unknown ones. */
export type Options = Readonly<Record<string, unknown>>;

/** Differences between the vendors' interfaces. */
export interface Vendor {
  readonly flavour: Flavour;
  /** Class of elements that are rendered automatically. */
  readonly className: string;
  readonly sizes: Readonly<Record<'normal' | 'compact', readonly [width: number, height: number]>>;
  readonly theme: Theme;
  /** Name of the language option. */
  readonly language: 'hl' | 'language';
  fieldsOf(options: Options): readonly FieldPlan[];
  /** Whether a widget starts automatically; otherwise only on `execute`. */
  startsItself(options: Options, size: Size): boolean;
  /** @throws Error for an invalid option value */
  check?(options: Options): void;
}

/** Behaviour and appearance of a widget. */
export interface WidgetSettings {
  readonly api: Flavour;
  readonly sitekey: string;
  readonly theme: Theme;
  readonly size: Size;
  readonly width: number;
  readonly height: number;
  /** Whether the widget is shown only while a person has to act. */
  readonly isHidden: boolean;
  readonly language: string | undefined;
  readonly tabIndex: number;
  readonly action: string | undefined;
  readonly cdata: string | undefined;
  readonly startsItself: boolean;
  /** Renewal after token expiry: on the next touch of the page, of the widget, or never. */
  readonly refresh: 'auto' | 'manual' | 'never';
  /** Whether to retry automatically after temporary failures. */
  readonly retries: boolean;
  readonly fields: readonly FieldPlan[];
  /** Functions or names of global functions. */
  readonly onToken: unknown;
  readonly onExpired: unknown;
  readonly onError: unknown;
}

const themes = ['light', 'dark', 'auto'] as const;
const sizes = ['normal', 'compact', 'flexible', 'invisible'] as const;
const refreshes = ['auto', 'manual', 'never'] as const;

/**
 * Returns the widget settings.
 * @param options unknown ones are ignored
 * @param usualLanguage language of the script's tag
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

/** Returns the options from an element's `data-` attributes. */
export function optionsIn(element: Element): Options {
  const entries = [...element.attributes]
    .filter(({ name }) => name.startsWith('data-'))
    .map(({ name, value }): [string, string] => {
      const option = name.slice('data-'.length);
      return [option === 'cdata' ? 'cData' : option, value];
    });
  return Object.fromEntries(entries);
}

/** Removes unset options. */
export function given(options: unknown): Options {
  if (typeof options !== 'object' || options === null) return {};
  return Object.fromEntries(Object.entries(options).filter(([, value]) => textOf(value) !== undefined));
}

function oneOf<Value extends string>(values: readonly Value[], value: unknown): Value | undefined {
  return values.find((known) => known === value);
}
