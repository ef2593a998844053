// Texts for visitors, by language.

export { localise } from './http/errors/language.js';
export { en } from './messages/en.js';
export { escapeHtml } from './messages/escape-html.js';
export { isMessageKey, type Language, languages, messageIn, rightToLeft } from './messages/messages.js';
