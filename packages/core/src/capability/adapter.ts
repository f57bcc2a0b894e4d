import type { z } from "zod";
import type { JsonObject } from "../json.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Capability } from "./capability.ts";
import { pathText, type SchemaFault, schemaFaults } from "./schema-faults.ts";

/**
 * The version of the interface between Paraph and an adapter. It rises with each incompatible change, so that Paraph
 * refuses an adapter of another version at the start instead of failing in a call.
 */
export const adapterInterfaceVersion = 1;

/** A source of capabilities in the configuration: one external system, or one kind of definition. */
export interface Adapter {
  /** The version of the interface that the adapter was written for. `defineAdapter` sets it. */
  readonly interfaceVersion: number;
  /** The kind of source, such as `git`, `postgres` or `yaml`. */
  readonly kind: string;
  /**
   * The only tenants that may use the adapter. If undefined in a deployment with one tenant, that tenant may use the
   * adapter. If undefined in a deployment with several tenants, no tenant may use it.
   */
  readonly tenants?: readonly string[];
  /** The faults in the adapter's options. They are known before Paraph opens the adapter. */
  readonly faults?: readonly SchemaFault[];
  /** Reads the files that the adapter's options name, without opening the adapter. */
  inspectFiles?(about: AdapterFilesContext): Promise<AdapterFiles>;
  /** The names of the secrets in the adapter's options. */
  readonly secrets?: readonly string[];
  /**
   * Opens the adapter. Throws if the adapter cannot be used as configured or if its external system is unavailable. The
   * error does not affect other adapters.
   */
  open(adapterContext: AdapterContext): Promise<OpenAdapter>;
}

/** The adapter's name in the configuration, and the folder that its paths are relative to. */
export type AdapterFilesContext = Pick<AdapterContext, "name" | "folder">;

/** The files that define an adapter's capabilities. */
export interface AdapterFiles {
  /** The absolute paths of the files that exist. */
  readonly paths: readonly string[];
  /** The faults in the files, each on one line with its file, line and remedy. */
  readonly faults: readonly string[];
}

/** The context that an adapter gets when Paraph opens it. */
export interface AdapterContext {
  /** The adapter's name in the configuration. The names of the adapter's capabilities begin with it. */
  readonly name: string;
  /** The folder of the configuration. Paths in the configuration are relative to it. */
  readonly folder: string;
  /** The signal that aborts when opening takes too long. */
  readonly signal: AbortSignal;
  /**
   * Returns a secret of the deployment, for discovery and health. A call gets the tenant's secrets from
   * `ExecutionContext.credential`.
   */
  credential(name: string): Promise<string>;
  /** Tells Paraph that the adapter's capabilities may have changed, so that it lists them again. */
  announceChange(): void;
}

/** An open adapter. */
export interface OpenAdapter {
  /** Returns the capabilities that the adapter has now. Paraph calls this method again after `announceChange`. */
  capabilities(): Promise<readonly Capability[]>;
  /**
   * Returns whether the external system answers. This method must not change anything. An open adapter without this
   * method counts as healthy.
   */
  health?(signal: AbortSignal): Promise<Health>;
  /**
   * Returns what happened in the external system since the cursor. The same cursor always gives the same observations.
   */
  observe?(cursor: string | undefined, eyes: ObserveContext): Promise<ObservationPage>;
  /** Returns the names that the MCP server currently gives to its tools, resources and prompts. */
  facade?(): Facade;
  /** Releases every resource that the adapter holds. */
  close?(): Promise<void>;
}

/** The facades of all adapters that are available now, by adapter name. */
export interface Facades {
  get(adapter: string): Facade | undefined;
  values(): Iterable<Facade>;
}

/**
 * The names that an MCP server gives to its tools, resources and prompts, for clients that were written for that
 * server.
 */
export interface Facade {
  readonly tools: readonly FacadeTool[];
  readonly resources?: readonly FacadeResource[];
  readonly resourceTemplates?: readonly FacadeTemplate[];
  readonly prompts?: readonly FacadePrompt[];
}

/**
 * A name that the MCP server uses, and the capability behind that name. Every use of the name by a client is a call of
 * the capability.
 */
interface Faced {
  readonly capability: string;
  readonly name: string;
  readonly title?: string;
}

/** A tool of an MCP server. */
export interface FacadeTool extends Faced {
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
}

/**
 * A resource of an MCP server. A call of the capability with `{ uri }` reads the resource. The output is the server's
 * result, `{ contents: […] }`.
 */
