import type { Contract, Guard } from "@paraph/core";
import { findUntypedInputFaults } from "../analysis/untyped-input.ts";
import { type Action, toAction } from "../evaluation/schema.ts";
import { listSources, type PolicyDocument, presets } from "../policy-document.ts";
import { findAnnotationFaults } from "./annotations.ts";
import { isCheck } from "./check-contract.ts";
import { parseGuard } from "./guard.ts";
import type { LoadFault } from "./load-fault.ts";
import { findDuplicateIds, type ParsedPolicy, parsePolicies } from "./policy-text.ts";
import { validatePolicies } from "./validation.ts";

/** A parsed document after validation against the known capabilities, with all its faults. */
export interface PolicyReading {
  readonly policies: readonly ParsedPolicy[];
  readonly guards: readonly Guard[];
  readonly actions: readonly Action[];
  readonly faults: readonly LoadFault[];
  /** Policies that no request for these capabilities can match. */
  readonly impossible: ReadonlySet<ParsedPolicy>;
}

/** Parses a document and validates its policies against the contracts. */
export function readPolicies(document: PolicyDocument, contracts: readonly Contract[]): PolicyReading {
  const faults: LoadFault[] = findDocumentFaults(document, contracts);
  const policies = listSources(document).flatMap((source) => parsePolicies(source, faults));
  const actions = contracts.map((contract) => toAction(contract, document.unattended));
  const checks = new Set(contracts.filter(isCheck).map(({ name }) => name));

  faults.push(...findDuplicateIds(policies));
  faults.push(...policies.flatMap(findAnnotationFaults));
  const known = { levels: document.checkLevels, names: checks };
  const guards = policies.flatMap((policy) => parseGuard(policy, known, faults) ?? []);
  const validation = validatePolicies(policies, actions);
  faults.push(...validation.faults);
  faults.push(...findUntypedInputFaults(policies, actions));
  return { policies, guards, actions, faults, impossible: validation.impossible };
}

function findDocumentFaults(
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
