// The page for visitors without a pass: the element and its script, an image without JavaScript, or instructions.

import type { FieldNames, NoScriptImage } from '@tollgate/shared/challenges';
import { escapeHtml, type Language, rightToLeft } from '@tollgate/shared/messages';
import { gateTexts } from './gate-languages.js';
import { gateStyle, gateStyleHash } from './gate-style.js';

/** Values of the page that are the same for every visitor. */
export interface GatePageSettings {
  /** The path of the public address, without a trailing slash: empty, or such as `/auth`. */
  readonly basePath: string;
  /** `CAPTCHA_ROUTES_PREFIX` */
  readonly prefix: string;
  /** The version of the browser files. */
  readonly version: string;
  readonly fields: FieldNames;
  /** Whether everybody must solve an image. */
  readonly image: boolean;
  /** Whether work may replace that image. */
  readonly effort: boolean;
  /** The requested algorithms, the preferred one first. */
  readonly algorithms: readonly string[];
}

/** Values of the page that depend on the visit. */
export interface GatePageVisit {
  readonly language: Language;
  /** The origin of the site. */
  readonly site: string;
  /** The requested path and query. */
  readonly wanted: string;
  /** Whether the request's method had a body that is lost. */
  readonly isLost: boolean;
  /** The note of the page's network, which its forms send back. */
  readonly note: string;
  /** Whether the browser has presented a pass of another network: it accepts cookies, and its address changes. */
  readonly hasMoved: boolean;
  /** The image of this visit; null if none replaces work. */
  readonly noScriptImage: NoScriptImage | null;
  /** After a wrong answer: the absolute address for the visitor's return. */
  readonly goesTo?: string;
}

/** The policy of the page: only its own parts. */
export const GATE_PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  `style-src '${gateStyleHash}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** The page with the check. */
export function askingPage(settings: GatePageSettings, visit: GatePageVisit): string {
  const { basePath, prefix, version, image } = settings;
  const { language, site, wanted, isLost, note, hasMoved, goesTo } = visit;
  const texts = gateTexts(language);
  const path = `${basePath}/${prefix}`;
  const lead = (image ? texts.lead_image : texts.lead).replace('{site}', new URL(site).host);
  const lost = isLost ? paragraph(texts.not_sent) : '';
  const told = attributes({
    'data-done': isLost ? texts.send_again : texts.done,
    'data-not-kept': texts.not_kept,
    'data-failed': texts.failed,
    'data-retry': texts.retry,
    'data-wait': texts.wait,
    ...(hasMoved ? { 'data-moved': texts.moved } : {}),
    ...(isLost ? { 'data-back': texts.back } : {}),
    ...(goesTo === undefined ? {} : { 'data-goes-to': goesTo }),
  });
  const body = `${lost}
<form id="check" method="post"${attributes({ action: `${path}/gate/pass` })}${told} hidden>
${paragraph(lead)}
${hidden('return', wanted)}${hidden('sent_to', note)}
<tollgate-challenge${elementAttributes(settings)}></tollgate-challenge>
<p id="note" role="status"></p>
${image ? `<button>${escapeHtml(texts.proceed)}</button>` : ''}
</form>
<noscript>${withoutScript(settings, visit)}</noscript>
<p id="stuck">${escapeHtml(texts.stuck)}</p>`;
  const scripts = ['tollgate.js', 'tollgate/gate.js'].map(
    (name) => `<script type="module"${attributes({ src: `${path}/v/${version}/${name}` })}></script>`,
  );
  return documentOf(language, body, scripts.join(''));
}

/** The page of a rejection that no visitor can change. */
export function refusingPage(language: Language): string {
  return documentOf(language, paragraph(gateTexts(language).refused));
}

/** The page after a check without JavaScript, for an earlier request body that is lost. */
export function sendAgainPage(language: Language): string {
  return documentOf(language, paragraph(gateTexts(language).send_again));
}

function documentOf(language: Language, body: string, scripts = ''): string {
  const title = escapeHtml(gateTexts(language).title);
  return `<!doctype html>
<html lang="${language}" dir="${rightToLeft.includes(language) ? 'rtl' : 'ltr'}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${title}</title><style>${gateStyle}</style>${scripts}</head>
<body><main><h1>${title}</h1>
${body}
</main></body>
</html>
`;
}

function elementAttributes(settings: GatePageSettings): string {
  const { basePath, prefix, fields, image, effort, algorithms } = settings;
  // An image is required as after a rejection, because only that form can say whether work may replace it.
  const demand = { 'captcha-required': '', ...(effort ? { 'captcha-alternatives': 'effort' } : {}) };
  return attributes({
    'base-url': basePath,
    prefix,
    'pow-token-name': fields.pow.token,
    'pow-nonce-name': fields.pow.nonce,
    'captcha-token-name': fields.image.token,
    'captcha-name': fields.image.answer,
    algorithms: algorithms.join(' '),
    ...(image ? demand : {}),
  });
}

/** In a `noscript` element. */
function withoutScript(settings: GatePageSettings, visit: GatePageVisit): string {
  const { basePath, prefix, fields } = settings;
  const { language, wanted, isLost, note, noScriptImage, goesTo } = visit;
  const texts = gateTexts(language);
  if (noScriptImage === null) return paragraph(texts.no_script);
  const picture = attributes({ src: `${basePath}${noScriptImage.path}`, alt: texts.alt });
  const wrong = goesTo === undefined ? '' : `<p class="wrong" role="alert">${escapeHtml(texts.wrong)}</p>`;
  return `<form method="post"${attributes({ action: `${basePath}/${prefix}/gate/pass` })}>
${paragraph(texts.no_script_image)}${wrong}
<img${picture} width="240" height="80">
<label for="answer">${escapeHtml(texts.label)}</label>
<input id="answer"${attributes({ name: fields.image.answer })} required maxlength="64" dir="ltr" autocomplete="off" autocapitalize="off" spellcheck="false">
${hidden(fields.image.token, noScriptImage.token)}${hidden('return', wanted)}${hidden('sent_to', note)}${isLost ? hidden('lost', '1') : ''}
<button>${escapeHtml(texts.proceed)}</button>
</form>`;
}

const paragraph = (text: string) => `<p>${escapeHtml(text)}</p>`;

const hidden = (name: string, value: string) => `<input type="hidden"${attributes({ name, value })}>`;

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
    .join('');
}
