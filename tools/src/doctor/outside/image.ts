// Checks that a required image can be displayed.

import { isSameSite } from '@tollgate/shared/same-site';
import { type Answer, describe, textOf } from '../answer.js';
import type { PublicClient } from '../public-client.js';
import { type Finding, good, problem, warning } from '../report.js';

interface ImageFacts {
  readonly publicUrl: string;
  /** The origin of the application's pages. */
  readonly pageOrigin: string;
  /** The challenge that the image belongs to. */
  readonly challenge: Answer;
  /** The response from its URL; undefined if that is not below the public address. */
  readonly image: Answer | undefined;
}

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Fetches the image of a challenge if its URL is below the public address. */
export async function probeImage(client: PublicClient, challenge: Answer): Promise<ImageFacts> {
  const { publicUrl, pageOrigin } = client;
  const url = textOf(challenge, 'url');
  const isOurs = url.startsWith(`${publicUrl.replace(/\/+$/, '')}/`);
  return { publicUrl, pageOrigin, challenge, image: isOurs ? await client.get(url) : undefined };
}

/** Requires a challenge, its URL below the public address, and a PNG there that the pages may display. */
export function diagnoseImage({ publicUrl, pageOrigin, challenge, image }: ImageFacts): Finding[] {
  if (challenge.status !== 200) {
    return [
      problem(
        'image_refused',
        `No image challenge is issued; response: ${describe(challenge)}.`,
        'Route the path of CAPTCHA_ROUTES_PREFIX, and everything below it, to the challenge service.',
      ),
    ];
  }
  if (image === undefined) {
    return [
      problem(
        'image_elsewhere',
        `The image URL is at ${new URL(textOf(challenge, 'url')).origin}, not below ${publicUrl}.`,
        'Set PUBLIC_URL of the challenge service to the public address.',
      ),
    ];
  }
  const isPng = PNG.every((byte, at) => image.bytes[at] === byte);
  if (image.status !== 200 || !isPng || image.headers['content-type'] !== 'image/png') {
    const what = image.status === 200 ? 'no PNG' : describe(image);
    return [
      problem(
        'image_missing',
        `The image of a challenge does not arrive; response: ${what}.`,
        'Route *.png below the challenge path to the challenge service. Code no_image_library: install canvas.',
      ),
    ];
  }
  if (
    !isSameSite(pageOrigin, publicUrl) &&
    image.headers['cross-origin-resource-policy'] !== 'cross-origin'
  ) {
    return [
      warning(
        'image_policy',
        `Pages of ${pageOrigin} cannot display the image: Cross-Origin-Resource-Policy is not cross-origin.`,
        'Set CORS_ORIGIN of the challenge service to the origin of the pages.',
      ),
    ];
  }
  return [good('image', 'The image of a challenge arrives.')];
}
