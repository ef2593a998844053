// The same-site check of two host names. Needs tldts.

export { isSameSite } from './config/same-site.js';
