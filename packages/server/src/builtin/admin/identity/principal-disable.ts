import { type Capability, type ExecutionContext, roles } from "@paraph/core";
import { z } from "zod";
import type { Administration } from "../administration.ts";
import {
  adminPrefix,
  createRefusal,
  defineAdminCapability,
  toCreatedId,
} from "../define-admin-capability.ts";
import { pluralize } from "../format.ts";
import { principalIdInput, reasonInput, recordIdInput } from "../input-schemas.ts";

/**
 * [TRUST 33] Creates `admin.principal_disable`. Principals are not removed, because receipts name them. A disabled
 * principal can do nothing.
 */
export function createPrincipalDisableCapability(administration: Administration): Capability {
  const { people, freezes } = administration;
  return defineAdminCapability({
    verb: "principal_disable",
    summary: "Disable a person, an agent or a service",
    risk: "high",
    input: z.strictObject({ principal: principalIdInput, reason: reasonInput.optional() }),
    output: z.object({ principal: z.string(), freeze: z.string() }),
    preview: async ({ principal }, world) => {
      const found = await people.find(world.tenant, principal);
      if (!found) throw createUnknownPrincipalError(principal);
      if (found.barred === "disabled")
        throw createRefusal("already-disabled", `\`${principal}\` is disabled already.`);
      await requireOtherAdministrator(administration, principal, world);
      const { keys, sessions, agents } = await people.countAccess(world.tenant, principal);
      const ended = `${pluralize(keys, "API key")} and ${pluralize(sessions, "session")} end`;
      const owned = agents === 0 ? "" : ` It owns ${pluralize(agents, "agent")}, which stay enabled.`;
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
    // The freeze holds the principal's open calls, so that a new credential cannot resume them.
    apply: async ({ principal }, world) => {
      const { tenant, principal: by } = world;
      await requireOtherAdministrator(administration, principal, world);
      const freeze = toCreatedId("freeze", world);
      if ((await people.disable(tenant, principal, by.id)) === "unknown")
        throw createUnknownPrincipalError(principal);
      await freezes.freeze(tenant, { id: freeze, kind: "principal", subject: principal, by: by.id });
      return { principal, freeze };
    },
    undo: (_, { principal, freeze }) => ({
      capability: `${adminPrefix}.principal_enable`,
      input: { principal, freeze },
    }),
  });
}

/** Creates `admin.principal_enable`, which also lifts the freeze that `admin.principal_disable` created. */
export function createPrincipalEnableCapability({ people, freezes }: Administration): Capability {
  return defineAdminCapability({
    verb: "principal_enable",
    summary: "Enable a principal that was disabled",
    risk: "high",
    input: z.strictObject({
      principal: principalIdInput,
      freeze: recordIdInput.optional().describe("freeze that disabling created; it is thawed too"),
      reason: reasonInput.optional(),
    }),
    output: z.object({ principal: z.string(), frozenBy: z.array(z.string()) }),
    preview: async ({ principal, freeze }, { tenant }) => {
      const found = await people.find(tenant, principal);
      if (!found) throw createUnknownPrincipalError(principal);
      if (found.barred !== "disabled")
        throw createRefusal("not-disabled", `\`${principal}\` is not disabled.`);
      const groups = (found.groups ?? []).join(", ") || "none";
      const rest = await listOtherFreezes(freezes, tenant, principal, freeze);
      const frozen = rest.length === 0 ? "" : ` It stays frozen until you thaw ${rest.join(", ")}.`;
      const summary = `Enabled again, with its API keys and its groups (${groups}).${frozen}`;
      return {
        changes: [{ kind: "update", target: `${found.kind} ${principal}`, summary }],
        basis: null,
      };
    },
    apply: async ({ principal, freeze }, { tenant, principal: by }) => {
      if ((await people.enable(tenant, principal)) === "unknown")
        throw createUnknownPrincipalError(principal);
      const known = freeze === undefined ? undefined : await freezes.find(tenant, freeze);
      if (known?.kind === "principal" && known.subject === principal)
        await freezes.thaw(tenant, known.id, by.id);
      return { principal, frozenBy: await listOtherFreezes(freezes, tenant, principal, freeze) };
    },
  });
}

/** Lists the freezes of a principal that stay in force when the principal is enabled and `thawed` is lifted. */
async function listOtherFreezes(
  freezes: Administration["freezes"],
  tenant: string,
  principal: string,
  thawed: string | undefined,
): Promise<string[]> {
  const inForce = await freezes.list(tenant);
  return inForce
    .filter(({ kind, subject, id }) => kind === "principal" && subject === principal && id !== thawed)
    .map(({ id }) => id);
}

/**
 * Rejects the change if it leaves no other administrator who can act, because no person could then enable or thaw a
 * principal.
 */
export async function requireOtherAdministrator(
  { people }: Administration,
  principal: string,
  { tenant }: ExecutionContext,
): Promise<void> {
  const administrators = await people.listMembers(tenant, roles.admins);
  if (!administrators.some(({ id }) => id === principal)) return;
  const others = administrators.filter(({ id }) => id !== principal);
  const found = await Promise.all(others.map(({ id }) => people.find(tenant, id)));
  if (found.some((other) => other && other.barred === undefined)) return;
  throw createRefusal(
    "last-administrator",
    `\`${principal}\` is the last administrator who can act. Add another administrator first (\`admin.group_change\`).`,
  );
}

const createUnknownPrincipalError = (id: string) =>
  createRefusal("principal-unknown", `There is no principal \`${id}\`.`);
