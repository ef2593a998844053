// reCAPTCHA's interface, versions 2 and 3.

import { callLater } from '../callbacks.js';
import type { ScriptParameters } from '../script-tag.js';
import { given, type Options, optionsIn, type Vendor } from '../widget-settings.js';
import { createWidgets } from '../widgets.js';
import { callQueue, type Installation, install, onceParsed } from './loading.js';

const ACTION = /^[A-Za-z0-9/_]{1,100}$/;

const vendor: Vendor = {
  flavour: 'recaptcha',
  className: 'g-recaptcha',
  sizes: { normal: [304, 78], compact: [164, 144] },
  theme: 'light',
  language: 'hl',
  fieldsOf: () => [{ name: 'g-recaptcha-response', element: 'textarea', hasId: true }],
  startsItself: (_options, size) => size !== 'invisible',
};

/** Installs `grecaptcha` and `grecaptcha.enterprise`. */
export function installRecaptcha(script: ScriptParameters): void {
  install('recaptcha', script, () => createApi(script));
  callQueue();
}

function createApi(script: ScriptParameters): Installation {
  const widgets = createWidgets<number>({ vendor, script, idAt: (index) => index, errorOf: () => undefined });

  const methods = {
    /** Calls back at once: the interface is ready. */
    ready: (callback: unknown) => callLater(callback),
    /**
     * @param container an element, its id, or the options of an invisible widget without a container
     * @param inherits whether attributes of the container count too
     */
    render(container: unknown, options: unknown = {}, inherits = false): number {
      const isPlace = typeof container === 'string' || container instanceof Element;
      if (!isPlace) return widgets.render(null, { ...given(container), size: 'invisible' });
      if (widgets.idIn(container) !== undefined)
        throw new Error('reCAPTCHA has already been rendered in this element');
      const place = typeof container === 'string' ? document.getElementById(container) : container;
      const attributes: Options = inherits && place !== null ? given(optionsIn(place)) : {};
      return widgets.render(container, { ...attributes, ...given(options) });
    },
    reset: (id?: unknown) => widgets.find(id)?.reset(),
    getResponse: (id?: unknown) => widgets.find(id)?.held.token ?? '',
    /**
     * @param target an id; for version 3 a site key, with one token per caller
     * @returns the token
     */
    execute(target?: unknown, options?: { readonly action?: unknown }): Promise<string> {
      const isSiteKey = typeof target === 'string' && widgets.find(target) === undefined;
      const widget = isSiteKey ? widgets.forSiteKey(target) : widgets.find(target);
      if (widget === undefined) throw new Error('No reCAPTCHA clients exist.');
      const { action } = given(options);
      if (action !== undefined && !ACTION.test(String(action))) {
        return Promise.reject(new Error('Invalid action name: it may hold A-Z, a-z, 0-9, / and _ only'));
      }
      const isOwn = isSiteKey || action !== undefined;
      const run = widget.execute(isOwn, action === undefined ? undefined : String(action));
      const received = run.then(({ token }) => token);
      // Most callers of version 2 wait for the callback instead.
      if (!isOwn) received.catch(() => undefined);
      return received;
    },
  };

  // Version 3 starts with the first call, which then finds its frame.
  if (!['onload', 'explicit'].includes(script.render)) {
    onceParsed(() => void widgets.forSiteKey(script.render));
  }
  return {
    api: { grecaptcha: { ...methods, enterprise: { ...methods } } },
    renderAll: widgets.renderAll,
  };
}
