// The prebuilt file: session, challenges and form element in one module, which its workers load as well.

export * from './challenge.js';
export { addLanguage, TollgateChallenge } from './element.js';
export * from './session.js';

// A worker that this file starts runs the same file: it finds no document, and searches.
if (typeof document === 'undefined' && 'importScripts' in globalThis) void import('./solver/worker.js');