export interface FacadeResource extends Faced {
  readonly uri: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** A resource template of an MCP server. */
export interface FacadeTemplate extends Faced {
  readonly uriTemplate: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/**
 * A prompt of an MCP server. A call of the capability with the prompt's text arguments gets the prompt. The output is
 * the server's result, `{ messages: […] }`.
 */
export interface FacadePrompt extends Faced {
  readonly description?: string;
  readonly arguments?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
  }[];
}

/**
 * The health of an adapter. `message` is one sentence that tells people the problem and the remedy. The sentence
 * contains no user data.
 */
export type Health =
  | { readonly kind: "well"; readonly message?: string }
  | { readonly kind: "degraded"; readonly code: string; readonly message: string };

/** The context of one poll: the tenant and its secrets. */
export interface ObserveContext {
  readonly tenant: string;
  readonly signal: AbortSignal;
  credential(name: string): Promise<string>;
}

/** Something that an adapter noticed in an external system. */
export interface Observation {
  /** The external system's id of the occurrence. Paraph keeps one observation per id. */
  readonly id: string;
  /** The kind of occurrence, such as `commit.pushed` or `message.received`. */
  readonly kind: string;
  /** The subject of the occurrence, as the external system names it. */
  readonly subject: string;
  /**
   * The time of the occurrence by the external system's clock, in milliseconds since 1970, if that system reports one.
   */
  readonly at?: number;
  readonly data: JsonObject;
}

/** One page of observations. */
export interface ObservationPage {
  readonly observations: readonly Observation[];
  /** The cursor from which the next poll continues. */
  readonly cursor: string;
  /** Whether more observations are available now. */
  readonly more?: boolean;
}

/** The definition of an adapter. */
export interface AdapterDefinition<C extends z.ZodType> {
  readonly kind: string;
  /** The schema of the options. It should reject unknown fields. */
  readonly config: C;
  readonly open: (config: z.output<C>, adapterContext: AdapterContext) => Promise<OpenAdapter> | OpenAdapter;
  /** Reads the files that the options name. Paraph calls it only with valid options. */
  readonly inspectFiles?: (config: z.output<C>, about: AdapterFilesContext) => Promise<AdapterFiles>;
}

/** The options that every adapter takes besides its own. */
export interface AdapterScope {
  /** The only tenants that may use the adapter. Required in a deployment with more than one tenant. */
  readonly tenants?: readonly string[];
}

/** An adapter's own options, together with the options that every adapter takes. */
export type AdapterOptions<T> = T extends object ? T & AdapterScope : T;

/**
 * Creates the function that a configuration calls to create an adapter. That function validates the options. An adapter
 * whose options have faults does not open.
 */
export function defineAdapter<C extends z.ZodType>({
  kind,
  config,
  open,
  inspectFiles,
}: AdapterDefinition<C>): (configured: AdapterOptions<z.input<C>>) => Adapter {
  if (!/^[a-z][a-z0-9-]{0,62}$/.test(kind ?? "") || typeof open !== "function" || !config) {
    throw new ParaphError(
      "adapter-invalid",
      `\`${String(kind)}\` is not a valid adapter definition. It needs a \`kind\` in lower case, a schema \`config\` and a function \`open\`.`,
    );
  }
  return (configured) => {
    const { tenants, own } = readScope(configured);
    const faults = [...findTenantFaults(tenants), ...schemaFaults(config, own)];
    return Object.freeze({
      interfaceVersion: adapterInterfaceVersion,
      kind,
      ...(tenants !== undefined && { tenants: tenants as readonly string[] }),
      faults,
      ...(inspectFiles &&
        faults.length === 0 && {
          inspectFiles: (about: AdapterFilesContext) => inspectFiles(config.parse(own), about),
        }),
      secrets: findSecrets(own),
      open: async (adapterContext: AdapterContext) => {
        if (faults.length === 0) return open(config.parse(own), adapterContext);
        const lines = faults.map(
          ({ path, message }) => `\n  - \`${pathText(path) || adapterContext.name}\`${message}`,
        );
        throw new ParaphError(
          "adapter-invalid",
          `The configuration of adapter \`${adapterContext.name}\` is invalid:${lines.join("")}`,
        );
      },
    });
  };
}

function readScope(configured: unknown): { readonly tenants: unknown; readonly own: unknown } {
  if (typeof configured !== "object" || configured === null || Array.isArray(configured))
    return { tenants: undefined, own: configured };
  const { tenants, ...own } = configured as Record<string, unknown>;
  return { tenants, own };
}

function findTenantFaults(tenants: unknown): SchemaFault[] {
  const isList =
    Array.isArray(tenants) && tenants.every((each) => typeof each === "string" && tenantId.test(each));
  if (tenants === undefined || isList) return [];
  return [{ path: ["tenants"], message: ': expected a list of tenant ids, such as `["acme"]`' }];
}

const tenantId = /^[a-z][a-z0-9]{1,30}$/;

/** Returns the names of the secrets that the options reference as `${NAME}`, at any depth. */
function findSecrets(options: unknown): readonly string[] {
  if (typeof options === "string") return [...options.matchAll(secretReference)].map(([, name = ""]) => name);
  if (typeof options !== "object" || options === null) return [];
  return [...new Set(Object.values(options).flatMap(findSecrets))];
}

const secretReference = /\$\{([A-Za-z][A-Za-z0-9_-]{0,62})\}/g;
