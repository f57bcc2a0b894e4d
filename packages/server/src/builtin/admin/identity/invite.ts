import type { Capability } from "@paraph/core";
import { z } from "zod";
import type { Administration } from "../administration.ts";
import { createRefusal, defineAdminCapability } from "../define-admin-capability.ts";
import { newPrincipalIdInput } from "../input-schemas.ts";

const maxHours = 7 * 24;

/**
 * Creates `admin.invite`. One call adds a person together with their login link, because a person without a login could
 * approve nothing.
 */
export function createInviteCapability({ people }: Administration): Capability {
  return defineAdminCapability({
    verb: "invite",
    summary: "Invite a person with a one-time login link",
    risk: "high",
    input: z.strictObject({
      id: newPrincipalIdInput,
      linkHash: z
        .string()
        .regex(/^[0-9a-f]{64}$/, "SHA-256 in hex")
        .describe("SHA-256 of the link's secret, in hex. Paraph never receives the secret"),
      hours: z.int().min(1).max(maxHours).default(72).describe("hours until the link expires"),
    }),
    output: z.object({ principal: z.string() }),
    preview: async ({ id, hours }, { tenant }) => {
      const found = await people.find(tenant, id);
      if (found && (found.kind !== "person" || (await people.hasSignedIn(tenant, id))))
        throw createTakenError(id);
      const summary = `${found ? "Invited again" : "New person"}. The login link works once, within ${hours} h, and signs its holder in as "${id}". Until then "${id}" does not count as an approver.`;
      return { changes: [{ kind: "create", target: `person ${id}`, summary }], basis: null };
    },
    apply: async ({ id, linkHash, hours }, { tenant }) => {
      const changed = await people.invite(tenant, id, linkHash, hours * 3_600_000);
      if (changed === "taken") throw createTakenError(id);
      return { principal: id };
    },
  });
}

const createTakenError = (id: string) =>
  createRefusal(
    "principal-taken",
    `The id \`${id}\` belongs to a principal that has signed in or is not a person. Choose another id. If \`${id}\` is a person who needs a new login link, an operator creates one with \`paraph recover ${id} --login-only --reason TEXT\`.`,
  );
