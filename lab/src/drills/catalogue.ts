// All drills, in the order of the list and of a run.
import type { Drill } from './drill.js';
import clocksRedis from './drills/clocks/redis.js';
import clocksServices from './drills/clocks/services.js';
import clusterFrozen from './drills/cluster/frozen.js';
import clusterKilled from './drills/cluster/killed.js';
import clusterResharded from './drills/cluster/resharded.js';
import connectionsDeaf from './drills/connections/deaf.js';
import connectionsIdle from './drills/connections/idle.js';
import directoryPostgresAway from './drills/directory/postgres-away.js';
import directoryPostgresFrozen from './drills/directory/postgres-frozen.js';
import embeddedContainers from './drills/embedded/containers.js';
import embeddedDamaged from './drills/embedded/damaged.js';
import embeddedDiskFull from './drills/embedded/disk-full.js';
import embeddedKilled from './drills/embedded/killed.js';
import redisFrozen from './drills/redis/frozen.js';
import redisKilled from './drills/redis/killed.js';
import redisMoved from './drills/redis/moved.js';
import redisOutOfMemory from './drills/redis/out-of-memory.js';
import redisPassword from './drills/redis/password.js';
import redisReadOnly from './drills/redis/read-only.js';
import redisSilent from './drills/redis/silent.js';
import redisSnapshots from './drills/redis/snapshots.js';
import redisUnpersisted from './drills/redis/unpersisted.js';
import sentinelFrozen from './drills/sentinel/frozen.js';
import sentinelKilled from './drills/sentinel/killed.js';
import sentinelPlanned from './drills/sentinel/planned.js';
import servicesFrozen from './drills/services/frozen.js';
import servicesGatewayRestarted from './drills/services/gateway-restarted.js';
import servicesKilled from './drills/services/killed.js';
import servicesRolled from './drills/services/rolled.js';
import servicesStopped from './drills/services/stopped.js';

// Each drill knows the type of its own topology, which the runner does not use.
export const drills = [
  redisKilled,
  redisFrozen,
  redisOutOfMemory,
  redisReadOnly,
  redisPassword,
  redisMoved,
  redisSilent,
  redisUnpersisted,
  redisSnapshots,
  sentinelKilled,
  sentinelFrozen,
  sentinelPlanned,
  clusterKilled,
  clusterFrozen,
  clusterResharded,
  servicesKilled,
  servicesStopped,
  servicesFrozen,
  servicesRolled,
  servicesGatewayRestarted,
  directoryPostgresAway,
  directoryPostgresFrozen,
  embeddedKilled,
  embeddedDiskFull,
  embeddedDamaged,
  embeddedContainers,
  connectionsIdle,
  connectionsDeaf,
  clocksServices,
  clocksRedis,
] as unknown as readonly Drill[];
