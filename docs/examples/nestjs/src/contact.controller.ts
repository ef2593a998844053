import {
  type ArgumentsHost,
  Body,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  HttpException,
  Post,
  UnprocessableEntityException,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { ChallengeGuard } from './challenge.guard.js';
import { contactPage } from './contact.page.js';

/** Renders the form again, with the visitor's input and the message. */
@Catch(HttpException)
class FormFilter implements ExceptionFilter {
  catch(exception: HttpException, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const { email, text } = http.getRequest<Request>().body ?? {};
    const response = http.getResponse<Response>().status(exception.getStatus());
    response
      .set('cache-control', 'no-store')
      .send(contactPage({ ...Object(exception.getResponse()), email, text }));
  }
}

@Controller('contact')
export class ContactController {
  @Get()
  show(): string {
    return contactPage({});
  }

  @Post()
  @UseGuards(ChallengeGuard)
  @UseFilters(FormFilter)
  async send(@Body() { email, text }: { email?: unknown; text?: unknown }): Promise<string> {
    if (String(text ?? '').length < 10) {
      throw new UnprocessableEntityException('Please write at least 10 characters.');
    }
    await deliver({ email, text });
    return '<!doctype html><title>Contact</title><p>Thank you.</p>';
  }
}

/** Replace it with your own. */
async function deliver(message: object): Promise<void> {
  console.log('Delivered', JSON.stringify(message));
}
