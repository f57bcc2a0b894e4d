import { type Call, reaches, reachesCapability } from "@paraph/core";
import type { Context } from "hono";
import type { Env } from "./context.ts";
import { Problem } from "./problem.ts";
import type { Service } from "./service.ts";

/** [TRUST 21] At admission the capability itself has to be within reach. */
export function refuseOutOfReach(c: Context<Env>, capability: string): void {
  if (reachesCapability(c.get("caller"), capability)) return;
  throw scopeMissing([capability.startsWith("admin.") ? "admin" : `calls:${capability}`]);
}

/** Without `read`, a proof shows what its principal asked for and nothing else. */
export async function findCall(c: Context<Env>, service: Service, call: string): Promise<Call | undefined> {
  const caller = c.get("caller");
  const found = await service.find(caller.principal, call);
  return found && (found.principal.id === caller.principal.id || reaches(caller, "read")) ? found : undefined;
}

export function scopeMissing(scopes: readonly string[]): Problem {
  const named = scopes.map((scope) => `\`${scope}\``).join(" or ");
  const detail =
    scopes.length > 0
      ? `This needs the scope ${named}: use a key that has it.`
      : "This is closed to keys that were narrowed to scopes: use one that was not.";
  return new Problem("scope-missing", detail, { extra: { scopes } });
}
