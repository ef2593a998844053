import { testEdgePackage } from '@tollgate/tests/edge-package.js';

testEdgePackage(import.meta.resolve('@tollgate/session'), {
  exports: ['SessionUnavailableError', 'createPageSession'],
  bytes: 2_000,
  leastFiles: 12,
});
