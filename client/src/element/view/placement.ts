// Where the box of the element is: in the form, beside the submit button while it has something to say, or nowhere.
import type { Display } from '../attributes.js';
import type { FormBinding } from '../form/form-binding.js';
import type { ViewModel } from './view-model.js';

const GAP_PX = 8;

export interface Placement {
  /** @param form undefined if the element is in none */
  update(display: Display, model: ViewModel, form: Pick<FormBinding, 'delayed' | 'button'> | undefined): void;
  stop(): void;
}

export function createPlacement(box: HTMLElement): Placement {
  let anchor: Element | null = null;

  /** Places the box under its button, or above it where there is no room below. */
  function place(): void {
    if (anchor === null) return;
    const { left, right, top, bottom } = anchor.getBoundingClientRect();
    const { clientWidth, clientHeight, dir } = document.documentElement;
    const { offsetWidth, offsetHeight } = box;
    const fitsBelow = bottom + GAP_PX + offsetHeight <= clientHeight;
    const y = fitsBelow ? bottom + GAP_PX : Math.max(GAP_PX, top - GAP_PX - offsetHeight);
    const x = dir === 'rtl' ? right - offsetWidth : left;
    box.style.translate = `${Math.max(GAP_PX, Math.min(x, clientWidth - offsetWidth - GAP_PX))}px ${y}px`;
  }

  function float(beside: Element): void {
    if (anchor === null) {
      addEventListener('scroll', place, { capture: true, passive: true });
      addEventListener('resize', place);
    }
    anchor = beside;
    place();
  }

  function stop(): void {
    anchor = null;
    box.style.translate = '';
    removeEventListener('scroll', place, { capture: true });
    removeEventListener('resize', place);
  }

  return {
    update(display, model, form) {
      const button = form?.button ?? null;
      box.dataset.placed = '';
      const concernsPerson = model.captchaRequired || model.state.status === 'error' || model.waitSeconds > 0;
      box.hidden = display !== 'inline' && !concernsPerson && form?.delayed === undefined;
      const floats = display === 'floating' && !box.hidden && button !== null;
      box.toggleAttribute('data-floats', floats);
      // Work that ends at once is not worth a look.
      box.toggleAttribute('data-late', display !== 'inline' && !concernsPerson);
      if (floats) float(button);
      else stop();
    },
    stop,
  };
}
