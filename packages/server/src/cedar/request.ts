import type {
  CedarValueJson,
  EntityJson,
  StatefulAuthorizationCall,
  TypeAndId,
} from "@cedar-policy/cedar-wasm/nodejs";
import type { Preview, Principal, Question } from "@paraph/core";
import { inputValueOf } from "./input-value.ts";
import type { Action } from "./schema.ts";
import type { SliceNames } from "./slices.ts";

export type Request = Omit<StatefulAuthorizationCall, keyof SliceNames>;

/** The question in Cedar's terms: may this principal do this action in its tenant, given this context? */
export function requestOf(question: Question, action: Action, faults: string[]): Request {
  const { principal, discharged } = question;
  const tenant = { type: "Tenant", id: principal.tenant };
  return {
    principal: uidOf(principal),
    action: { type: "Action", id: action.contract.name },
    resource: tenant,
    context: {
      ...(action.input.kind === "record" && {
        input: inputValueOf(action.input, question.input, "input", faults),
      }),
      ...(question.preview && { preview: previewOf(question.preview) }),
      evidence: { discharged: [...discharged] },
      env: {},
    },
    entities: [entityOf(principal, tenant), { uid: tenant, attrs: {}, parents: [] }],
    // A second pair of eyes on types: whatever slips through above, Cedar refuses.
    validateRequest: true,
  };
}

/** What the question says in words outside its input; the input's own are judged by `inputValueOf`. */
export function textsOf({ principal, preview, discharged }: Question): unknown[] {
  const { tenant, id, owner } = principal;
  const changes = [...(preview?.changes ?? [])].flatMap((change) => [change?.kind, change?.target]);
  return [tenant, id, ...(owner === undefined ? [] : [owner]), ...discharged, ...changes];
}

const entityTypes = { agent: "Agent", person: "Person", service: "Service" } as const;

function uidOf(principal: Pick<Principal, "kind" | "id">): TypeAndId {
  return { type: entityTypes[principal.kind], id: principal.id };
}

function entityOf(principal: Principal, tenant: TypeAndId): EntityJson {
  const { kind, owner } = principal;
  const isOwned = kind !== "person" && owner !== undefined;
  const attrs: EntityJson["attrs"] = isOwned
    ? { owner: { __entity: uidOf({ kind: "person", id: owner }) } }
    : {};
  return { uid: uidOf(principal), attrs, parents: [tenant] };
}

function previewOf({ changes }: Preview): CedarValueJson {
  return {
    changes: changes.length,
    kinds: changes.map((change) => change.kind),
    targets: changes.map((change) => change.target),
  };
}
