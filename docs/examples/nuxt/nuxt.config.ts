export default defineNuxtConfig({
  compatibilityDate: '2026-11-01',
  // NUXT_HOST_API_URL, NUXT_HOST_API_KEY, NUXT_PUBLIC_URL and NUXT_SESSION_URL replace them at run time.
  runtimeConfig: { hostApiUrl: '', hostApiKey: '', publicUrl: '', sessionUrl: '' },
  vue: { compilerOptions: { isCustomElement: (tag) => tag === 'tollgate-challenge' } },
});
