// Whether two host names belong to one site. Needs tldts.

export { isSameSite } from './config/same-site.js';
