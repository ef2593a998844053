import { createPageSession } from '@tollgate/session';

export default defineEventHandler(async (event) => {
  // As the router: in any case, with or without a final slash.
  if (!/^\/orders\b/i.test(event.path)) return;
  const { publicUrl, sessionUrl } = useRuntimeConfig(event);
  const session = createPageSession({ publicUrl, service: sessionUrl });
  const user = await session(event.node.req);
  if (user === null) return sendRedirect(event, session.continueUrl(event.node.req), 303);
  setResponseHeaders(event, session.responseHeaders);
  event.context.user = user;
});
