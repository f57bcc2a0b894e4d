import type {
  CedarValueJson,
  EntityJson,
  StatefulAuthorizationCall,
  TypeAndId,
} from "@cedar-policy/cedar-wasm/nodejs";
import type { Principal, Question } from "@paraph/core";
import type { CallPart } from "../analysis/context-use.ts";
import { toEnvironmentValue } from "../values/environment-value.ts";
import { toInputValue } from "../values/input-value.ts";
import { toPreviewValue } from "../values/preview-value.ts";
import type { Action } from "./schema.ts";
import type { PolicySlice, SliceNames } from "./slices.ts";

export type CedarRequest = Omit<StatefulAuthorizationCall, keyof SliceNames>;

/** What the context can say of one call, in Cedar's terms. */
export type CallValues = Readonly<Partial<Record<CallPart, CedarValueJson>>>;

/** [P11] An input and a preview that do not fit are faults also where no policy looks at them. */
export function toCallValues(
  question: Question,
  action: Action,
  slices: readonly PolicySlice[],
  faults: string[],
): CallValues {
  const { input: type } = action;
  const readsEnv = slices.some(({ use }) => use.parts.has("env"));
  return {
    ...(type.kind === "record" && { input: toInputValue(type, question.input, "input", faults) }),
    ...(question.preview && { preview: toPreviewValue(question.preview, faults) }),
    ...(readsEnv && { env: toEnvironmentValue(question.env, faults) }),
  };
}

/**
 * The question in Cedar's terms: may this principal do this action in its tenant, given this context? Of what the
 * slice's policies cannot look at, Cedar is told nothing: a thousand guards' ids and a hundred groups cost time,
 * and what is not in the request need not be in the key under which its answer is remembered.
 */
export function toCedarRequest(
  question: Question,
  action: Action,
  values: CallValues,
  slice: PolicySlice,
): CedarRequest {
  const { principal, discharged } = question;
  const tenant = { type: "Tenant", id: principal.tenant };
  const { parts, discharged: lookedFor } = slice.use;
  const seen = Object.entries(values).filter(([part]) => parts.has(part as CallPart));
  const uid = toEntityUid(slice.canSeeIdentity ? principal : { kind: principal.kind, id: "anybody" });
  return {
    principal: uid,
    action: { type: "Action", id: action.contract.name },
    resource: tenant,
    context: {
      capability: action.contract.name,
      ...Object.fromEntries(seen),
      evidence: { discharged: lookedFor ? discharged.filter((id) => lookedFor.has(id)) : [...discharged] },
    },
    entities: [
      {
        uid,
        attrs: slice.canSeeIdentity ? toOwnerAttributes(principal) : {},
        parents: listParents(principal, slice),
      },
    ],
    // A second pair of eyes on types: whatever slips through above, Cedar refuses.
    validateRequest: true,
  };
}

/** What the question says in words outside its input; the input's own are judged by `inputValueOf`. */
export function listQuestionTexts({ principal, preview, discharged }: Question): unknown[] {
  const { tenant, id, owner, onBehalfOf, groups = [] } = principal;
  const people = [owner, onBehalfOf].filter((one) => one !== undefined);
  const changes = [...(preview?.changes ?? [])].flatMap((change) => [change?.kind, change?.target]);
  // A text is a list of letters to a spread, and none of them a group.
  const members = Array.isArray(groups) ? groups : [undefined];
  return [tenant, id, ...people, ...members, ...discharged, ...changes];
}

const entityTypes = { agent: "Agent", person: "Person", service: "Service" } as const;

function toEntityUid(principal: Pick<Principal, "kind" | "id">): TypeAndId {
  return { type: entityTypes[principal.kind], id: principal.id };
}

/** People answer for themselves. */
function toOwnerAttributes({ kind, owner, onBehalfOf }: Principal): EntityJson["attrs"] {
  if (kind === "person") return {};
  const person = (id: string) => ({ __entity: toEntityUid({ kind: "person", id }) });
  return {
    ...(owner !== undefined && { owner: person(owner) }),
    ...(onBehalfOf !== undefined && { onBehalfOf: person(onBehalfOf) }),
  };
}

function listParents({ tenant, groups = [] }: Principal, slice: PolicySlice): TypeAndId[] {
  const named = [...new Set(groups)].filter((id) => slice.groups.has(id)).sort();
  return [{ type: "Tenant", id: tenant }, ...named.map((id) => ({ type: "Group", id }))];
}
