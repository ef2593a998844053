// What the script in the page and the frame of a widget say to each other by `postMessage`. Both check origin and source.

/** The vendor whose interface a widget has. */
export type Flavour = 'recaptcha' | 'hcaptcha' | 'turnstile';

export type Theme = 'light' | 'dark' | 'auto';
export type Size = 'normal' | 'compact' | 'flexible' | 'invisible';

/**
 * Why a run failed.
 * - `frame`: the frame of the widget does not load
 * - `hostname`: the site does not list the host name of the page
 * - `sitekey`: there is no such site
 * - `network`: no answer
 * - `rate_limited`, `unavailable`: what the service answered
 * - `gave_up`: the device did not find a solution
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

/** Those that another try does not mend. */
export const lastingReasons: readonly Reason[] = ['hostname', 'sitekey'];

/** What the page tells the frame. */
export type ToFrame =
  /** The answer to the greeting. */
  | {
      readonly tollgate: 'set-up';
      readonly api: Flavour;
      readonly theme: Theme;
      /** A BCP 47 tag; undefined for that of the browser. */
      readonly language: string | undefined;
      /** The least height of what is shown, in CSS pixels. */
      readonly height: number;
      /** Whether the frame is only shown while the person has something to do. */
      readonly isHidden: boolean;
    }
  /** Fetches, solves and redeems; ends the run before. */
  | {
      readonly tollgate: 'run';
      readonly run: number;
      readonly action: string | undefined;
      readonly cdata: string | undefined;
      /** Whether to try again after a failure that may pass. */
      readonly retries: boolean;
    }
  /** Ends the run. */
  | { readonly tollgate: 'stop' }
  /** Shows that the last run has succeeded: the frame was loaded again since. */
  | { readonly tollgate: 'done' }
  /** The token has expired. @see `asks`: whether the person is to press a button for another one */
  | { readonly tollgate: 'expired'; readonly asks: boolean };

/** What the frame tells the page. */
export type FromFrame =
  /** It is loaded, and can be set up. */
  | { readonly tollgate: 'greeting' }
  /** What it shows now: the height that takes in CSS pixels, and whether the person has something to do. */
  | {
      readonly tollgate: 'shown';
      readonly title: string;
      readonly height: number;
      readonly needsPerson: boolean;
    }
  /** The person used it. */
  | { readonly tollgate: 'touched' }
  /** The person does not want to go on. */
  | { readonly tollgate: 'closed' }
  | {
      readonly tollgate: 'token';
      readonly run: number;
      readonly token: string;
      readonly expiresInSeconds: number;
    }
  | { readonly tollgate: 'failed'; readonly run: number; readonly reason: Reason };
