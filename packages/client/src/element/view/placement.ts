// Placement of the element's box: in the form, beside the submit button while there is a message, or hidden.
import type { Display } from '../attributes.js';
import type { FormBinding } from '../form/form-binding.js';
import { pathOf } from '../form/own-form.js';
import type { ViewModel } from './view-model.js';

const GAP_PX = 8;

type Side = 'below' | 'above';

export interface Placement {
  /** @param form undefined if the element is in none */
  update(display: Display, model: ViewModel, form: Pick<FormBinding, 'delayed' | 'button'> | undefined): void;
  /** Reopens a box closed with Escape. */
  reopen(): void;
  stop(): void;
}

/** Focusable elements, and labels, which may represent an invisible control. */
const focusable = `a[href], button, input, select, textarea, summary, label, iframe, audio[controls], video[controls],
  [contenteditable]:not([contenteditable=false]), [tabindex]:not([tabindex^="-"])`;

/**
 * A floating box must not cover focusable elements: if it would, it moves into the flow until it is hidden. Escape closes
 * it until there is a new message or the form is sent.
 *
 * @param element owner of the box
 */
export function createPlacement(element: HTMLElement, box: HTMLElement): Placement {
  let button: HTMLElement | null = null;
  let side: Side | undefined;
  let isDocked = false;
  /** Last observed space, box position and focus. */
  let room = '';
  let place = '';
  let focused: Element | null = null;
  /** Message at the time the box was closed; undefined if it was not. */
  let closedFor: string | undefined;
  let saying = '';
  let floating: AbortController | undefined;
  // A submission failed validation: the cause must be visible and focusable.
  element.addEventListener('invalid', reopen);
  // A press of the element's label found nothing to focus.
  element.addEventListener('click', ({ target }) => {
    if (target === element && box.hidden) element.focus();
  });

  function update(
    display: Display,
    model: ViewModel,
    form: Pick<FormBinding, 'delayed' | 'button'> | undefined,
  ): void {
    box.dataset.placed = '';
    const { status } = model.state;
    const concernsPerson = model.captchaRequired || status === 'error' || model.waitSeconds > 0;
    const isDelayed = form?.delayed !== undefined;
    saying = sayingOf(model);
    // During a retry there is no message, and the same failure afterwards is not new.
    const isNew = concernsPerson ? closedFor !== saying : status === 'ready';
    if (isDelayed || isNew) closedFor = undefined;
    button = form?.button ?? null;
    const floats = display === 'floating' && button !== null;
    box.hidden =
      display !== 'inline' && ((!concernsPerson && !isDelayed) || (floats && closedFor !== undefined));
    // Work that ends at once need not be shown.
    box.toggleAttribute('data-late', display !== 'inline' && !concernsPerson);
    if (floats && !box.hidden) show();
    else stop();
  }

  function show(): void {
    choose();
    if (floating !== undefined) return;
    floating = new AbortController();
    const { signal } = floating;
    document.addEventListener('keydown', onKey, { signal });
    watch(signal);
  }

  /** Checks each frame: no event covers all moves of a button, or the focus inside a frame or shadow tree. */
  function watch(signal: AbortSignal): void {
    if (signal.aborted) return;
    if (side !== undefined) {
      if (room !== roomNow()) choose();
      // During scrolling the box stays at its button, even outside of the window.
      else if ((focused !== deepestFocus() || place !== translation(rectAt(side))) && !put(rectAt(side)))
        choose();
    }
    if (!isDocked) requestAnimationFrame(() => watch(signal));
  }

  /** Chooses the side of the button where the box covers nothing; without one the box moves into the flow. */
  function choose(): void {
    if (isDocked || button === null) return;
    box.toggleAttribute('data-floats', true);
    room = roomNow();
    const { top, bottom } = visibleRange();
    side = (['below', 'above'] as const).find((candidate) => {
      const at = rectAt(candidate);
      return at.top >= top + GAP_PX && at.bottom <= bottom - GAP_PX && put(at);
    });
    if (side === undefined || !isDrawn(button)) dock();
  }

  /** @returns whether the box is at that position (a `transform` around it may move it) and covers nothing */
  function put(rect: DOMRect): boolean {
    place = translation(rect);
    box.style.translate = place;
    focused = deepestFocus();
    const { left, top } = box.getBoundingClientRect();
    return Math.abs(left - rect.left) < 1 && Math.abs(top - rect.top) < 1 && !covers(rect);
  }

  function roomNow(): string {
    const { top, bottom } = visibleRange();
    return [top, bottom, box.offsetWidth, box.offsetHeight].join();
  }

  function rectAt(at: Side): DOMRect {
    const anchor = (button as HTMLElement).getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = box;
    const isMirrored = getComputedStyle(button as HTMLElement).direction === 'rtl';
    const most = document.documentElement.clientWidth - width - GAP_PX;
    const left = Math.max(GAP_PX, Math.min(isMirrored ? anchor.right - width : anchor.left, most));
    const top = at === 'below' ? anchor.bottom + GAP_PX : anchor.top - GAP_PX - height;
    return new DOMRect(left, top, width, height);
  }

  /** Moves the box into the flow, which moves the page: the focused element must stay on the screen. */
  function dock(): void {
    isDocked = true;
    undock();
    const node = deepestFocus();
    if (node !== box.ownerDocument.body) node?.scrollIntoView({ block: 'nearest' });
  }

  function undock(): void {
    box.toggleAttribute('data-floats', false);
    box.style.translate = '';
  }

  function onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
    // Do not close the dialog around it too.
    event.preventDefault();
    const hadFocus = element.matches(':focus-within') || document.activeElement === element;
    closedFor = saying;
    box.hidden = true;
    const to = button;
    stop();
    if (hadFocus) to?.focus();
  }

  function reopen(): void {
    if (closedFor === undefined) return;
    closedFor = undefined;
    box.hidden = false;
    show();
  }

  function covers(rect: DOMRect): boolean {
    const around = new Set<Node>([...pathOf(box), ...pathOf(button as HTMLElement)]);
    const nodes = focusables(document);
    if (focused !== null && !box.contains(focused)) nodes.push(focused);
    return nodes.some((node) => !around.has(node) && isDrawn(node) && overlap(rect, node));
  }

  function focusables(root: Document | ShadowRoot): Element[] {
    return [...root.querySelectorAll('*')].flatMap((node) => {
      if (node === element) return [];
      const inner = node.shadowRoot === null ? [] : focusables(node.shadowRoot);
      return node.matches(focusable) || isField(node) ? [node, ...inner] : inner;
    });
  }

  function stop(): void {
    floating?.abort();
    floating = undefined;
    isDocked = false;
    side = undefined;
    undock();
  }

  return { update, reopen, stop };
}

