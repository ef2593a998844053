// Declarations that `types/svelte.ts` extends, as documented by Svelte, whose compiler has too many dependencies to install.

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
