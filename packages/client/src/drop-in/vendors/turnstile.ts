// Turnstile's interface.

import { callLater } from '../callbacks.js';
import type { Reason } from '../messages.js';
import { type ScriptParameters, textOf } from '../script-tag.js';
import { given, type Options, type Vendor } from '../widget-settings.js';
import { createWidgets } from '../widgets.js';
import { type Installation, install } from './loading.js';

/** Codes for `error-callback`. */
const errors: Readonly<Record<Reason, string>> = {
  sitekey: '110100',
  hostname: '110200',
  frame: '200500',
  network: '300010',
  rate_limited: '300020',
  unavailable: '300030',
  gave_up: '600010',
  failed: '300000',
};

const ACTION = /^[A-Za-z0-9_-]{0,32}$/;
const CDATA = /^[A-Za-z0-9_-]{0,255}$/;

const vendor: Vendor = {
  flavour: 'turnstile',
  className: 'cf-turnstile',
  sizes: { normal: [300, 65], compact: [150, 140] },
  theme: 'auto',
  language: 'language',
  fieldsOf(options) {
    if (String(options['response-field']) === 'false') return [];
    const name = textOf(options['response-field-name']) ?? 'cf-turnstile-response';
    return [{ name, element: 'input', hasId: false }];
  },
  startsItself: ({ execution }) => execution !== 'execute',
  check({ action, cData }) {
    if (!ACTION.test(textOf(action) ?? '')) throw new Error('Invalid value for parameter "action"');
    if (!CDATA.test(textOf(cData) ?? '')) throw new Error('Invalid value for parameter "cData"');
  },
};

/** Installs `turnstile`. */
export function installTurnstile(script: ScriptParameters): void {
  install('turnstile', script, () => createApi(script));
}

function createApi(script: ScriptParameters): Installation {
  const widgets = createWidgets<string>({
    vendor,
    script,
    idAt: (index) => `cf-chl-widget-${index}`,
    errorOf: (reason) => errors[reason],
    takesSelectors: true,
  });

  function render(container: unknown, options: unknown = {}): string {
    const present = widgets.idIn(container);
    return present ?? widgets.render(container, given(options));
  }

  const methods = {
    /** @returns the id of the new widget, or of the container's existing one */
    render,
    reset: (meant?: unknown) => widgets.find(meant)?.reset(),
    /** Removes frame and field. */
    remove: (meant?: unknown) => widgets.remove(meant),
    getResponse: (meant?: unknown) => widgets.find(meant)?.held.token || undefined,
    isExpired: (meant?: unknown) => widgets.find(meant)?.held.isExpired ?? false,
    /** Starts a run; renders the widget first if the container has none. */
    execute(meant?: unknown, options?: Options): void {
      const isMissing = widgets.find(meant) === undefined && given(options).sitekey !== undefined;
      if (isMissing) render(meant, { ...options, execution: 'execute' });
      void widgets.find(meant)?.execute(false);
    },
    /** Calls back at once: the interface is ready. */
    ready: (callback: unknown) => callLater(callback),
  };
  return { api: { turnstile: methods }, renderAll: widgets.renderAll };
}
