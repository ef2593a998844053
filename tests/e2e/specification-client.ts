// A client written from the two specifications alone: it knows no tickets, prices or rejection codes.

import { solveFullPrice, type Work } from '../solving.js';

/** The service of a client, and its user. */
interface Surroundings {
  /** The public address, without a trailing slash. */
  readonly address: string;
  /** Solves an image like a user, and takes as long. */
  readImage(token: string, png: Uint8Array): Promise<string>;
}

/** The result of a submission. `captchaRequired` is that of the failed response. */
interface Outcome {
  readonly status: number;
  readonly accessToken?: string;
  readonly cookie?: string;
  readonly message?: string;
  readonly captchaRequired: boolean;
}

type Credentials = { readonly email: string; readonly password: string };
type Body = Readonly<Record<string, unknown>>;

export class SpecificationClient {
  readonly #around: Surroundings;
  /** Rule 4: an image is shown only if the last failed response required it. */
  #needsImage = false;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /**
   * One press of the button: fresh challenges, one submission. `change` spoils the fields before sending and receives the
   * work.
   */
  async logIn(
    credentials: Credentials,
    change: (fields: Body, work: Work) => Body = (fields) => fields,
  ): Promise<Outcome> {
    // Rules 1 and 2: a fresh proof of work for every submission, successful or not.
    const work = await this.#work();
    const solved = { pow_token: work.token, pow_nonce: await solveFullPrice(work) };
    const fields = { ...solved, ...(this.#needsImage ? await this.#image() : {}) };
    const response = await this.#fetch('/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(change({ ...credentials, ...fields }, work)),
    });
    const body = await bodyOf(response);
    this.#needsImage = response.status === 422 && body.captcha_required === true;
    return {
      status: response.status,
      captchaRequired: this.#needsImage,
      ...(typeof body.message === 'string' ? { message: body.message } : {}),
      ...(response.ok ? { accessToken: body.accessToken, cookie: cookieOf(response) } : {}),
    };
  }

  /** Whether a protected request with this token succeeds. */
  async profile(accessToken: string): Promise<number> {
    return (await this.#fetch('/profile', { headers: { Authorization: `Bearer ${accessToken}` } })).status;
  }

  async refresh(cookie: string): Promise<Outcome> {
    const response = await this.#fetch('/refresh', { method: 'POST', headers: { Cookie: cookie } });
    const body = await bodyOf(response);
    return {
      status: response.status,
      captchaRequired: false,
      ...(response.ok ? { accessToken: body.accessToken, cookie: cookieOf(response) } : {}),
    };
  }

  async #work(): Promise<Work> {
    const { token, salt, difficulty, algorithm } = await this.#json('/api/captcha/pow');
    if (algorithm !== 'sha256') throw new Error(`unsupported algorithm ${algorithm}`);
    return { token, salt, difficulty };
  }

  async #image(): Promise<Body> {
    const { token, url } = await this.#json('/api/captcha');
    const { pathname } = new URL(url);
    const png = new Uint8Array(await (await this.#fetch(pathname)).arrayBuffer());
    return { captcha_token: token, captcha: await this.#around.readImage(token, png) };
  }

  async #json(path: string) {
    const response = await this.#fetch(path);
    if (!response.ok) throw new Error(`${path} was answered ${response.status}`);
    return bodyOf(response);
  }

  #fetch(path: string, init?: RequestInit): Promise<Response> {
    return fetch(this.#around.address + path, init);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a client without schemas
function bodyOf(response: Response): Promise<any> {
  return response.json();
}

function cookieOf(response: Response): string {
  return response.headers.getSetCookie().at(0)?.split(';')[0] ?? '';
}
