// Serves the application on Node; Workers, Deno and Bun import app.js itself.
import { serve } from '@hono/node-server';
import app from './app.js';

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) });
