// Gives test files a `tap` that collects their tests in place of running them (runner.mjs).

const collector = new URL('./collector.mjs', import.meta.url).href;

export async function resolve(specifier, context, next) {
  const isTest = context.parentURL?.includes('/dist/') && !context.parentURL.includes('/node_modules/');
  return specifier === 'tap' && isTest ? { url: collector, shortCircuit: true } : next(specifier, context);
}
