import {
  type Call,
  hasBegun,
  hasCapabilityScope,
  hasScope,
  type Json,
  listUsedCapabilities,
  type Principal,
  planCapability,
} from "@paraph/core";
import type { Context } from "hono";
import type { ParaphService } from "../../services/paraph-service.ts";
import type { Env } from "../context.ts";
import { HttpProblem, unknownApproval, unknownPlan } from "../problem.ts";

/**
 * [TRUST 21] Rejects a narrowed key whose scopes do not cover the capability. For a plan, the scopes must cover the
 * capability of each step.
 */
export function requireCapabilityScope(c: Context<Env>, capability: string, input?: Json): void {
  const caller = c.get("caller");
  if (caller.scopes === undefined) return;
  const used = listUsedCapabilities(capability, input);
  // Rejects a plan whose capabilities cannot be determined, because such a plan could use any capability.
  if (!used) throw scopeMissing([]);
  const beyond = used.find((name) => !hasCapabilityScope(caller, name));
  if (beyond !== undefined) throw scopeMissing([beyond.startsWith("admin.") ? "admin" : `calls:${beyond}`]);
}

/**
 * Returns a call that the key may read. A key without the scope `read` may read only the calls of its own principal.
 */
export async function findCall(
  c: Context<Env>,
  service: ParaphService,
  call: string,
): Promise<Call | undefined> {
  const caller = c.get("caller");
  const found = await service.findCall(caller.principal, call);
  return found && (found.principal.id === caller.principal.id || hasScope(caller, "read"))
    ? found
    : undefined;
}

/**
 * [TRUST 9] Returns the call of an approval. An approval that the principal may not see gets the same response as one
 * that does not exist.
 */
export async function requireApproval(
  principal: Principal,
  approval: string,
  service: Pick<ParaphService, "findApproval">,
): Promise<Call> {
  const call = await service.findApproval(principal, approval);
  if (!call) throw unknownApproval();
  return call;
}

/** Returns a call that has steps. Throws `plan-unknown` for any other call. */
export async function findPlan(c: Context<Env>, service: ParaphService, plan: string): Promise<Call> {
  const found = await findCall(c, service, plan);
  if (!found || (found.capability !== planCapability && !hasBegun(found))) throw unknownPlan();
  return found;
}

/** Returns the problem for a key that lacks one of these scopes. */
export function scopeMissing(scopes: readonly string[]): HttpProblem {
  const named = scopes.map((scope) => `\`${scope}\``).join(" or ");
  const detail =
    scopes.length > 0
      ? `The API key lacks the scope ${named}. Use a key that has it.`
      : "A key with scopes can't do this. Use a key without scopes.";
  return new HttpProblem("scope-missing", detail, { extra: { scopes } });
}
