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

/** The parts of the context that describe one call, as Cedar values. */
export type CallValues = Readonly<Partial<Record<CallPart, CedarValueJson>>>;

/**
 * [P11] Converts the parts of a call into Cedar values. An input or preview with a wrong type is a fault even if no
 * policy reads it.
 */
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
 * Builds the Cedar request that asks whether this principal may take this action in its tenant with this context. It
 * leaves out everything that the slice's policies cannot read. This saves time, because there may be a thousand guard
 * ids and a hundred groups. It also keeps the omitted values out of the cache key.
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
    // Makes Cedar check the types again, so that it rejects wrong values that the code above missed.
    validateRequest: true,
  };
}

/**
 * Returns the texts of the question that Cedar may receive, except those in the input. `toInputValue` checks the texts
 * in the input.
 */
export function listQuestionTexts({ principal, preview, discharged }: Question): unknown[] {
  const { tenant, id, owner, onBehalfOf, groups = [] } = principal;
  const people = [owner, onBehalfOf].filter((one) => one !== undefined);
  const changes = [...(preview?.changes ?? [])].flatMap((change) => [change?.kind, change?.target]);
  const risks = [...(preview?.steps ?? [])].map((step) => step?.risk);
  // If `groups` is not an array, `undefined` takes its place and fails the later check. Spreading a string would yield
  // characters instead of groups.
  const members = Array.isArray(groups) ? groups : [undefined];
  return [tenant, id, ...people, ...members, ...discharged, ...changes, ...risks];
}

/** The entity type of each kind of principal. */
export const entityTypes = { agent: "Agent", person: "Person", service: "Service" } as const;

function toEntityUid(principal: Pick<Principal, "kind" | "id">): TypeAndId {
  return { type: entityTypes[principal.kind], id: principal.id };
}

/** A person has no owner. */
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
