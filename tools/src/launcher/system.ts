// Starts the whole system on one machine: both services as child processes, behind the gateway.
import { join } from 'node:path';
import { reachableHost } from '@tollgate/shared/config';
import { ConfigurationError } from '@tollgate/shared/schemas';
import { openDataFolder } from '@tollgate/shared/store';
import { type Account, checkDemoAccount, ownsDirectory, saveAccounts } from '../demo/demo-account.js';
import { pageSegments, shippedPage } from '../demo/demo-page.js';
import { writeRunningFile } from '../doctor/running-system.js';
import { type ChallengeNames, readChallengeNames } from '../gateway/challenge-names.js';
import type { ShownPage } from '../gateway/gateway.js';
import { readShownPrice } from '../gateway/shown-price.js';
import { settlePorts } from './free-ports.js';
import {
  completeForLocalUse,
  dataFolderOf,
  type Environment,
  environmentFor,
  type Ports,
  readPorts,
  type ServiceName,
  StartError,
  variablesSetLocally,
} from './local-environment.js';
import { readinessMessage, waitUntilAllReady } from './readiness.js';
import { openSecrets, readSecretFiles, type Secrets } from './secrets.js';
import { type ServiceProcess, startService } from './service-process.js';

export interface SystemOptions extends Pick<ShownPage, 'page'> {
  /**
   * The user's variables for both services (`DATA_DIR`, `STORE_URL`, `CAPTCHA_*` …). Unset ports have their default; 0 means
   * any free port. `process.env` is not read.
   */
  readonly environment: Environment;
  /** Variables for one service, which override all others. */
  readonly serviceEnvironment?: Readonly<Partial<Record<ServiceName, Environment>>>;
  /** Accounts to create before the start, besides the demo account, in the embedded directory. */
  readonly accounts?: readonly Account[];
  /** Called with each line that a service writes. */
  readonly onLine?: (service: ServiceName, line: string, stream: 'stdout' | 'stderr') => void;
  /** Milliseconds without a store before a service's start fails, 10,000 by default. */
  readonly storeMs?: number;
  /** Aborts the start. */
  readonly signal?: AbortSignal;
  /** Starts a service; by default in its own process. */
  readonly startService?: typeof startService;
}

export interface System {
  /** The public address: `PUBLIC_URL`. */
  readonly address: string;
  readonly gatewayPort: number;
  readonly ports: Ports;
  /** The demo account; undefined if accounts are not in the embedded directory. */
  readonly demo: Account | undefined;
  readonly secrets: Secrets;
  /** `STORE_URL`; undefined for the embedded store. */
  readonly storeUrl: string | undefined;
  readonly logFolder: string;
  readonly processes: Readonly<Record<ServiceName, ServiceProcess>>;
  /** Resolves with a one-line message when a service has ended by itself. */
  readonly broken: Promise<string>;
  /** The complete output of both services. */
  logs(): string;
  /** Stops the gateway, then both services; resolves when all have ended. */
  stop(): Promise<void>;
}

/** Time for a service to stop, in addition to `DRAIN_SECONDS`. */
const stopTimeoutMs = 6_000;
const silentMs = 60_000;

