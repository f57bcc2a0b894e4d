import type { Adapter, Capability, Duration, Enforcement, Urgency } from "@paraph/core";
import type { ChecksOptions } from "../builtin/checks/index.ts";
import type { IdentityConfig } from "../identity/index.ts";
import type { PollConfig } from "../observations/index.ts";
import type { Preset, Rule } from "../policy/cedar/index.ts";
import type { Budgets } from "../services/budgets.ts";
import type { MetricsAddress } from "../telemetry/index.ts";
import type { WebhookConfig } from "../webhooks/index.ts";
import type { LimitRule } from "./limits.ts";

/** The address at which a process serves segments to the engine. */
export interface WorkerAddress {
  /** The address to listen on (default: 127.0.0.1). */
  readonly host?: string;
  readonly port?: number;
  /**
   * The URL at which the engine reaches the worker, if it differs from the listening address. An example is the URL of
   * a load balancer.
   */
  readonly url?: string;
}

/** The configuration in `paraph.config.ts`. */
export interface Config {
  /**
   * Whether rulings apply (default: `enforce`). With `observe`, Paraph rules on every call and records the ruling, but
   * stops no call.
   */
  readonly mode?: Enforcement["mode"];
  readonly features?: {
    /**
     * Whether a change by an agent or a service needs an approval or a policy that permits unattended use (default:
     * true). Without either, Paraph refuses the change.
     */
    readonly executor_confirm?: boolean;
  };
  /** The preset of built-in policies. `policies` and `rules` add to it. */
  readonly policy?: Preset;
  /** Cedar files, relative to the configuration (default: every `policies/*.cedar`). */
  readonly policies?: readonly string[];
  /** Rules in the short form, compiled to Cedar. `paraph policy eject` shows the result. */
  readonly rules?: readonly Rule[];
  readonly limits?: readonly LimitRule[];
  /** The sources of capabilities. The names of an adapter's capabilities begin with its key. */
  readonly adapters?: Readonly<Record<string, Adapter>>;
  /** The adapters to poll for observations, with their intervals and tenants. */
  readonly poll?: Readonly<Record<string, PollConfig>>;
  /** Your own capabilities. */
  readonly capabilities?: readonly Capability[];
  /** Medium-risk writes that agents may make without an approval. */
  readonly unattended?: readonly string[];
  /** The options of the built-in checks, and the checks of each level. */
  readonly checks?: ChecksOptions;
  /** The methods other than API keys by which people, agents and services authenticate. */
  readonly identity?: IdentityConfig;
  /** The servers to which Paraph sends the events of calls, in the format of Standard Webhooks. */
  readonly webhooks?: readonly WebhookConfig[];
  /** The limits on one principal's use of an API process. The defaults are in docs/configuration.md. */
  readonly budgets?: Partial<Budgets>;
  /** The address at which the process serves Prometheus metrics under `/metrics`, on a separate port (default: off). */
  readonly metrics?: MetricsAddress;
  /** The address of the worker, if the engine runs on another host. */
  readonly worker?: WorkerAddress;
  readonly ask?: {
    /** The time that approvers have to answer, by urgency (default: 24h, 4h and 15m). */
    readonly expires?: Readonly<Partial<Record<Urgency, Duration>>>;
    /**
     * The number of denials within the last hour at which Paraph throttles a principal (default: 10). A throttled
     * principal may ask approvers only once a minute.
     */
    readonly maxDenials?: number;
    /**
     * The reminders and escalations of an unanswered approval. When the time `after` has passed, Paraph reminds the
     * approvers. If `to` names a group, Paraph also asks that group.
     */
    readonly escalation?: Readonly<Partial<Record<Urgency, readonly { after: Duration; to?: string }[]>>>;
  };
}

/** Returns the configuration unchanged. Use it so that TypeScript checks the types of the configuration. */
export function defineConfig(config: Config): Config {
  return config;
}
