// hCaptcha's interface.

import { callLater } from '../callbacks.js';
import type { Reason } from '../messages.js';
import type { ScriptParameters } from '../script-tag.js';
import { given, type Vendor } from '../widget-settings.js';
import { createWidgets } from '../widgets.js';
import { callQueue, type Installation, install } from './loading.js';

/** Codes for `error-callback`. */
const errors: Readonly<Record<Reason, string>> = {
  frame: 'network-error',
  network: 'network-error',
  rate_limited: 'rate-limited',
  unavailable: 'internal-error',
  hostname: 'invalid-data',
  sitekey: 'invalid-data',
  gave_up: 'challenge-error',
  failed: 'challenge-error',
};

/** Options of `execute` that request a promise. */
interface ExecuteOptions {
  readonly async?: boolean;
}

/**
 * Installs `hcaptcha`, and `grecaptcha` beside it unless the tag says otherwise.
 * @param isAlone whether reCAPTCHA's own interface is not installed as well
 */
export function installHcaptcha(script: ScriptParameters, isAlone: boolean): void {
  const standsIn = isAlone && script.compat;
  install('hcaptcha', script, () => createApi(script, standsIn));
  if (standsIn) callQueue();
}

function createApi(script: ScriptParameters, standsIn: boolean): Installation {
  const vendor: Vendor = {
    flavour: 'hcaptcha',
    className: 'h-captcha',
    sizes: { normal: [303, 78], compact: [164, 144] },
    theme: 'light',
    language: 'hl',
    fieldsOf: () =>
      ['h-captcha-response', ...(script.compat ? ['g-recaptcha-response'] : [])].map((name) => ({
        name,
        element: 'textarea',
        hasId: true,
      })),
    startsItself: (_options, size) => size !== 'invisible',
  };
  const idAt = (index: number) => `hcaptcha-${index}`;
  const widgets = createWidgets<string>({ vendor, script, idAt, errorOf: (reason) => errors[reason] });

  const methods = {
    /** @returns the id of the new widget, or of the container's existing one */
    render: (container: unknown, options: unknown = {}): string =>
      widgets.idIn(container) ?? widgets.render(container, given(options)),
    reset: (id?: unknown) => widgets.find(id)?.reset(),
    remove: (id?: unknown) => widgets.remove(id),
    close: (id?: unknown) => widgets.find(id)?.close(),
    getResponse: (id?: unknown) => widgets.find(id)?.held.token ?? '',
    getRespKey: (id?: unknown) => widgets.find(id)?.held.key ?? '',
    /** Has no effect. */
    setData: () => {},
    /** @returns with `async` a promise, which rejects with an error code */
    execute(id?: unknown, options?: ExecuteOptions): Promise<{ response: string; key: string }> | undefined {
      const isOptions = typeof id === 'object' && id !== null && !(id instanceof Element);
      const { async: isAsync = false } = (isOptions ? (id as ExecuteOptions) : options) ?? {};
      const widget = widgets.find(isOptions ? undefined : id);
      if (!isAsync) {
        void widget?.execute(false);
        return undefined;
      }
      if (widget === undefined) return Promise.reject('missing-captcha');
      return widget.execute(true).then(({ token, key }) => ({ response: token, key }));
    },
  };
  return {
    api: {
      hcaptcha: methods,
      ...(standsIn ? { grecaptcha: { ...methods, ready: (callback: unknown) => callLater(callback) } } : {}),
    },
    renderAll: widgets.renderAll,
  };
}
