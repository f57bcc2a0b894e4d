import {
  type Call,
  hasBegun,
  hasCapabilityScope,
  hasScope,
  type Json,
  listUsedCapabilities,
  planCapability,
} from "@paraph/core";
import type { Context } from "hono";
import type { ParaphService } from "../../services/types/service-types.ts";
import type { Env } from "../context.ts";
import { HttpProblem, unknownPlan } from "../problem.ts";

/** [TRUST 21] At admission the capability itself has to be within reach; of a plan, what each of its steps uses. */
export function requireCapabilityScope(c: Context<Env>, capability: string, input?: Json): void {
  const caller = c.get("caller");
  if (caller.scopes === undefined) return;
  const used = listUsedCapabilities(capability, input);
  // What cannot be told now may turn out to be anything.
  if (!used) throw scopeMissing([]);
  const beyond = used.find((name) => !hasCapabilityScope(caller, name));
  if (beyond !== undefined) throw scopeMissing([beyond.startsWith("admin.") ? "admin" : `calls:${beyond}`]);
}

/** Without `read`, a proof shows what its principal asked for and nothing else. */
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

/** A call that is made of steps; any other is none of this name. */
export async function findPlan(c: Context<Env>, service: ParaphService, plan: string): Promise<Call> {
  const found = await findCall(c, service, plan);
  if (!found || (found.capability !== planCapability && !hasBegun(found))) throw unknownPlan();
  return found;
}

export function scopeMissing(scopes: readonly string[]): HttpProblem {
  const named = scopes.map((scope) => `\`${scope}\``).join(" or ");
  const detail =
    scopes.length > 0
      ? `This needs the scope ${named}: use a key that has it.`
      : "This is closed to keys that were narrowed to scopes: use one that was not.";
  return new HttpProblem("scope-missing", detail, { extra: { scopes } });
}
