// Prebuilt file: session, challenges and form element in one module, also loaded by its workers.

export * from './challenge.js';
export { addLanguage, TollgateChallenge } from './element.js';
export * from './session.js';

// The workers run this file too: without a document it searches.
if (typeof document === 'undefined' && 'importScripts' in globalThis) void import('./solver/worker.js');
