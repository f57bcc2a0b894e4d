import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  adapterName,
  adminAdapter,
  type Capability,
  Catalog,
  type Contract,
  type EscalationStep,
  type IsOpenTo,
  milliseconds,
  ParaphError,
  planApplyCapability,
  type Settings,
  type Urgency,
} from "@paraph/core";
import { type Administration, createAdminCapabilities } from "../builtin/admin/index.ts";
import { createBuiltinChecks, type UsageHistory } from "../builtin/checks/index.ts";
import { createHumanCapabilities } from "../builtin/human/index.ts";
import { defaultExpiry } from "../config/ask-schema.ts";
import type { Config } from "../config/config.ts";
import { createLimits } from "../config/limits.ts";
import {
  assemblePolicyDocument,
  compileRules,
  isRuleOnUnknownAdapter,
  isUnknownCapability,
  type PolicyDocument,
  removeUnknownAdapters,
  type UnknownAdapters,
} from "../policy/cedar/index.ts";
import { listCedarFiles } from "../policy/policy-faults.ts";

/** The dependencies of the built-in capabilities. A catalog that only serves contracts does not need them. */
export interface BuiltinDeps {
  readonly history: UsageHistory;
  readonly administration: Administration;
}

/**
 * Creates the catalog from the adapters' capabilities, the configuration's capabilities and the built-in capabilities.
 */
export function createCatalog(
  config: Config,
  offered: ReadonlyMap<string, readonly Capability[]>,
  reach: Partial<BuiltinDeps> = {},
  isOpenTo?: IsOpenTo,
): Catalog {
  const catalog = new Catalog(config.capabilities, isOpenTo);
  for (const capabilities of offered.values()) for (const each of capabilities) catalog.add(each);
  for (const { contract } of catalog.everything()) rejectReservedName(contract);
  const { history, administration } = { ...unavailableDeps, ...reach };
  for (const name of offered.keys()) rejectReservedName({ name: `${name}.` });
  // A check may examine calls of any tenant, so this lookup covers the capabilities of all tenants.
  const contractOf = (name: string) =>
    catalog.everything().find(({ contract }) => contract.name === name)?.contract;
  for (const check of createBuiltinChecks(config.checks ?? {}, { contractOf, history })) catalog.add(check);
  for (const capability of [
    ...createAdminCapabilities(administration),
    ...createHumanCapabilities(),
    planApplyCapability,
  ])
    catalog.add(capability);
  return catalog;
}

/**
 * Rejects a capability with a reserved name. Depending on the name, the capability could otherwise never be frozen, or
 * policy would treat it as built in.
 */
function rejectReservedName(contract: Pick<Contract, "name">): void {
  const adapter = adapterName(contract);
  if (adapter !== adminAdapter && adapter !== adapterName(planApplyCapability.contract)) return;
  throw new ParaphError(
    "capability-invalid",
    `\`${contract.name}\`: names that begin with \`${adapter}.\` are reserved for Paraph. Choose another name.`,
  );
}

const unavailableDeps: BuiltinDeps = {
  history: { of: () => Promise.reject(new Error("nothing is in reach here")) },
  administration: {} as Administration,
};

/** Assembles one policy document from the configuration's preset, policy files and compiled rules. */
export function createPolicyDocument(
  config: Config,
  contracts: readonly Contract[],
  folder: string,
  strangers: UnknownAdapters = new Set(),
): PolicyDocument {
  const given = config.rules?.filter((rule) => !isRuleOnUnknownAdapter(rule, strangers)) ?? [];
  const rules = given.length > 0 ? compileRules(given, contracts) : undefined;
  const files = readPolicyFiles(config, folder).map((source) => removeUnknownAdapters(source, strangers));
  const unattended = config.unattended?.filter((name) => !isUnknownCapability(name, strangers)) ?? [];
  return assemblePolicyDocument({
    ...(config.policy && { preset: config.policy }),
    sources: [...files, ...(rules ? [rules.source] : [])],
    unattended: [...unattended, ...(rules?.unattended ?? [])],
    ...(config.checks?.levels && { checkLevels: config.checks.levels }),
  });
}

/**
 * Reads the policy files that the configuration names. If it names none, reads every Cedar file in the folder
 * `policies` beside the configuration.
 */
function readPolicyFiles(config: Config, folder: string): { file: string; text: string }[] {
  const files = config.policies ?? listCedarFiles(folder);
  return files.map((file) => ({ file, text: readFileSync(resolve(folder, file), "utf8") }));
}

/** Returns the pipeline's settings, with a default for each value that the configuration omits. */
export function createSettings(config: Config): Settings {
  return {
    enforcement: { mode: config.mode ?? "enforce", confirm: config.features?.executor_confirm ?? true },
    limits: createLimits(config.limits),
    escalation: createEscalation(config),
    maxDenials: config.ask?.maxDenials ?? 10,
    askMs: createPerUrgency((urgency) => expiryMs(config, urgency)),
    acknowledgeMs: milliseconds(config.ask?.acknowledge ?? "15m"),
    previewPatienceMs: 2_000,
    sweepGraceMs: 3_000,
  };
}

/**
 * Returns the configured escalation. By default, Paraph reminds the approvers after half of the time until the approval
 * expires.
 */
function createEscalation(config: Config): Settings["escalation"] {
  return createPerUrgency<readonly EscalationStep[]>(
    (urgency) =>
      config.ask?.escalation?.[urgency]?.map(({ after, to }) => ({
        afterMs: milliseconds(after),
        ...(to !== undefined && { group: to }),
      })) ?? [{ afterMs: expiryMs(config, urgency) / 2 }],
  );
}

function expiryMs({ ask }: Config, urgency: Urgency): number {
  return milliseconds(ask?.expires?.[urgency] ?? defaultExpiry[urgency]);
}

function createPerUrgency<T>(create: (urgency: Urgency) => T): Readonly<Record<Urgency, T>> {
  return {
    low: create("low"),
    normal: create("normal"),
    high: create("high"),
    critical: create("critical"),
  };
}
