// All drills, in the order in which they are listed and run.
import type { Drill } from './drill.js';
import redisKilled from './drills/redis/killed.js';
import serviceKilled from './drills/services/killed.js';
import serviceRolled from './drills/services/rolled.js';

// Each drill knows the type of its own topology; whoever runs them does not look at it.
export const drills = [redisKilled, serviceKilled, serviceRolled] as unknown as readonly Drill[];