/** Message for the person; a different text counts as new. */
function sayingOf({ state, captchaRequired, waitSeconds }: ViewModel): string {
  const { captcha, error } = state;
  const shown = captcha?.kind === 'image' ? captcha.url : captcha?.kind;
  return JSON.stringify([captchaRequired, shown, waitSeconds > 0, error?.message]);
}

/** Part of the window above an on-screen keyboard. The box does not follow a pinch zoom. */
function visibleRange(): { readonly top: number; readonly bottom: number } {
  const { clientHeight } = document.documentElement;
  if (visualViewport === null || visualViewport.scale > 1) return { top: 0, bottom: clientHeight };
  const { offsetTop, height } = visualViewport;
  return { top: offsetTop, bottom: Math.min(offsetTop + height, clientHeight) };
}

function deepestFocus(): Element | null {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused;
}

/** Whether the node is a custom form control. */
function isField(node: Element): boolean {
  return (node.constructor as { formAssociated?: boolean }).formAssociated === true;
}

const translation = ({ left, top }: DOMRect) => `${left}px ${top}px`;

function isDrawn(node: Element): boolean {
  const { width, height } = node.getBoundingClientRect();
  return width > 0 && height > 0 && node.checkVisibility?.({ visibilityProperty: true }) !== false;
}

function overlap(one: DOMRect, node: Element): boolean {
  const other = node.getBoundingClientRect();
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
