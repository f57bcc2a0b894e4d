import type { ActionType, SchemaJson, Type, TypeOfAttribute } from "@cedar-policy/cedar-wasm/nodejs";
import { adapterOf, type Contract, effects, risks } from "@paraph/core";
import { cedarTypeOf, type InputType, inputTypeOf } from "./input-type.ts";

/** A capability as Cedar knows it: an action in its groups, with the part of its input that has types. */
export interface Action {
  readonly contract: Contract;
  readonly groups: readonly string[];
  readonly input: InputType;
}

/** The capabilities an operator lets agents use while nobody watches. */
const unattendedGroup = "unattended";

/** Groups are exact: `risk:high` does not hold what is critical. */
export function actionOf(contract: Contract, unattended: readonly string[]): Action {
  const groups = [`effect:${contract.effect}`, `risk:${contract.risk}`, `adapter:${adapterOf(contract)}`];
  if (unattended.includes(contract.name)) groups.push(unattendedGroup);
  const input = inputTypeOf(contract.input);
  // An input that is no object has no attributes a policy could name.
  return { contract, groups, input: input.kind === "record" ? input : { kind: "untyped" } };
}

/** Every group exists even when it is empty, so that a policy may speak of what is not there yet. */
export function schemaOf(actions: Iterable<Action>): SchemaJson<string> {
  const all = [...actions];
  const groups = new Set([
    ...effects.map((effect) => `effect:${effect}`),
    ...risks.map((risk) => `risk:${risk}`),
    unattendedGroup,
    ...all.flatMap((action) => action.groups),
  ]);
  return {
    "": {
      entityTypes: {
        Tenant: {},
        Person: { memberOfTypes: ["Tenant"] },
        Agent: { memberOfTypes: ["Tenant"], shape: owned },
        Service: { memberOfTypes: ["Tenant"], shape: owned },
      },
      actions: Object.fromEntries([
        ...[...groups].sort().map((id) => [id, {}] as const),
        ...all.map((action) => [action.contract.name, actionType(action)] as const),
      ]),
    },
  };
}

function actionType(action: Action): ActionType<string> {
  const input = cedarTypeOf(action.input);
  return {
    memberOf: action.groups.map((id) => ({ id })),
    appliesTo: {
      principalTypes: ["Agent", "Person", "Service"],
      resourceTypes: ["Tenant"],
      // `preview` is optional, so that strict validation demands `context has preview` before any use of it.
      context: record({
        ...(input && { input }),
        preview: { ...previewType, required: false },
        evidence: record({ discharged: strings }),
        env: record({}),
      }),
    },
  };
}

function record(attributes: Record<string, TypeOfAttribute<string>>): Type<string> {
  return { type: "Record", attributes };
}

const strings: Type<string> = { type: "Set", element: { type: "String" } };
const previewType = record({ changes: { type: "Long" }, kinds: strings, targets: strings });
const owned = record({ owner: { type: "Entity", name: "Person", required: false } });
