import type { z } from "zod";
import type { JsonObject } from "../json.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Capability } from "./capability.ts";
import { pathText, type SchemaFault, schemaFaults } from "./schema-faults.ts";

/** A source of capabilities as a configuration names it: one outside system, or one kind of definition. */
export interface Adapter {
  /** What sort of source it is: `git`, `postgres`, `yaml`. */
  readonly kind: string;
  /** The only tenants that may use it. Without it: the only tenant there is, and nobody once there are two. */
  readonly tenants?: readonly string[];
  /** What is wrong with its options, known before it is opened. */
  readonly faults?: readonly SchemaFault[];
  /** The secrets that its options name. */
  readonly secrets?: readonly string[];
  /** Throws where it cannot be used as configured, or its outside is away: that is this adapter's trouble alone. */
  open(setting: AdapterContext): Promise<OpenAdapter>;
}

/** What an adapter is handed when it is opened. */
export interface AdapterContext {
  /** Under which the configuration names it: what its capabilities' names begin with. */
  readonly name: string;
  /** The configuration's folder, which its paths are relative to. */
  readonly folder: string;
  /** Ends when opening has taken too long. */
  readonly signal: AbortSignal;
  /** A secret of the deployment, for discovery and health. What a call needs is the tenant's: `world.credential`. */
  credential(name: string): Promise<string>;
  /** To be said when what it offers may have changed: it is asked again. */
  announceChange(): void;
}

/** An adapter at work. */
export interface OpenAdapter {
  /** What it offers now. Asked again when it says that this has changed. */
  capabilities(): Promise<readonly Capability[]>;
  /** Whether its outside answers; changes nothing. Without it, an open adapter is well. */
  health?(signal: AbortSignal): Promise<Health>;
  /** What happened out there since the cursor; the same cursor may be given again, and finds the same. */
  observe?(cursor: string | undefined, eyes: ObserveContext): Promise<ObservationPage>;
  /** Where it is an MCP server: what that calls its own, as it stands now. */
  facade?(): Facade;
  /** Lets go of everything it holds. */
  close?(): Promise<void>;
}

/** Those of every adapter that is there now, by its name. */
export interface Facades {
  get(adapter: string): Facade | undefined;
  values(): Iterable<Facade>;
}

/** What an MCP server calls its own: for clients that were made for that server, which keep its names. */
export interface Facade {
  readonly tools: readonly FacadeTool[];
  readonly resources?: readonly FacadeResource[];
  readonly resourceTemplates?: readonly FacadeTemplate[];
  readonly prompts?: readonly FacadePrompt[];
}

/** What each is called by, and what that leads to: everything a client does with it is a call of that capability. */
interface Faced {
  readonly capability: string;
  readonly name: string;
  readonly title?: string;
}

export interface FacadeTool extends Faced {
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
}

/** Read by calling the capability with `{ uri }`; its output is the server's answer, `{ contents: […] }`. */
export interface FacadeResource extends Faced {
  readonly uri: string;
  readonly description?: string;
  readonly mimeType?: string;
}

export interface FacadeTemplate extends Faced {
  readonly uriTemplate: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** Had by calling the capability with its arguments, all texts; its output is the server's answer, `{ messages: […] }`. */
export interface FacadePrompt extends Faced {
  readonly description?: string;
  readonly arguments?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
  }[];
}

/** `says`: one sentence for people, what is wrong and what to do, without any value of theirs. */
export type Health =
  | { readonly kind: "well"; readonly message?: string }
  | { readonly kind: "degraded"; readonly code: string; readonly message: string };

/** For whom an adapter looks. */
export interface ObserveContext {
  readonly tenant: string;
  readonly signal: AbortSignal;
  credential(name: string): Promise<string>;
}

/** Something an adapter perceived in the world. */
export interface Observation {
  /** The outside's own name for it: seen twice, it is one. */
  readonly id: string;
  /** `commit.pushed`, `message.received`: what kind of thing happened. */
  readonly kind: string;
  /** What it happened to, as the outside names it. */
  readonly subject: string;
  /** Milliseconds since 1970, by the outside's clock where it tells. */
  readonly at?: number;
  readonly data: JsonObject;
}

export interface ObservationPage {
  readonly observations: readonly Observation[];
  /** Where to go on. */
  readonly cursor: string;
  /** There is more right now. */
  readonly more?: boolean;
}

export interface AdapterDefinition<C extends z.ZodType> {
  readonly kind: string;
  /** What is configured; unknown fields should be faults. */
  readonly config: C;
  readonly open: (config: z.output<C>, setting: AdapterContext) => Promise<OpenAdapter> | OpenAdapter;
}

/** What every adapter takes besides its own options. */
export interface AdapterScope {
  /** The only tenants that may use it; needed as soon as there are two. */
  readonly tenants?: readonly string[];
}

/** An adapter's own options, with those that every adapter takes. */
export type AdapterOptions<T> = T extends object ? T & AdapterScope : T;

/** Makes the function that a configuration calls. The options are checked there; an adapter with faults does not open. */
export function defineAdapter<C extends z.ZodType>({
  kind,
  config,
  open,
}: AdapterDefinition<C>): (configured: AdapterOptions<z.input<C>>) => Adapter {
  if (!/^[a-z][a-z0-9-]{0,62}$/.test(kind ?? "") || typeof open !== "function" || !config) {
    throw new ParaphError(
      "adapter-invalid",
      `\`${String(kind)}\` is not an adapter yet: it needs a kind in lower case, a schema \`config\` and \`open\`.`,
    );
  }
  return (configured) => {
    const { tenants, own } = readScope(configured);
    const faults = [...findTenantFaults(tenants), ...schemaFaults(config, own)];
    return Object.freeze({
      kind,
      ...(tenants !== undefined && { tenants: tenants as readonly string[] }),
      faults,
      secrets: findSecrets(own),
      open: async (setting: AdapterContext) => {
        if (faults.length === 0) return open(config.parse(own), setting);
        const lines = faults.map(
          ({ path, message }) => `\n  - \`${pathText(path) || setting.name}\`${message}`,
        );
        throw new ParaphError(
          "adapter-invalid",
          `\`${setting.name}\` is not configured well:${lines.join("")}`,
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

/** The names in `${NAME}`, wherever they stand in the options. */
function findSecrets(options: unknown): readonly string[] {
  if (typeof options === "string") return [...options.matchAll(secretReference)].map(([, name = ""]) => name);
  if (typeof options !== "object" || options === null) return [];
  return [...new Set(Object.values(options).flatMap(findSecrets))];
}

const secretReference = /\$\{([A-Za-z][A-Za-z0-9_-]{0,62})\}/g;
