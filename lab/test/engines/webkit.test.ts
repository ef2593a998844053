// The main flows in WebKit.
import t from 'tap';
import { testFlows } from './flows.js';

await testFlows(t, 'WebKit');
