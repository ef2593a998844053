// The main flows in Firefox.
import t from 'tap';
import { testFlows } from './flows.js';

await testFlows(t, 'Firefox');
