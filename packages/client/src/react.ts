// React hooks for session and challenges, and JSX types of the form element.
'use client';

export type { UseChallengeOptions } from './frameworks/mounted-challenge.js';
export type { TollgateChallengeAttributes } from './react/element-attributes.js';
export { type UsedChallenge, useChallenge } from './react/use-challenge.js';
export { useSession } from './react/use-session.js';