/**
 * Starts everything and resolves when the gateway listens.
 * @throws {StartError} for an actionable reason, after stopping everything
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const given = readSecretFiles(options.environment);
  const ports = await settlePorts(readPorts(given));
  const dataFolder = dataFolderOf(given);
  checkDataFolder(dataFolder);
  checkDemoAccount(given);
  const secrets = openSecrets(dataFolder, given);
  const environment = completeForLocalUse({ ...given, ...secrets }, ports);
  const challenges = readChallengeNames(environment, pageSegments(shippedPage.folder));
  const demo = demoAccountOf(environment);
  if (demo !== undefined) await saveAccounts([demo, ...(options.accounts ?? [])], environment);
  options.signal?.throwIfAborted();

  const logFolder = join(dataFolder, 'logs');
  const { onLine, page, startService: startOne = startService } = options;
  const start = (name: ServiceName) =>
    startOne(name, {
      environment: { ...environmentFor(name, environment), ...options.serviceEnvironment?.[name] },
      logFile: join(logFolder, `${name}.log`),
      onLine: onLine && ((line, stream) => onLine(name, line, stream)),
    });
  const processes = {
    'challenge-service': start('challenge-service'),
    'session-service': start('session-service'),
  };
  const services = Object.values(processes);
  const stopServices = async () => {
    const timeoutMs = (Number(environment.DRAIN_SECONDS) || 0) * 1_000 + stopTimeoutMs;
    await Promise.all(services.map((service) => service.stop(timeoutMs)));
  };
  options.signal?.addEventListener('abort', stopServices, { once: true });
  try {
    // Loads for as long as the services start, on another core.
    const gatewayModule = import('../gateway/gateway.js');
    await waitUntilAllReady(
      [
        readyAt(processes['challenge-service'], ports.challengeAdmin, environment),
        readyAt(processes['session-service'], ports.sessionAdmin, environment),
      ],
      { unreadyMs: options.storeMs ?? 10_000, silentMs },
    );
    const shown = { demoEmail: demo?.email, page };
    const gateway = await openGateway(await gatewayModule, environment, ports, challenges, shown);
    if (options.signal?.aborted) {
      await gateway.close();
      options.signal.throwIfAborted();
    }
    const removeRunningFile = writeRunningFile(dataFolder, variablesSetLocally(environment, ports));
    let stopped: Promise<void> | undefined;
    return {
      address: environment.PUBLIC_URL!,
      gatewayPort: ports.gateway,
      ports,
      demo,
      secrets,
      storeUrl: environment.STORE_URL,
      logFolder,
      processes,
      broken: Promise.race(services.map(describeEnd)),
      logs: () => services.map((service) => service.log()).join(''),
      stop: () => {
        removeRunningFile();
        stopped ??= gateway.close().then(stopServices);
        return stopped;
      },
    };
  } catch (error) {
    await stopServices();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', stopServices);
  }
}

/** @throws {StartError} if the folder cannot be created or is not private */
function checkDataFolder(dataFolder: string): void {
  try {
    openDataFolder(dataFolder);
  } catch (error) {
    throw error instanceof ConfigurationError ? new StartError(error.message) : error;
  }
}

function demoAccountOf(environment: Environment): Account | undefined {
  if (!ownsDirectory(environment)) return undefined;
  return { email: environment.DEMO_EMAIL!, password: environment.DEMO_PASSWORD! };
}

async function openGateway(
  { buildGateway, listenLocally }: typeof import('../gateway/gateway.js'),
  environment: Environment,
  ports: Ports,
  challenges: ChallengeNames,
  shown: ShownPage,
) {
  const host = reachableHost(environment.BIND);
  const gateway = await buildGateway({
    sessionUrl: `http://${host}:${ports.session}`,
    challengeUrl: `http://${host}:${ports.challenge}`,
    challenges,
    price: readShownPrice(environment),
    publicUrl: environment.PUBLIC_URL!,
    ...shown,
    testMode: environment.CAPTCHA_TEST_MODE === 'true',
  });
  await listenLocally(gateway, ports.gateway);
  return gateway;
}

function readyAt(service: ServiceProcess, adminPort: number, environment: Environment) {
  const url = `http://${reachableHost(environment.ADMIN_BIND)}:${adminPort}/health/ready`;
  return { service, url, explain: (body: string) => readinessMessage(service.name, body, environment) };
}

async function describeEnd({ name, gone, child }: ServiceProcess): Promise<string> {
  await gone;
  const how = child.signalCode ?? `exit code ${child.exitCode}`;
  return `${name} has stopped by itself (${how}), so the system stops; see its log.`;
}
