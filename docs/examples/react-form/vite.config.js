// `vite build` for any server; `vite` with the services of `npm start` behind it.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const paths = ['/api/captcha', '/login', '/refresh', '/logout', '/profile'];

export default defineConfig({
  plugins: [react()],
  server: { proxy: Object.fromEntries(paths.map((path) => [path, 'http://localhost:8080'])) },
});
