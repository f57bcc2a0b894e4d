import {
  type Adapter,
  type ConfigSource,
  findNearest,
  rejectConfigFaults,
  type SchemaFault,
  schemaFaults,
} from "@paraph/core";
import type { ChannelConfig } from "../channels/channel.ts";
import { findPolicyFaults } from "../policy/policy-faults.ts";
import type { Config } from "./config.ts";
import { configSchema } from "./config-schema.ts";
import { listPackageFaults } from "./package-faults.ts";
import { listSecretFaults } from "./secret-faults.ts";

/** Throws `config-invalid` with every fault of the configuration and of its adapters' options. */
export function checkConfig(config: Config, source?: ConfigSource): void {
  rejectConfigFaults(listConfigFaults(config), source);
}

/**
 * The conditions under which a process starts: the folder, the environment and the role of the process. `checkStart`
 * uses them.
 */
export interface StartConditions {
  /** The folder that the configuration's paths are relative to. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly source?: ConfigSource | undefined;
  /**
   * Whether this process performs calls and therefore needs the secrets. If false, a missing secret is not a fault,
   * because the secrets may exist only in other processes.
   */
  readonly needsSecrets?: boolean;
  /** Whether this process serves the pages (default: true). If not, it needs the address of a process that does. */
  readonly servesPages?: boolean;
}

/**
 * Throws `config-invalid` for the faults that `checkConfig` finds and for faults that prevent a start. A start needs
 * readable policies, and the secrets and optional packages that the configuration uses.
 */
export function checkStart(config: Config, conditions: StartConditions): void {
  const { folder, environment, source, needsSecrets = true, servesPages = true } = conditions;
  const faults = listConfigFaults(config);
  // Leaves out values of the wrong type, which would make the checks below fail with unreadable errors.
  const readable = new Set<PropertyKey>(Object.keys(config));
  for (const { path } of schemaFaults(configSchema, config)) readable.delete(path[0]!);
  const part = Object.fromEntries(Object.entries(config).filter(([key]) => readable.has(key))) as Config;
  const policy = findPolicyFaults(part, folder);
  const secrets = needsSecrets ? listSecretFaults(part, folder, environment) : [];
  rejectConfigFaults(
    [
      ...faults,
      ...policy.faults,
      ...secrets,
      ...listPackageFaults(part),
      ...(servesPages ? [] : listLinkFaults(part)),
    ],
    source,
    policy.others,
  );
}

function listConfigFaults(config: Config): SchemaFault[] {
  const shape = schemaFaults(configSchema, config);
  const adapters = isRecord(config.adapters) ? config.adapters : {};
  const options = Object.entries(adapters).flatMap(([name, adapter]) =>
    ((adapter as Partial<Adapter> | null)?.faults ?? []).map(({ path, message }) => ({
      path: ["adapters", name, ...path],
      message,
    })),
  );
  const polled = isRecord(config.poll) ? Object.keys(config.poll) : [];
  const unknown = polled
    .filter((name) => !Object.hasOwn(adapters, name))
    .map((name) => ({ path: ["poll", name], message: formatUnknownAdapter(name, Object.keys(adapters)) }));
  const twoSigners =
    config.signer && config.vault?.signing
      ? [{ path: ["signer"], message: ": `vault.signing` also names a signer. Remove one of them" }]
      : [];
  return [...shape, ...options, ...unknown, ...twoSigners, ...listChannelFaults(config)];
}

/** A message links to the page of its request. A process without pages does not know where they are. */
function listLinkFaults({ channels = [], identity }: Config): SchemaFault[] {
  return channels.length > 0 && identity?.url === undefined
    ? [
        {
          path: ["channels"],
          message: " need `identity.url`, because messages link to the pages, and this process serves none",
        },
      ]
    : [];
}

function listChannelFaults({ channels }: Config): SchemaFault[] {
  if (!Array.isArray(channels)) return [];
  const known = channels as readonly (Partial<ChannelConfig> | null)[];
  return known.flatMap((channel, index) => {
    const isRepeated = known.findIndex((other) => other?.name === channel?.name) < index;
    const repeated = {
      path: ["channels", index],
      message: `: there is another channel \`${channel?.name}\``,
    };
    const faults = (channel?.faults ?? []).map(({ path, message }) => ({
      path: ["channels", index, ...path],
      message,
    }));
    return isRepeated ? [repeated, ...faults] : faults;
  });
}

function formatUnknownAdapter(name: string, known: readonly string[]): string {
  const meant = findNearest(name, known);
  return ` is not an adapter. ${meant === undefined ? "Add it to `adapters`, or remove it here." : `Did you mean \`${meant}\`?`}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
