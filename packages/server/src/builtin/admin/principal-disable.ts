import { type Capability, type ExecutionContext, roles } from "@paraph/core";
import { z } from "zod";
import type { Administration } from "./administration.ts";
import { adapter, administrative, idFrom, refused } from "./administrative.ts";
import { handle, principalId, reason } from "./names.ts";
import { counted } from "./words.ts";

/** [TRUST 33] Principals are not removed, because receipts name them: a disabled one can do nothing. */
export function principalDisable(administration: Administration): Capability {
  const { people, freezes } = administration;
  return administrative({
    verb: "principal_disable",
    summary: "Disable a person, an agent or a service",
    risk: "high",
    input: z.strictObject({ principal: principalId, reason: reason.optional() }),
    output: z.object({ principal: z.string(), freeze: z.string() }),
    preview: async ({ principal }, world) => {
      const found = await people.find(world.tenant, principal);
      if (!found) throw unknown(principal);
      if (found.barred === "disabled")
        throw refused("already-disabled", `\`${principal}\` is disabled already.`);
      await demandOtherAdministrator(administration, principal, world);
      const { keys, sessions, agents } = await people.access(world.tenant, principal);
      const ended = `${counted(keys, "API key")} and ${counted(sessions, "session")} end`;
      const owned = agents === 0 ? "" : ` It owns ${counted(agents, "agent")}, which stay enabled.`;
      return {
        changes: [
          {
            kind: "update",
            target: `${found.kind} ${principal}`,
            summary: `Disabled: ${ended}, its votes no longer count, and its open calls wait.${owned}`,
            details: { keys, sessions, agents },
          },
        ],
        basis: null,
      };
    },
    // The freeze holds its open calls, which a new credential must not set going again.
    apply: async ({ principal }, world) => {
      const { tenant, principal: by } = world;
      await demandOtherAdministrator(administration, principal, world);
      const freeze = idFrom("freeze", world);
      if ((await people.disable(tenant, principal, by.id)) === "unknown") throw unknown(principal);
      await freezes.freeze(tenant, { id: freeze, kind: "principal", subject: principal, by: by.id });
      return { principal, freeze };
    },
    undo: (_, { principal, freeze }) => ({
      capability: `${adapter}.principal_enable`,
      input: { principal, freeze },
    }),
  });
}

export function principalEnable({ people, freezes }: Administration): Capability {
  return administrative({
    verb: "principal_enable",
    summary: "Enable a principal that was disabled",
    risk: "high",
    input: z.strictObject({
      principal: principalId,
      freeze: handle.optional().describe("the freeze that came with disabling it, which is thawed too"),
      reason: reason.optional(),
    }),
    output: z.object({ principal: z.string() }),
    preview: async ({ principal }, { tenant }) => {
      const found = await people.find(tenant, principal);
      if (!found) throw unknown(principal);
      if (found.barred !== "disabled") throw refused("not-disabled", `\`${principal}\` is not disabled.`);
      const groups = (found.groups ?? []).join(", ") || "none";
      const summary = `Enabled again, with its API keys and its groups (${groups}).`;
      return {
        changes: [{ kind: "update", target: `${found.kind} ${principal}`, summary }],
        basis: null,
      };
    },
    apply: async ({ principal, freeze }, { tenant, principal: by }) => {
      if ((await people.enable(tenant, principal)) === "unknown") throw unknown(principal);
      const known = freeze === undefined ? undefined : await freezes.find(tenant, freeze);
      if (known?.kind === "principal" && known.subject === principal)
        await freezes.thaw(tenant, known.id, by.id);
      return { principal };
    },
  });
}

/** Without an administrator who can act, nobody could enable or thaw anybody. */
export async function demandOtherAdministrator(
  { people }: Administration,
  principal: string,
  { tenant }: ExecutionContext,
): Promise<void> {
  const administrators = await people.members(tenant, roles.admins);
  if (!administrators.some(({ id }) => id === principal)) return;
  const others = administrators.filter(({ id }) => id !== principal);
  const found = await Promise.all(others.map(({ id }) => people.find(tenant, id)));
  if (found.some((other) => other && other.barred === undefined)) return;
  throw refused("last-administrator", `\`${principal}\` is the last administrator who can act.`);
}

const unknown = (id: string) => refused("principal-unknown", `There is no principal \`${id}\`.`);
