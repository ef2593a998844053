// The contract between the service and its extensions.

import type { ParseArgsConfig } from 'node:util';
import type { Static, TObject, TProperties } from '@sinclair/typebox';
import type { AuditTrail } from '@tollgate/shared/audit';
import type {
  ChallengeStore,
  ChallengeType,
  ExtensionLifetimes,
  RequestLimit,
} from '@tollgate/shared/challenges';
import type { OriginRule } from '@tollgate/shared/http';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { ChallengeConfig } from './config.js';

/** An extension, as its file exports it by default. */
export interface Extension {
  /** Its variables, which the service reads and checks with its own. */
  readonly variables: TProperties;
  /** Variables under which all its routes exist, for the OpenAPI document. */
  readonly example: Readonly<Record<string, string>>;
  /**
   * Reads the options in its variables. Returns undefined if they configure nothing to serve.
   * @param root folder that relative paths start from
   * @throws ConfigurationError with a line for each mistake
   */
  open(config: ChallengeConfig, root: string): OpenExtension | undefined;
}

/** A configured extension. */
export interface OpenExtension {
  /** The lifetime of its passes and receipts, and the highest price of its challenges. */
  readonly lifetimes: ExtensionLifetimes;
  /** Returns the cross-origin rule of one of its paths; undefined for every other URL. */
  readonly originRuleOf?: (url: string) => OriginRule | undefined;
  /**
   * Returns the absolute URL of the prefix for a request that came through one of its own sites; undefined for every other
   * request.
   */
  readonly addressFor?: (request: FastifyRequest) => string | undefined;
  /** Adds its metrics to `app.metrics`, and its routes below the prefix. */
  readonly plugin: FastifyPluginAsync<ExtensionServices>;
}

/** The resources of the service for an extension's plugin, besides the decorators of its own plugins. */
export interface ExtensionServices {
  /** The absolute URL of the prefix. */
  readonly address: string;
  /** The operator's challenge types. */
  readonly kinds: readonly ChallengeType[];
  readonly trail: AuditTrail;
  /** The limits of the service's own endpoints. */
  readonly limits: {
    /** Proofs of work for an address. */
    readonly pow: RequestLimit;
    /** Image challenges for an address. */
    readonly image: RequestLimit;
    /** Images drawn per minute and address. */
    readonly drawingsPerMinute: number;
  };
  /** Opens challenges and counters separate from those of the service. @param name part of their keys */
  readonly openChallenges: (name: string) => ChallengeStore;
}

/** A subcommand of `captcha`, as its file exports it by default. */
export interface ExtensionCommand {
  readonly name: string;
  /** Its usage, such as `captcha site [KEY]`. */
  readonly usage: string;
  /** Its help, one line. */
  readonly help: string;
  /** Its options, as `parseArgs` takes them. */
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /**
   * Returns the text to print.
   * @param words that follow its name
   * @param values all options that were given, its own or not
   * @throws UsageError if the command line is wrong, ConfigurationError if the environment is
   */
  run(
    words: readonly string[],
    values: Readonly<Record<string, unknown>>,
    env: Readonly<Record<string, string | undefined>>,
  ): Promise<string>;
}

/** Defines an extension whose variables have the types of their schemas. */
export function defineExtension<Variables extends TProperties>(extension: {
  readonly variables: Variables;
  readonly example: Extension['example'];
  readonly open: (
    values: Static<TObject<Variables>>,
    config: ChallengeConfig,
    root: string,
  ) => OpenExtension | undefined;
}): Extension {
  return {
    variables: extension.variables,
    example: extension.example,
    // The service has read them with the schemas of this extension.
    open: (config, root) => extension.open(config.values as never, config, root),
  };
}
