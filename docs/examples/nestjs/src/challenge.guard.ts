import { type CanActivate, type ExecutionContext, HttpException, Injectable } from '@nestjs/common';
import { createVerifier } from '@tollgate/verify';
import type { Request } from 'express';

@Injectable()
export class ChallengeGuard implements CanActivate {
  readonly #verify = createVerifier({ hostApi: process.env.HOST_API_URL, key: process.env.HOST_API_KEY });

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const language = request.get('accept-language');
    const verdict = await this.#verify(request.body, { ip: request.ip, language });
    if (verdict.outcome === 'unavailable') console.error(verdict.reason);
    if (verdict.ok === false) {
      throw new HttpException({ ...verdict.body, attributes: verdict.attributes }, verdict.status);
    }
    return true;
  }
}
