// A page's widgets of one vendor: renders and finds them.

import type { Reason } from './messages.js';
import type { ScriptParameters } from './script-tag.js';
import { createWidget, type Widget } from './widget.js';
import { given, type Options, optionsIn, settingsOf, type Vendor } from './widget-settings.js';

/** Widget identifier for clients. */
type WidgetId = string | number;

interface WidgetsOptions<Id extends WidgetId> {
  readonly vendor: Vendor;
  readonly script: ScriptParameters;
  /** Returns the id of the nth rendered widget, counted from 0. */
  readonly idAt: (index: number) => Id;
  readonly errorOf: (reason: Reason) => string | undefined;
  /** Whether selectors are accepted as container. */
  readonly takesSelectors?: boolean;
}

interface Widgets<Id extends WidgetId> {
  /**
   * Renders a widget.
   * @param container an element, its id or a selector; null for a widget without a container
   * @throws Error if there is no such element, or no site key
   */
  render(container: unknown, options: Options): Id;
  /** Finds a widget by id or container; without either, the first one in the document. */
  find(meant?: unknown): Widget | undefined;
  /** Returns the widget without a container for a site key; renders it if there is none. */
  forSiteKey(sitekey: string): Widget;
  /** Returns the id of the widget in a container. */
  idIn(container: unknown): Id | undefined;
  remove(meant?: unknown): void;
  /** Renders all elements of the vendor's class that have a site key and no widget. */
  renderAll(): void;
}

export function createWidgets<Id extends WidgetId>({
  vendor,
  script,
  idAt,
  errorOf,
  takesSelectors = false,
}: WidgetsOptions<Id>): Widgets<Id> {
  const all = new Map<Id, Widget>();
  const bySiteKey = new Map<string, Id>();
  const buttons = new WeakMap<Element, Id>();
  const unbinds = new Map<Id, () => void>();
  let rendered = 0;

  // A page restored by the browser has tokens that may have been sent.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) for (const widget of all.values()) if (widget.held.token !== '') widget.reset();
  });

  function elementOf(container: unknown): HTMLElement | null {
    if (container instanceof HTMLElement) return container;
    if (typeof container !== 'string' || container === '') return null;
    const byId = document.getElementById(container);
    if (byId !== null || !takesSelectors) return byId;
    try {
      return document.querySelector<HTMLElement>(container);
    } catch {
      return null;
    }
  }

  function add(container: HTMLElement | null, options: Options): Id {
    const id = idAt(rendered);
    all.set(
      id,
      createWidget(container, settingsOf(options, vendor, script.language), script.service, errorOf),
    );
    rendered += 1;
    return id;
  }

  /** A click on the button starts a run in place of its default action. */
  function bindButton(button: HTMLElement, options: Options): Id {
    const place = document.createElement('div');
    const id = add(place, { ...options, size: 'invisible', execution: 'execute' });
    button.after(place);
    buttons.set(button, id);
    const onClick = (event: Event) => {
      event.preventDefault();
      event.stopPropagation();
      void all.get(id)?.execute(false);
    };
    button.addEventListener('click', onClick);
    unbinds.set(id, () => {
      buttons.delete(button);
      button.removeEventListener('click', onClick);
      place.remove();
    });
    return id;
  }

  function idIn(container: unknown): Id | undefined {
    const element = elementOf(container);
    if (element === null) return undefined;
    const ofButton = buttons.get(element);
    if (ofButton !== undefined) return ofButton;
    return [...all].find(([, widget]) => widget.container === element && widget.isInPlace)?.[0];
  }

  function idOf(meant: unknown): Id | undefined {
    if (meant !== undefined && meant !== null) return all.has(meant as Id) ? (meant as Id) : idIn(meant);
    const ids = [...all.keys()];
    return ids.find((id) => all.get(id)?.isConnected) ?? ids[0];
  }

  return {
    idIn,
    render(container, options) {
      if (container === null) return add(null, given(options));
      const element = elementOf(container);
      if (element === null) throw new Error('The widget container is not in the page.');
      return isButton(element) ? bindButton(element, given(options)) : add(element, given(options));
    },
    find(meant) {
      const id = idOf(meant);
      return id === undefined ? undefined : all.get(id);
    },
    forSiteKey(sitekey) {
      const id = bySiteKey.get(sitekey) ?? add(null, { sitekey, size: 'invisible', execution: 'execute' });
      bySiteKey.set(sitekey, id);
      return all.get(id)!;
    },
    remove(meant) {
      const id = idOf(meant);
      if (id === undefined) return;
      all.get(id)?.remove();
      all.delete(id);
      unbinds.get(id)?.();
      unbinds.delete(id);
    },
    renderAll() {
      for (const element of document.querySelectorAll<HTMLElement>(`.${vendor.className}`)) {
        const options = given(optionsIn(element));
        if (options.sitekey === undefined || idIn(element) !== undefined) continue;
        if (isButton(element)) bindButton(element, options);
        else add(element, options);
      }
    },
  };
}

function isButton(element: Element): boolean {
  return element.matches('button, input[type="submit"], input[type="button"]');
}
