// Shows the form, or who is signed in.
import { Component, effect, signal } from '@angular/core';
import { injectSession } from '@tollgate/client/angular';
import { createSession } from '@tollgate/client/session';
import { SignIn } from './sign-in';

@Component({
  selector: 'sign-in-page',
  imports: [SignIn],
  template: `
    @switch (state().status) {
      @case ('unknown') {
        <p>{{ state().reason ? 'The server does not respond. Trying again …' : 'One moment …' }}</p>
      }
      @case ('signed-out') {
        <sign-in [session]="session" />
      }
      @default {
        <h1>Signed in</h1>
        <p>You are {{ email() }}.</p>
        <button type="button" (click)="logOut()">Log out</button>
      }
    }
  `,
})
export class SignInPage {
  readonly session = createSession();
  readonly state = injectSession(this.session);
  readonly email = signal('');

  constructor() {
    // Without a response the state says so, and the session tries again by itself.
    this.session.resume().catch(() => {});
    effect(async () => {
      if (this.state().status !== 'signed-in') return;
      const response = await this.session.fetch('/profile');
      if (response.ok) this.email.set((await response.json()).email);
    });
  }

  logOut(): void {
    this.session.logout().catch(alert);
  }
}
