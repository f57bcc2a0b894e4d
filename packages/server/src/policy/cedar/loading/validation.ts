import { type ValidationError, validate } from "@cedar-policy/cedar-wasm/nodejs";
import { readContextUse } from "../analysis/context-use.ts";
import { listNamedEntities } from "../analysis/named-entities.ts";
import { canApply } from "../analysis/scope.ts";
import { type Action, buildCedarSchema, listActionGroups } from "../evaluation/schema.ts";
import { toCedarType } from "../values/input-type.ts";
import { type LoadFault, toLineNumber } from "./load-fault.ts";
import type { ParsedPolicy } from "./policy-text.ts";

/** The result of a validation: its faults, and the policies that cannot apply. */
export interface PolicyValidation {
  readonly faults: readonly LoadFault[];
  /** Policies that no request can match. Such a policy is not a fault, because its capability may appear later. */
  readonly impossible: ReadonlySet<ParsedPolicy>;
}

/**
 * Validates policies strictly, which makes evaluation safe. Without strict validation, a missing attribute could make a
 * forbid fail with an error. Cedar's validation time grows with the number of policies times the number of actions.
 * Each policy is therefore validated against as few actions as possible. Policies that need the same actions are
 * validated together.
 */
export function validatePolicies(
  policies: readonly ParsedPolicy[],
  actions: readonly Action[],
): PolicyValidation {
  const faults = new Map<ParsedPolicy, readonly LoadFault[]>();
  const impossible = new Set<ParsedPolicy>();
  for (const batch of buildBatches(policies, actions)) {
    const of = batch.policies;
    const shown = [...batch.actions];
    const schema = buildCedarSchema(shown, {
      groups: new Set([...listActionGroups(shown), ...batch.groups]),
    });
    const staticPolicies = Object.fromEntries(of.map((policy, index) => [`${index}`, policy.text]));
    const answer = validate({ schema, policies: { staticPolicies }, validationSettings: { mode: "strict" } });
    if (answer.type === "failure") {
      const sentences = answer.errors.map((error) => ({ file: "schema", sentence: error.message }));
      faults.set(of[0]!, sentences);
      continue;
    }
    const policyOf = ({ policyId }: ValidationError) => of[Number(policyId)]!;
    for (const [policy, errors] of Map.groupBy(answer.validationErrors, policyOf))
      faults.set(policy, toValidationFaults(policy, errors));
    for (const one of answer.validationWarnings) {
      if (one.error.message.includes("policy is impossible")) impossible.add(policyOf(one));
    }
  }
  // The faults are in the order of the files, independent of the batches.
  return { faults: policies.flatMap((policy) => faults.get(policy) ?? []), impossible };
}

/**
 * Converts the errors of one policy. Cedar repeats an error for each action, so the errors at one place that differ only
 * in the action become one fault. It does not count the actions, because a policy is validated against only some of them.
 */
function toValidationFaults(policy: ParsedPolicy, errors: readonly ValidationError[]): readonly LoadFault[] {
  const read = errors.map(({ error }) => {
    const message = error.message.replace(/^for policy `\d+`, /, "");
    const offset = error.sourceLocations?.[0]?.start ?? 0;
    const line = policy.line + toLineNumber(policy.text, offset) - 1;
    return { line, message, help: error.help, action: actionPattern.exec(message)?.[0] ?? "" };
  });
  const groups = Map.groupBy(read, ({ line, message, action }) =>
    JSON.stringify([line, message.replace(action, "")]),
  );
  return [...groups.values()]
    .map((same) => {
      const [first, ...others] = same.toSorted((a, b) => (a.action < b.action ? -1 : 1));
      const { line, message, help, action } = first!;
      const more = others.length === 0 || action === "" ? "" : " and other actions";
      const advice = help && others.every((other) => other.help === help) ? `; ${help}` : "";
      const sentence = `\`${policy.id}\`: ${message.replace(action, () => `${action}${more}`)}${advice}`;
      return { file: policy.file, line, sentence };
    })
    .sort((a, b) => a.line - b.line);
}

const actionPattern = /Action::"[^"]*"/;

/** Policies that are validated together, and the actions and groups they are validated against. */
interface Batch {
  readonly policies: readonly ParsedPolicy[];
  readonly actions: ReadonlySet<Action>;
  readonly groups: ReadonlySet<string>;
}

/** The number of actions per schema. At this number, the measured total cost of parsing and validation is lowest. */
const packedBatchActions = 12;

function buildBatches(policies: readonly ParsedPolicy[], actions: readonly Action[]): readonly Batch[] {
  const known = listActionGroups(actions);
  const inputs = new Map(actions.map((action) => [action, JSON.stringify(toCedarType(action.input))]));
  const needs = policies.map((policy): Batch => {
    const named = listNamedEntities(policy.json, "Action");
    const witnesses = selectWitnesses(policy, named, actions, inputs);
    const names = new Set(witnesses.map(({ contract }) => contract.name));
    const isStrange = [...named].some((id) => !known.has(id) && !names.has(id));
    // If the policy names an unknown action, Cedar gets all actions, so that its message can suggest the intended one.
    if (isStrange) return { policies: [policy], actions: new Set(actions), groups: known };
    const groups = [...named].filter((id) => known.has(id));
    return { policies: [policy], actions: new Set(witnesses), groups: new Set(groups) };
  });
  const same = Map.groupBy(needs, (need) =>
    JSON.stringify([...need.actions].map(({ contract }) => contract.name)),
  );
  const [few, many] = [true, false].map((isFew) =>
    [...same.values()].map(mergeBatches).filter((batch) => batch.actions.size < packedBatchActions === isFew),
  ) as [Batch[], Batch[]];
  return [...many, ...packBatches(few)];
}

/** Merges small batches. Validation against more actions than needed costs time, but never adds a fault. */
function packBatches(batches: readonly Batch[]): Batch[] {
  const packs: Batch[] = [];
  for (const batch of batches) {
    const last = packs.at(-1);
    if (last && last.actions.size + batch.actions.size <= packedBatchActions)
      packs.push(mergeBatches([packs.pop()!, batch]));
    else packs.push(batch);
  }
  return packs;
}

function mergeBatches(batches: readonly Batch[]): Batch {
  return {
    policies: batches.flatMap((batch) => batch.policies),
    actions: new Set(batches.flatMap((batch) => [...batch.actions])),
    groups: new Set(batches.flatMap((batch) => [...batch.groups])),
  };
}

/**
 * Returns the actions that the policy names, and one example of each kind of other action that it applies to. One
 * example is enough, because a policy can distinguish unnamed actions only by the groups that it names and by the
 * input's type. The type matters only if the policy reads the input.
 */
function selectWitnesses(
  policy: ParsedPolicy,
  named: ReadonlySet<string>,
  actions: readonly Action[],
  inputs: ReadonlyMap<Action, string>,
): readonly Action[] {
  const seesInput = readContextUse(policy).parts.has("input");
  const sorts = new Set<string>();
  return actions.filter((action) => {
    if (named.has(action.contract.name)) return true;
    if (!canApply(policy, action)) return false;
    const groups = action.groups.filter((id) => named.has(id)).join(" ");
    const sort = seesInput ? `${groups} ${inputs.get(action)}` : groups;
    return !sorts.has(sort) && !!sorts.add(sort);
  });
}
