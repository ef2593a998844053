import { defineEnvVars } from '@sveltejs/kit/env';

// Optional, because `vite build` runs without them.
const optional = { schema: (value) => value };
export const variables = defineEnvVars({
  HOST_API_URL: optional,
  HOST_API_KEY: optional,
  PUBLIC_URL: optional,
  SESSION_URL: optional,
});
