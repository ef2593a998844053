// Where the box of the element is: in the form, beside the submit button while it has something to say, or nowhere.
import type { Display } from '../attributes.js';
import type { FormBinding } from '../form/form-binding.js';
import type { ViewModel } from './view-model.js';

const GAP_PX = 8;

type Side = 'below' | 'above';

export interface Placement {
  /** @param form undefined if the element is in none */
  update(display: Display, model: ViewModel, form: Pick<FormBinding, 'delayed' | 'button'> | undefined): void;
  stop(): void;
}

/**
 * A box that floats never covers a control of its form, nor what has the focus: where it would, it stands in the flow
 * from then on, until it is hidden. Escape closes it until it has something new to say or the form is sent.
 *
 * @param element whose box it is
 */
export function createPlacement(element: HTMLElement, box: HTMLElement): Placement {
  let button: HTMLElement | null = null;
  let side: Side | undefined;
  let isDocked = false;
  /** What the box said when it was closed; undefined if it was not. */
  let closedFor: string | undefined;
  let saying = '';
  let floating: AbortController | undefined;
  // The person has sent the form: what prevents it must be visible and able to take the focus.
  element.addEventListener('invalid', reopen);

  function update(
    display: Display,
    model: ViewModel,
    form: Pick<FormBinding, 'delayed' | 'button'> | undefined,
  ): void {
    box.dataset.placed = '';
    const concernsPerson = model.captchaRequired || model.state.status === 'error' || model.waitSeconds > 0;
    const isDelayed = form?.delayed !== undefined;
    saying = sayingOf(model);
    if (isDelayed || closedFor !== saying) closedFor = undefined;
    button = form?.button ?? null;
    const floats = display === 'floating' && button !== null;
    box.hidden =
      display !== 'inline' && ((!concernsPerson && !isDelayed) || (floats && closedFor !== undefined));
    // Work that ends at once is not worth a look.
    box.toggleAttribute('data-late', display !== 'inline' && !concernsPerson);
    if (floats && !box.hidden) show();
    else stop();
  }

  function show(): void {
    if (floating === undefined) {
      floating = new AbortController();
      const { signal } = floating;
      addEventListener('scroll', follow, { capture: true, passive: true, signal });
      addEventListener('resize', choose, { signal });
      // An on-screen keyboard takes room from it, and from nothing else.
      visualViewport?.addEventListener('resize', choose, { signal });
      document.addEventListener('focusin', onFocus, { signal });
      document.addEventListener('keydown', onKey, { signal });
    }
    choose();
  }

  /** Chooses the side of the button where the box covers nothing; without one it stands in the flow. */
  function choose(): void {
    if (isDocked || button === null) return;
    box.toggleAttribute('data-floats', true);
    const { top, bottom } = visibleRange();
    side = (['below', 'above'] as const).find((candidate) => {
      const at = rectAt(candidate);
      return at.top >= top + GAP_PX && at.bottom <= bottom - GAP_PX && !isOverControl(at);
    });
    if (side === undefined) dock();
    else follow();
  }

  /** Keeps the box at its button. */
  function follow(): void {
    if (isDocked || side === undefined) return;
    const { left, top } = rectAt(side);
    box.style.translate = `${left}px ${top}px`;
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

  /** Stays in the flow, where it moves the page: what has the focus must not leave the screen by that. */
  function dock(): void {
    isDocked = true;
    undock();
    const focused = deepestFocus();
    if (focused !== box.ownerDocument.body) focused?.scrollIntoView({ block: 'nearest' });
  }

  function undock(): void {
    box.toggleAttribute('data-floats', false);
    box.style.translate = '';
  }

  function onFocus(): void {
    follow();
    if (!isDocked && isOverFocus(box.getBoundingClientRect())) dock();
  }

  function onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
    // Not the dialog around it, too.
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

  function isOverControl(rect: DOMRect): boolean {
    const form = (button as HTMLButtonElement).form ?? null;
    if (form === null) return isOverFocus(rect);
    // A control with the name `elements` hides that member of the form itself.
    const controls = Reflect.get(HTMLFormElement.prototype, 'elements', form) as HTMLFormControlsCollection;
    return isOverFocus(rect) || [...controls].some((control) => isControl(control) && overlap(rect, control));
  }

  function isControl(control: Element): boolean {
    return control !== element && !['fieldset', 'output', 'object'].includes(control.localName);
  }

  function isOverFocus(rect: DOMRect): boolean {
    const focused = deepestFocus();
    return focused !== null && focused !== document.body && !holds(focused) && overlap(rect, focused);
  }

  function holds(node: Element): boolean {
    return node === element || box.contains(node);
  }

  function stop(): void {
    floating?.abort();
    floating = undefined;
    isDocked = false;
    side = undefined;
    undock();
  }

  return { update, stop };
}

/** What the person has to know or do; another text means that it is something new. */
function sayingOf({ state, captchaRequired, waitSeconds }: ViewModel): string {
  const { captcha, error } = state;
  const shown = captcha?.kind === 'image' ? captcha.url : captcha?.kind;
  return JSON.stringify([captchaRequired, shown, waitSeconds > 0, error?.message]);
}

/** The part of the window that an on-screen keyboard leaves. While the person has zoomed in, the box follows no zoom. */
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

function overlap(one: DOMRect, node: Element): boolean {
  const other = node.getBoundingClientRect();
  const isDrawn = other.width > 0 && other.height > 0;
  return (
    isDrawn &&
    one.left < other.right &&
    other.left < one.right &&
    one.top < other.bottom &&
    other.top < one.bottom
  );
}
