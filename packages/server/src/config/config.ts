import type { Adapter, Capability, Duration, Enforcement, Urgency } from "@paraph/core";
import type { ChecksOptions } from "../builtin/checks/index.ts";
import type { ChannelConfig } from "../channels/channel.ts";
import type { IdentityConfig } from "../identity/index.ts";
import type { IntentsOptions } from "../intents/intent-model.ts";
import type { PollConfig } from "../observations/index.ts";
import type { Preset, Rule } from "../policy/cedar/index.ts";
import type { Budgets } from "../services/budgets.ts";
import type { DeploymentSigner } from "../system/signer.ts";
import type { MetricsAddress } from "../telemetry/index.ts";
import type { VaultConfig } from "../vault/index.ts";
import type { WebhookConfig } from "../webhooks/index.ts";
import type { LimitRule } from "./limits.ts";

/** The address at which a process serves segments to Restate. */
export interface WorkerAddress {
  /** The address to listen on. */
  readonly host?: string;
  readonly port?: number;
  /** The URL at which Restate reaches the worker. */
  readonly url?: string;
}

/** The address at which `paraph start` serves the API. */
export interface HttpAddress {
  /** The address to listen on. */
  readonly host?: string;
  readonly port?: number;
  /** The files of a certificate with its chain and of its private key, relative to the configuration. */
  readonly tls?: { readonly certificate: string; readonly key: string };
}

/**
 * The configuration in `paraph.config.ts`. docs/reference/configuration.md describes every key with its default and an
 * example.
 */
export interface Config {
  /** Whether rulings apply (`enforce`), or Paraph only records them (`observe`). */
  readonly mode?: Enforcement["mode"];
  readonly features?: {
    /** Whether a change by an agent or a service needs an approval or a policy that permits unattended use. */
    readonly executor_confirm?: boolean;
  };
  /** The preset of built-in policies. */
  readonly policy?: Preset;
  /** Cedar files, relative to the configuration. */
  readonly policies?: readonly string[];
  /** Rules in the short form, compiled to Cedar. */
  readonly rules?: readonly Rule[];
  /** Limits on calls, money and concurrency. */
  readonly limits?: readonly LimitRule[];
  /** The sources of capabilities, by name. */
  readonly adapters?: Readonly<Record<string, Adapter>>;
  /** The adapters to poll for observations. */
  readonly poll?: Readonly<Record<string, PollConfig>>;
  /** Your own capabilities. */
  readonly capabilities?: readonly Capability[];
  /** Medium-risk writes that agents may make without an approval. */
  readonly unattended?: readonly string[];
  /** The options of the built-in checks, and the checks of each level. */
  readonly checks?: ChecksOptions;
  /** Requests in words. */
  readonly intents?: IntentsOptions;
  /** The methods other than API keys by which people, agents and services authenticate. */
  readonly identity?: IdentityConfig;
  /** The servers to which Paraph sends the events of calls. */
  readonly webhooks?: readonly WebhookConfig[];
  /** The ways in which Paraph tells people about approvals. */
  readonly channels?: readonly ChannelConfig[];
  /** The HashiCorp Vault that signs receipts or stores secrets. */
  readonly vault?: VaultConfig;
  /** Your own signer of receipts, for example with a key in a cloud. */
  readonly signer?: () => DeploymentSigner | Promise<DeploymentSigner>;
  /** The limits on one principal's use of an API process. */
  readonly budgets?: Partial<Budgets>;
  /** The address at which `paraph start` serves the API. */
  readonly http?: HttpAddress;
  /** The address at which the process serves Prometheus metrics and its health. */
  readonly metrics?: MetricsAddress;
  /** The address of the worker, if Restate runs on another host. */
  readonly worker?: WorkerAddress;
  /** Deadlines, reminders and the throttle of approvals. */
  readonly ask?: {
    /** The time that approvers have to answer, by urgency. */
    readonly expires?: Readonly<Partial<Record<Urgency, Duration>>>;
    /** The time for which an acknowledgement delays the next reminder or escalation. */
    readonly acknowledge?: Duration;
    /** The number of denials within the last hour at which Paraph throttles a principal. */
    readonly maxDenials?: number;
    /** The reminders and escalations of an unanswered approval, by urgency. */
    readonly escalation?: Readonly<Partial<Record<Urgency, readonly { after: Duration; to?: string }[]>>>;
  };
}

/** Returns the configuration unchanged. Use it so that TypeScript checks the types of the configuration. */
export function defineConfig(config: Config): Config {
  return config;
}
