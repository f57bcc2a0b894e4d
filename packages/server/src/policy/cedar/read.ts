import type { Contract, Guard } from "@paraph/core";
import { faultsOfAnnotations } from "./annotations.ts";
import { isCheck } from "./check-contract.ts";
import { type PolicyDocument, presets, sourcesOf } from "./document.ts";
import { guardOf } from "./guard.ts";
import type { LoadFault } from "./load-fault.ts";
import { faultsOfTwins, type SinglePolicy, singlePolicies } from "./policy-text.ts";
import { type Action, actionOf } from "./schema.ts";
import { faultsOfUnseenInput } from "./unseen-input.ts";
import { validated } from "./validation.ts";

/** A document taken apart and held against the capabilities there are, with every fault that was found. */
export interface Reading {
  readonly policies: readonly SinglePolicy[];
  readonly guards: readonly Guard[];
  readonly actions: readonly Action[];
  readonly faults: readonly LoadFault[];
  /** Policies that no request of these capabilities can match. */
  readonly impossible: ReadonlySet<SinglePolicy>;
}

export function readPolicies(document: PolicyDocument, contracts: readonly Contract[]): Reading {
  const faults: LoadFault[] = faultsOfDocument(document, contracts);
  const policies = sourcesOf(document).flatMap((source) => singlePolicies(source, faults));
  const actions = contracts.map((contract) => actionOf(contract, document.unattended));
  const checks = new Set(contracts.filter(isCheck).map(({ name }) => name));

  faults.push(...faultsOfTwins(policies));
  faults.push(...policies.flatMap(faultsOfAnnotations));
  const known = { levels: document.checkLevels, names: checks };
  const guards = policies.flatMap((policy) => guardOf(policy, known, faults) ?? []);
  const validation = validated(policies, actions);
  faults.push(...validation.faults);
  faults.push(...faultsOfUnseenInput(policies, actions));
  return { policies, guards, actions, faults, impossible: validation.impossible };
}

function faultsOfDocument(
  { preset, unattended }: PolicyDocument,
  contracts: readonly Contract[],
): LoadFault[] {
  const names = new Set<string>();
  const twice = contracts.filter(({ name }) => names.has(name) || !names.add(name));
  const unknown = unattended.filter((name) => !names.has(name));
  return [
    ...(presets.includes(preset.name) ? [] : [{ file: "preset", sentence: `one of ${presets.join(", ")}` }]),
    ...twice.map(({ name }) => ({ file: "contracts", sentence: `two capabilities are called \`${name}\`` })),
    ...unknown.map((name) => ({ file: "unattended", sentence: `no capability is called \`${name}\`` })),
  ];
}
