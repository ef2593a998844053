import { testEdgePackage } from '@tollgate/tests/edge-package.js';

testEdgePackage(import.meta.resolve('@tollgate/verify'), {
  exports: ['createVerifier'],
  bytes: 2_000,
  leastFiles: 10,
});
