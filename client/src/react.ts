// React hooks for the session and for the challenges of a form, and the types of the form element in JSX.
'use client';

export type { TollgateChallengeAttributes } from './react/element-attributes.js';
export { type UseChallengeOptions, type UsedChallenge, useChallenge } from './react/use-challenge.js';
export { useSession } from './react/use-session.js';
