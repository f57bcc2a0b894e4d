import type { Adapter, Capability, Duration, Enforcement, Urgency } from "@paraph/core";
import type { ChecksOptions } from "../builtin/checks/index.ts";
import type { IdentityConfig } from "../identity/index.ts";
import type { PollConfig } from "../observations/index.ts";
import type { Preset, Rule } from "../policy/cedar/index.ts";
import type { Budgets } from "../services/budgets.ts";
import type { MetricsAddress } from "../telemetry/index.ts";
import type { WebhookConfig } from "../webhooks/index.ts";
import type { LimitRule } from "./limits.ts";

/** Where a process serves segments to the engine. */
export interface WorkerAddress {
  /** The address to listen on: loopback unless given. */
  readonly host?: string;
  readonly port?: number;
  /** Where the engine reaches the worker, if not at that address: the name of a load balancer, for example. */
  readonly url?: string;
}

/** What a team writes in `paraph.config.ts`. */
export interface Config {
  /** `observe` rules on everything, records what it would have done, and hinders nothing. */
  readonly mode?: Enforcement["mode"];
  readonly features?: {
    /** A change that nobody approved, and no policy permits for unattended use, is refused. On unless turned off. */
    readonly executor_confirm?: boolean;
  };
  /** Policies that come with Paraph; `policies` and `rules` are laid on top. */
  readonly policy?: Preset;
  /** Cedar files, relative to the configuration; every `policies/*.cedar` unless given. */
  readonly policies?: readonly string[];
  /** The short form, compiled to Cedar: `paraph policy eject` shows it. */
  readonly rules?: readonly Rule[];
  readonly limits?: readonly LimitRule[];
  /** Sources of capabilities, each under the name its capabilities begin with. */
  readonly adapters?: Readonly<Record<string, Adapter>>;
  /** Which of the adapters are asked what they perceive, how often and for whom. */
  readonly observe?: Readonly<Record<string, PollConfig>>;
  /** Capabilities of your own. */
  readonly capabilities?: readonly Capability[];
  /** Medium-risk writes that need nobody's yes. */
  readonly unattended?: readonly string[];
  /** Checks that come with Paraph, and which of them a level stands for. */
  readonly checks?: ChecksOptions;
  /** How people, agents and services prove who they are, besides API keys. */
  readonly identity?: IdentityConfig;
  /** Who is told what happens to calls, as Standard Webhooks. */
  readonly webhooks?: readonly WebhookConfig[];
  /** What one principal may take up of an API process. The defaults are in docs/configuration.md. */
  readonly budgets?: Partial<Budgets>;
  /** Serves Prometheus text at `/metrics` on a port of its own. Off unless given. */
  readonly metrics?: MetricsAddress;
  /** For workers on other hosts than the engine. */
  readonly worker?: WorkerAddress;
  readonly ask?: {
    /** How long an answer may take: 24 h, 4 h and 15 min unless said. */
    readonly expires?: Readonly<Partial<Record<Urgency, Duration>>>;
    /** After so many denials within an hour, a principal may ask once a minute: 10 unless said. */
    readonly mostDenials?: number;
    /** While nobody answers: after so long remind those who were asked or, with `to`, let that group answer as well. */
    readonly escalation?: Readonly<Partial<Record<Urgency, readonly { after: Duration; to?: string }[]>>>;
  };
}

/** Gives a configuration its types; it changes nothing. */
export function defineConfig(config: Config): Config {
  return config;
}
