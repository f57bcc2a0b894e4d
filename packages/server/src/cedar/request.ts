import type { EntityJson, StatefulAuthorizationCall, TypeAndId } from "@cedar-policy/cedar-wasm/nodejs";
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
  const { principal, discharged } = question;
  const tenant = { type: "Tenant", id: principal.tenant };
  const { name } = action.contract;
  const lookedFor = slice.use.discharged;
  return {
    principal: uidOf(principal),
    action: { type: "Action", id: name },
    resource: tenant,
    context: {
      capability: name,
      ...(action.input.kind === "record" && {
        input: inputValueOf(action.input, question.input, "input", faults),
      }),
      ...(question.preview && { preview: previewValueOf(question.preview, faults) }),
      evidence: { discharged: lookedFor ? discharged.filter((id) => lookedFor.has(id)) : [...discharged] },
      ...(slice.use.parts.has("env") && { env: environmentValueOf(question.env, faults) }),
    },
    entities: [entityOf(principal, tenant, slice, faults), { uid: tenant, attrs: {}, parents: [] }],
    // A second pair of eyes on types: whatever slips through above, Cedar refuses.
    validateRequest: true,
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
