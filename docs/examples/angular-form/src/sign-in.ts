// The form: its element solves the challenges, and shows an image if one is required.
import '@tollgate/client/element';
import { Component, CUSTOM_ELEMENTS_SCHEMA, input, signal } from '@angular/core';
import { injectChallenge } from '@tollgate/client/angular';
import type { Session } from '@tollgate/client/session';

@Component({
  selector: 'sign-in',
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <form (submit)="signIn($event, email.value, password.value)" (input)="refusal.set('')">
      <h1>Sign in</h1>
      <p><label>E-mail <input #email type="email" autocomplete="username" required></label></p>
      <p><label>Password <input #password type="password" autocomplete="current-password" required></label></p>
      <tollgate-challenge [controller]="challenge.controller" />
      <p role="alert">{{ refusal() }}</p>
      <button type="submit">Sign in</button>
    </form>
  `,
})
export class SignIn {
  readonly session = input.required<Session>();
  // Angular's builder copies no worker of a package: angular.json does, as an asset.
  readonly challenge = injectChallenge({ workerUrl: '/client/tollgate.js' });
  readonly refusal = signal('');

  async signIn(event: Event, email: string, password: string): Promise<void> {
    event.preventDefault();
    this.refusal.set('');
    try {
      const response = await this.challenge.controller.submit((fields) =>
        this.session().login({ email, password, ...fields }),
      );
      if (response.ok) return;
      const { code, message } = await response.json();
      // The element itself says that an image is required or was wrong.
      if (!code.startsWith('captcha_')) this.refusal.set(message);
    } catch (error) {
      if (error instanceof Error && error.name === 'CaptchaUnansweredError') return;
      this.refusal.set('The server does not respond. Please try again.');
    }
  }
}
