// The main flows in Chromium.
import t from 'tap';
import { testFlows } from './flows.js';

await testFlows(t, 'Chromium');
