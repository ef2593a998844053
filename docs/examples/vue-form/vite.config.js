// `vite build` for any server; `vite` with the services of `npm start` behind it.
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

const paths = ['/api/captcha', '/login', '/refresh', '/logout', '/profile'];

export default defineConfig({
  plugins: [
    vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'tollgate-challenge' } } }),
  ],
  server: { proxy: Object.fromEntries(paths.map((path) => [path, 'http://localhost:8080'])) },
});
