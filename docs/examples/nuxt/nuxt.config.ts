export default defineNuxtConfig({
  compatibilityDate: '2026-11-01',
  // NUXT_HOST_API_URL and NUXT_HOST_API_KEY replace them at run time.
  runtimeConfig: { hostApiUrl: '', hostApiKey: '' },
  vue: { compilerOptions: { isCustomElement: (tag) => tag === 'tollgate-challenge' } },
});
