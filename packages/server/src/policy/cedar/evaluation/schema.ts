import type { ActionType, SchemaJson, Type, TypeOfAttribute } from "@cedar-policy/cedar-wasm/nodejs";
import { adapterName, adminAdapter, type Contract, effects, risks } from "@paraph/core";
import { type CallPart, callParts } from "../analysis/context-use.ts";
import { environmentNames } from "../values/environment-value.ts";
import { type InputType, toCedarType, toInputType } from "../values/input-type.ts";
import { previewSums } from "../values/preview-value.ts";

/** A capability as Cedar knows it: an action in its groups, with the part of its input that has types. */
export interface Action {
  readonly contract: Contract;
  readonly groups: readonly string[];
  readonly input: InputType;
}

/** The capabilities an operator lets agents use while nobody watches. */
const unattendedGroup = "unattended";

/** What is made of calls of other capabilities: in no `effect:*`, since what it changes, those change. */
const compositeGroup = "composite";

/** These exist even when they are empty, so that a policy may speak of what is not there yet. */
const predefinedGroups = [
  ...effects.map((effect) => `effect:${effect}`),
  ...risks.map((risk) => `risk:${risk}`),
  `adapter:${adminAdapter}`,
  compositeGroup,
  unattendedGroup,
];

/** Groups are exact: `risk:high` does not hold what is critical. */
export function toAction(contract: Contract, unattended: readonly string[]): Action {
  const kind = contract.composite ? compositeGroup : `effect:${contract.effect}`;
  const groups = [kind, `risk:${contract.risk}`, `adapter:${adapterName(contract)}`];
  if (unattended.includes(contract.name)) groups.push(unattendedGroup);
  const input = toInputType(contract.input);
  // An input that is no object has no attributes a policy could name.
  return { contract, groups, input: input.kind === "record" ? input : { kind: "untyped" } };
}

/** Every group that a policy may speak of where these are the actions. */
export function listActionGroups(actions: Iterable<Action>): ReadonlySet<string> {
  return new Set([...predefinedGroups, ...[...actions].flatMap((action) => action.groups)]);
}

interface SchemaOptions {
  /** The parts of the call that the context has: a slice goes without what its policies do not read. */
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
  // Of a plan; of any other call there are none.
  steps: longType,
  risks: stringSetType,
  ...toAttributes(previewSums, { ...longType, required: false }),
});
