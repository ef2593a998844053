// `vite build` for any server; `vite` with the services of `npm start` behind it.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const paths = ['/api/captcha', '/login', '/refresh', '/logout', '/profile'];

export default defineConfig({
  plugins: [svelte()],
  server: { proxy: Object.fromEntries(paths.map((path) => [path, 'http://localhost:8080'])) },
});
