// What `types/svelte.ts` extends, as Svelte documents it; its compiler has too many dependencies to be installed for this.

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
