// Widget box in its container: sizes the frame, and raises a hidden one when a person has to act.

import type { WidgetSettings } from './widget-settings.js';

/** Minimum width of an interactive frame, in CSS pixels. */
const LEAST_WIDTH = 300;

interface FrameBox {
  readonly node: HTMLElement;
  /** The box, or what it has left in the container. */
  readonly place: Element;
  /** @param height content height in CSS pixels */
  show(height: number, needsPerson: boolean, title: string): void;
  remove(): void;
}

/** @param frame is put into the box */
export function createFrameBox(
  frame: HTMLIFrameElement,
  { size, width, height, isHidden, tabIndex }: WidgetSettings,
): FrameBox {
  const node = document.createElement('div');
  let place: Element = node;
  let isShown = false;
  // Properties of `style`, because the page's policy may block the attribute.
  Object.assign(frame.style, {
    border: '0',
    display: 'block',
    width: '100%',
    height: '100%',
    colorScheme: 'normal',
  });
  frame.tabIndex = isHidden ? -1 : tabIndex;
  frame.title = 'Tollgate';
  node.append(frame);
  if (isHidden) hide();
  else resize(height, false);

  function hide(): void {
    node.removeAttribute('style');
    Object.assign(node.style, {
      position: 'absolute',
      width: '0',
      height: '0',
      overflow: 'hidden',
      visibility: 'hidden',
    });
    frame.ariaHidden = 'true';
  }

  function resize(shownHeight: number, needsPerson: boolean): void {
    const wide = needsPerson ? Math.max(width, LEAST_WIDTH) : width;
    Object.assign(node.style, {
      width: size === 'flexible' ? '100%' : `${wide}px`,
      minWidth: size === 'flexible' ? `${wide}px` : '',
      maxWidth: '100vw',
      height: `${Math.max(height, Math.ceil(shownHeight))}px`,
    });
  }

  /** In the middle of the window, above everything else. */
  function raise(shownHeight: number): void {
    leaveHiddenContainer();
    Object.assign(node.style, {
      position: 'fixed',
      inset: '50% auto auto 50%',
      transform: 'translate(-50%, -50%)',
      width: `min(${Math.max(width, LEAST_WIDTH)}px, 100vw)`,
      height: `${Math.ceil(shownHeight)}px`,
      visibility: 'visible',
      zIndex: '2147483647',
      boxShadow: '0 0 0 100vmax #0006',
    });
    frame.removeAttribute('aria-hidden');
    if (!isShown) frame.focus();
  }

  /** Nothing in a container with `display: none` can be seen. The move reloads the frame, which repeats its run. */
  function leaveHiddenContainer(): void {
    if (place !== node || node.getClientRects().length > 0) return;
    place = document.createElement('div');
    node.replaceWith(place);
    document.body.append(node);
  }

  return {
    node,
    get place() {
      return place;
    },
    show(shownHeight, needsPerson, title) {
      frame.title = title;
      if (!isHidden) resize(shownHeight, needsPerson);
      else if (needsPerson) raise(shownHeight);
      else if (isShown) hide();
      isShown = needsPerson;
    },
    remove() {
      node.remove();
      place.remove();
    },
  };
}
