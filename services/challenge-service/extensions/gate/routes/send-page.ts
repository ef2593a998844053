// Sends the pages of the gate.

import { localise } from '@tollgate/shared/messages';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Gate } from '../gate.js';
import {
  askingPage,
  GATE_PAGE_POLICY,
  type GatePageVisit,
  refusingPage,
  sendAgainPage,
} from '../page/gate-page.js';

/** Longer addresses are omitted from the form without JavaScript; with it, the page reloads itself. */
const MOST_CHARACTERS = 2048;

/** Sends the page with the check. @param status 403 by default, or 422 after a wrong answer */
export function sendAskingPage(
  { verifier, page }: Gate,
  request: FastifyRequest,
  reply: FastifyReply,
  visit: Omit<GatePageVisit, 'language' | 'noScriptImage'>,
  status = visit.goesTo === undefined ? 403 : 422,
): FastifyReply {
  const language = localise(request, reply);
  const wanted = visit.wanted.length > MOST_CHARACTERS ? '/' : visit.wanted;
  const html = askingPage(page, { ...visit, wanted, language, noScriptImage: verifier.noScriptImage() });
  return send(reply.code(status), html);
}

/** Sends the page of a final rejection. */
export function sendRefusingPage(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return send(reply.code(403), refusingPage(localise(request, reply)));
}

/** Tells that the request before the check must be sent again. */
export function sendAgain(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return send(reply, sendAgainPage(localise(request, reply)));
}

function send(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .headers({
      'content-security-policy': GATE_PAGE_POLICY,
      // Without a referrer, browsers send the form with the origin `null`.
      'referrer-policy': 'same-origin',
      // Any other value cuts the opener of a popup, which then cannot return a login or payment to its page.
      'cross-origin-opener-policy': 'unsafe-none',
    })
    .type('text/html; charset=utf-8')
    .serializer((text: string) => text)
    .send(html);
}
