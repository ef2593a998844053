// Globals of a page in which tests write components.
import { createChallenge } from '@tollgate/client/challenge';
import { useChallenge, useSession } from '@tollgate/client/react';
import { createSession } from '@tollgate/client/session';
import * as react from 'react';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';
import '@tollgate/client/element';
import { SignedOutForm } from './signed-out-form.js';

interface Lab {
  readonly react: typeof react;
  readonly createRoot: typeof createRoot;
  readonly hydrateRoot: typeof hydrateRoot;
  readonly useChallenge: typeof useChallenge;
  readonly useSession: typeof useSession;
  readonly createSession: typeof createSession;
  readonly createChallenge: typeof createChallenge;
  readonly SignedOutForm: typeof SignedOutForm;
}

declare global {
  var lab: Lab;
  /** Set by a test: the root of its components, their records, and a function that renders them again. */
  var root: Root;
  var challenge: ReturnType<typeof useChallenge>;
  var before: typeof challenge;
  var renders: number;
  var shared: ReturnType<typeof createChallenge>;
  var statuses: string[];
  var renderForm: (image: 'always' | 'never') => void;
}

export const pageLab: Lab = {
  react,
  createRoot,
  hydrateRoot,
  useChallenge,
  useSession,
  createSession,
  createChallenge,
  SignedOutForm,
};
