// Stores: Redis or a file, the challenge store, load and key records of the processes.

export { createLruCache } from './cache/bounded-maps.js';
export {
  type ChallengeServiceStatus,
  challengeServiceStatus,
  isChallengeService,
  watchChallengeService,
} from './challenges/challenge-service-watch.js';
export { configFingerprint, watchConfigFingerprint } from './challenges/config-fingerprint.js';
export { openChallengeStore } from './challenges/store/open-challenge-store.js';
export {
  KEY_RECORD_KEY,
  openKeyRecord,
  REPORT_EVERY_MS,
  type ReportedKeys,
  SEEN_EVERY_MS,
  type SeenProcess,
  SILENCE_MS,
} from './keys/key-record.js';
export { type KeyReportLog, type ReportedService, reportKeys } from './keys/key-report.js';
export { loadKeys, openLoadRecord } from './load/load-record.js';
export {
  controlLoad,
  counted,
  type LoadStatus,
  type LoadWatch,
  type QueueMeter,
  watchLoad,
} from './load/load-watch.js';
export { type DatabaseFile, openDatabaseFile } from './store/database-file.js';
export { type EmbeddedStore, openEmbeddedStore, type Transaction } from './store/embedded-store.js';
export { listKeys, readAll } from './store/list-keys.js';
export {
  openConfiguredStore,
  openStore,
  type Store,
  storeFileMissing,
  waitForStore,
  waitForStores,
  withConnectedStore,
  withExistingStore,
} from './store/open-store.js';
export { startPeriodicTask, startPruning } from './store/periodic-task.js';
export { openDataFolder, writePrivateFile } from './store/private-file.js';
export {
  asStoreError,
  gatherCommands,
  loadScript,
  type RedisClient,
  reconnectDelayMs,
  replyOf,
} from './store/redis-connection.js';
export { type Counted, openRequestCounter, type RequestCounter } from './store/request-counter.js';
export { openDatabase, type Statement } from './store/sqlite.js';
export {
  type StoreObserver,
  StoreUnavailableError,
  secondsSince,
  underLimit,
  waitForAnswer,
} from './store/store.js';
export { describeStoreUrl, parseStoreUrl } from './store/store-url.js';
export {
  type FilePlace,
  lookAtPlace,
  otherMachines,
  RENEW_EVERY_MS,
  recordMachine,
  renewedSince,
} from './store/watch/embedded-watch.js';
export type { StoreLog } from './store/watch/failure-cause.js';
export {
  type Held,
  isTooOld,
  MAX_CLOCK_OFFSET_MS,
  mayEvict,
  OLDEST_REDIS,
  type RedisFacts,
  readRedisFacts,
} from './store/watch/redis-facts.js';
export { type StoreWatch, watchStore } from './store/watch/store-watch.js';
