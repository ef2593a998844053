// Starts the page.
import { bootstrapApplication } from '@angular/platform-browser';
import { SignInPage } from './sign-in-page';

bootstrapApplication(SignInPage).catch(console.error);
