// Messages between the script in the page and the widget frame, by `postMessage`. Both check origin and source.

/** Vendor interface of a widget. */
export type Flavour = 'recaptcha' | 'hcaptcha' | 'turnstile';

export type Theme = 'light' | 'dark' | 'auto';
export type Size = 'normal' | 'compact' | 'flexible' | 'invisible';

/**
 * Why a run failed.
 * - `frame`: the widget frame does not load
 * - `hostname`: the site does not list the page's host name
 * - `sitekey`: unknown site key
 * - `network`: no response
 * - `rate_limited`, `unavailable`: error response of the service
 * - `gave_up`: the device found no solution
 * - `failed`: anything else
 */
export type Reason =
  | 'frame'
  | 'hostname'
  | 'sitekey'
  | 'network'
  | 'rate_limited'
  | 'unavailable'
  | 'gave_up'
  | 'failed';

/** Reasons that a retry does not fix. */
export const lastingReasons: readonly Reason[] = ['hostname', 'sitekey'];

/** Messages from the page to the frame. */
export type ToFrame =
  /** Response to the greeting. */
  | {
      readonly tollgate: 'set-up';
      readonly api: Flavour;
      readonly theme: Theme;
      /** BCP 47 tag; undefined for the browser's language. */
      readonly language: string | undefined;
      /** Minimum content height in CSS pixels. */
      readonly height: number;
      /** Whether the frame is shown only while a person has to act. */
      readonly isHidden: boolean;
    }
  /** Fetches, solves and redeems; ends the previous run. */
  | {
      readonly tollgate: 'run';
      readonly run: number;
      readonly action: string | undefined;
      readonly cdata: string | undefined;
      /** Whether to retry after a temporary failure. */
      readonly retries: boolean;
    }
  /** Ends the run. */
  | { readonly tollgate: 'stop' }
  /** Shows the success of the last run after the frame was reloaded. */
  | { readonly tollgate: 'done' }
  /** The token has expired; with `asks` the person presses a button for a new one. */
  | { readonly tollgate: 'expired'; readonly asks: boolean };

/** Messages from the frame to the page. */
export type FromFrame =
  /** The frame has loaded and can be set up. */
  | { readonly tollgate: 'greeting' }
  /** Current content: its height in CSS pixels, and whether a person has to act. */
  | {
      readonly tollgate: 'shown';
      readonly title: string;
      readonly height: number;
      readonly needsPerson: boolean;
    }
  /** The person has touched the frame. */
  | { readonly tollgate: 'touched' }
  /** The person has cancelled. */
  | { readonly tollgate: 'closed' }
  | {
      readonly tollgate: 'token';
      readonly run: number;
      readonly token: string;
      readonly expiresInSeconds: number;
    }
  | { readonly tollgate: 'failed'; readonly run: number; readonly reason: Reason };
