import type { Principal, Question } from "@paraph/core";
import { type CallValues, entityTypes } from "../cedar-request.ts";
import type { Action } from "../schema.ts";
import { type CedarRecord, EntityUid, UnsupportedExpression } from "./cedar-value.ts";

/** A request to closures. It holds the same facts as the request to Cedar, and those that Cedar has from its schema. */
export interface ClosureRequest {
  readonly principal: EntityUid;
  readonly principalAttributes: CedarRecord;
  /** The ids of the groups of the principal. The principal also belongs to its tenant, which is the resource. */
  readonly principalGroups: ReadonlySet<string>;
  readonly action: EntityUid;
  readonly actionGroups: readonly string[];
  readonly resource: EntityUid;
  readonly context: CedarRecord;
}

/**
 * Builds the request. It includes everything, because closures read only what their policies name. Throws for an
 * unknown kind of principal, which Cedar refuses.
 */
export function toClosureRequest(question: Question, action: Action, values: CallValues): ClosureRequest {
  const { principal, discharged } = question;
  if (!Object.hasOwn(entityTypes, principal.kind)) throw new UnsupportedExpression("kind of principal");
  const capability = action.contract.name;
  return {
    principal: new EntityUid(entityTypes[principal.kind], principal.id),
    principalAttributes: toOwners(principal),
    principalGroups: new Set(principal.groups),
    action: new EntityUid("Action", capability),
    actionGroups: action.groups,
    resource: new EntityUid("Tenant", principal.tenant),
    context: { ...(values as CedarRecord), capability, evidence: { discharged } },
  };
}

function toOwners({ kind, owner, onBehalfOf }: Principal): CedarRecord {
  if (kind === "person") return {};
  return {
    ...(owner !== undefined && { owner: new EntityUid("Person", owner) }),
    ...(onBehalfOf !== undefined && { onBehalfOf: new EntityUid("Person", onBehalfOf) }),
  };
}
