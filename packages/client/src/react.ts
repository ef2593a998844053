// React hooks for the session and the challenges of a form, and the JSX types of the form element.
'use client';

export type { TollgateChallengeAttributes } from './react/element-attributes.js';
export { type UseChallengeOptions, type UsedChallenge, useChallenge } from './react/use-challenge.js';
export { useSession } from './react/use-session.js';
