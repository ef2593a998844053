// Declarations that this package uses, as documented by Svelte and Angular, which have too many dependencies to install.

declare module 'svelte' {
  export function onMount(run: () => () => void): void;
}

declare module 'svelte/elements' {
  export interface HTMLAttributes<T extends EventTarget> {
    id?: string | undefined | null;
    lang?: string | undefined | null;
    onclick?: ((event: MouseEvent & { currentTarget: EventTarget & T }) => unknown) | undefined | null;
  }

  export interface SvelteHTMLElements {
    div: HTMLAttributes<HTMLDivElement>;
  }
}

declare module '@angular/core' {
  export type Signal<T> = () => T;
  export interface WritableSignal<T> extends Signal<T> {
    set(value: T): void;
    asReadonly(): Signal<T>;
  }
  export function signal<T>(initial: T): WritableSignal<T>;

  export abstract class DestroyRef {
    abstract onDestroy(callback: () => void): () => void;
  }
  export function inject<T>(token: abstract new () => T): T;
  export function afterNextRender(run: () => void): void;
}
