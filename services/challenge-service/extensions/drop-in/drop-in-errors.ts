// The error that the routes of sites return.

import { defineError } from '@tollgate/shared/http';

/** The site does not list the host name of the page. */
export const HostnameNotAllowed = defineError('HOSTNAME_NOT_ALLOWED', 403);
