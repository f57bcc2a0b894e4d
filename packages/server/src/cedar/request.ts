import type {
  Context,
  EntityJson,
  StatefulAuthorizationCall,
  TypeAndId,
} from "@cedar-policy/cedar-wasm/nodejs";
import type { Principal, Question } from "@paraph/core";
import { environmentValueOf } from "./environment-value.ts";
import { inputValueOf } from "./input-value.ts";
import { previewValueOf } from "./preview-value.ts";
import type { Action } from "./schema.ts";
import type { Slice, SliceNames } from "./slices.ts";

export type Request = Omit<StatefulAuthorizationCall, keyof SliceNames>;

/**
 * The question in Cedar's terms: may this principal do this action in its tenant, given this context? Of what the
 * slice's policies cannot look at, Cedar is told nothing: a thousand guards' ids and a hundred groups cost time.
 */
export function requestOf(question: Question, action: Action, slice: Slice, faults: string[]): Request {
  const { principal } = question;
  const tenant = { type: "Tenant", id: principal.tenant };
  return {
    principal: uidOf(principal),
    action: { type: "Action", id: action.contract.name },
    resource: tenant,
    context: contextOf(question, action, slice, faults),
    entities: [entityOf(principal, tenant, slice, faults)],
    // A second pair of eyes on types: whatever slips through above, Cedar refuses.
    validateRequest: true,
  };
}

/** [P11] An input and a preview that do not fit are faults also where no policy of the slice looks at them. */
function contextOf(question: Question, action: Action, { use }: Slice, faults: string[]): Context {
  const { input: type, contract } = action;
  const input = type.kind === "record" && inputValueOf(type, question.input, "input", faults);
  const preview = question.preview && previewValueOf(question.preview, faults);
  const { discharged } = question;
  return {
    capability: contract.name,
    ...(input && use.parts.has("input") && { input }),
    ...(preview && use.parts.has("preview") && { preview }),
    evidence: {
      discharged: use.discharged ? discharged.filter((id) => use.discharged!.has(id)) : [...discharged],
    },
    ...(use.parts.has("env") && { env: environmentValueOf(question.env, faults) }),
  };
}

/** What the question says in words outside its input; the input's own are judged by `inputValueOf`. */
export function textsOf({ principal, preview, discharged }: Question): unknown[] {
  const { tenant, id, owner, onBehalfOf, groups = [] } = principal;
  const people = [owner, onBehalfOf].filter((one) => one !== undefined);
  const changes = [...(preview?.changes ?? [])].flatMap((change) => [change?.kind, change?.target]);
  return [tenant, id, ...people, ...groups, ...discharged, ...changes];
}

const entityTypes = { agent: "Agent", person: "Person", service: "Service" } as const;

function uidOf(principal: Pick<Principal, "kind" | "id">): TypeAndId {
  return { type: entityTypes[principal.kind], id: principal.id };
}

function entityOf(principal: Principal, tenant: TypeAndId, slice: Slice, faults: string[]): EntityJson {
  const { kind, owner, onBehalfOf, groups = [] } = principal;
  const person = (id: string) => ({ __entity: uidOf({ kind: "person", id }) });
  const attrs: EntityJson["attrs"] =
    kind === "person"
      ? {}
      : {
          ...(owner !== undefined && { owner: person(owner) }),
          ...(onBehalfOf !== undefined && { onBehalfOf: person(onBehalfOf) }),
        };
  // A string is a list of letters to `for`, and none of them a group.
  if (!Array.isArray(groups)) faults.push("principal-unfit:groups");
  const named = [...new Set(groups)].filter((id) => slice.groups.has(id)).sort();
  return {
    uid: uidOf(principal),
    attrs,
    parents: [tenant, ...named.map((id) => ({ type: "Group", id }))],
  };
}
