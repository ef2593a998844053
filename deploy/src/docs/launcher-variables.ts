// The variables that `npm start` reads for itself and hands to no service.
import { completeForLocalUse, portVariables } from '../launcher/local-environment.js';

const [gatewayPort, usualPort] = portVariables.gateway;
const anyPorts = { gateway: 0, session: 0, sessionAdmin: 0, challenge: 0, challengeAdmin: 0 };

/** By name: the default as it stands in a table, and what the variable is for. */
export const launcherVariables: Readonly<Record<string, { byDefault: string; meaning: string }>> = {
  [gatewayPort]: {
    byDefault: `\`${usualPort}\``,
    meaning: 'Port of the local gateway, on 127.0.0.1 and, where the machine has it, ::1; 0 is any free port',
  },
  DEMO_EMAIL: {
    byDefault: `\`${completeForLocalUse({}, anyPorts).DEMO_EMAIL}\``,
    meaning: 'The demo account, in the embedded directory: made, or its password set again, at each start',
  },
  DEMO_PASSWORD: {
    byDefault: 'random',
    meaning: 'Its password, at least 8 characters; printed at each start',
  },
};
