import type { ActionType, SchemaJson, Type, TypeOfAttribute } from "@cedar-policy/cedar-wasm/nodejs";
import { adapterName, adminAdapter, type Contract, effects, risks } from "@paraph/core";
import { type CallPart, callParts } from "../analysis/context-use.ts";
import { environmentNames } from "../values/environment-value.ts";
import { type InputType, toCedarType, toInputType } from "../values/input-type.ts";
import { previewSums } from "../values/preview-value.ts";

/** A capability as Cedar sees it: an action in its groups, with the typed part of its input. */
export interface Action {
  readonly contract: Contract;
  readonly groups: readonly string[];
  readonly input: InputType;
}

/** The group of the capabilities that agents may use without confirmation. */
const unattendedGroup = "unattended";

/** The group of composites. They are in no `effect:*` group, because only the calls that they make have effects. */
const compositeGroup = "composite";

/**
 * The groups that exist even when they are empty, so that a policy can name them before any capability belongs to them.
 */
const predefinedGroups = [
  ...effects.map((effect) => `effect:${effect}`),
  ...risks.map((risk) => `risk:${risk}`),
  `adapter:${adminAdapter}`,
  compositeGroup,
  unattendedGroup,
];

/** Converts a contract into an action. Groups are exact, so `risk:high` does not include critical capabilities. */
export function toAction(contract: Contract, unattended: readonly string[]): Action {
  const kind = contract.composite ? compositeGroup : `effect:${contract.effect}`;
  const groups = [kind, `risk:${contract.risk}`, `adapter:${adapterName(contract)}`];
  if (unattended.includes(contract.name)) groups.push(unattendedGroup);
  const input = toInputType(contract.input);
  // Treats an input that is not an object as untyped, because it has no attributes that a policy could name.
  return { contract, groups, input: input.kind === "record" ? input : { kind: "untyped" } };
}

/** Returns every group that a policy may name with these actions. */
export function listActionGroups(actions: Iterable<Action>): ReadonlySet<string> {
  return new Set([...predefinedGroups, ...[...actions].flatMap((action) => action.groups)]);
}

interface SchemaOptions {
  /**
   * The parts of the call that the context contains. The schema of a slice leaves out the parts that its policies do
   * not read.
   */
  readonly parts?: ReadonlySet<CallPart>;
  readonly groups?: ReadonlySet<string>;
}

export function buildCedarSchema(
  actions: readonly Action[],
  { parts = new Set(callParts), groups = listActionGroups(actions) }: SchemaOptions = {},
): SchemaJson<string> {
  return {
    "": {
      entityTypes: {
        Tenant: {},
        Group: {},
        Person: { memberOfTypes: ["Tenant", "Group"] },
        Agent: { memberOfTypes: ["Tenant", "Group"], shape: ownerAttributes },
        Service: { memberOfTypes: ["Tenant", "Group"], shape: ownerAttributes },
      },
      actions: Object.fromEntries([
        ...[...groups].sort().map((id) => [id, {}] as const),
        ...actions.map((action) => [action.contract.name, toActionType(action, parts)] as const),
      ]),
    },
  };
}

function toActionType(action: Action, parts: ReadonlySet<CallPart>): ActionType<string> {
  const input = parts.has("input") && toCedarType(action.input);
  return {
    memberOf: action.groups.map((id) => ({ id })),
    appliesTo: {
      principalTypes: ["Agent", "Person", "Service"],
      resourceTypes: ["Tenant"],
      // `preview` is optional, so that strict validation demands `context has preview` before any use of it.
      context: toRecordSchema({
        capability: { type: "String" },
        ...(input && { input }),
        ...(parts.has("preview") && { preview: { ...previewType, required: false } }),
        evidence: toRecordSchema({ discharged: stringSetType }),
        ...(parts.has("env") && { env: environmentType }),
      }),
    },
  };
}

function toRecordSchema(attributes: Record<string, TypeOfAttribute<string>>): Type<string> {
  return { type: "Record", attributes };
}

function toAttributes(
  names: readonly string[],
  type: TypeOfAttribute<string>,
): Record<string, TypeOfAttribute<string>> {
  return Object.fromEntries(names.map((name) => [name, type]));
}

const stringSetType: Type<string> = { type: "Set", element: { type: "String" } };
const longType: Type<string> = { type: "Long" };
const personType: TypeOfAttribute<string> = { type: "Entity", name: "Person", required: false };
const ownerAttributes = toRecordSchema(toAttributes(["owner", "onBehalfOf"], personType));
const environmentType = toRecordSchema(toAttributes(environmentNames, longType));
const previewType = toRecordSchema({
  changes: longType,
  kinds: stringSetType,
  targets: stringSetType,
  // Only a plan has steps and risks. For any other call, `steps` is 0 and `risks` is empty.
  steps: longType,
  risks: stringSetType,
  ...toAttributes(previewSums, { ...longType, required: false }),
});
