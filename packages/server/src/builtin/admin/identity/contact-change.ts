import type { Capability } from "@paraph/core";
import { z } from "zod";
import type { Administration } from "../administration.ts";
import { createRefusal, defineAdminCapability } from "../define-admin-capability.ts";
import { mailAddressInput, principalIdInput } from "../input-schemas.ts";

/**
 * Creates `admin.contact_change`. Requests are announced to this address, so an approver sees the old and the new one
 * before it changes.
 */
export function createContactChangeCapability({ people }: Administration): Capability {
  return defineAdminCapability({
    verb: "contact_change",
    summary: "Change a person's mail address",
    risk: "medium",
    input: z.strictObject({
      principal: principalIdInput,
      mail: mailAddressInput.optional().describe("new mail address (default: remove the address)"),
    }),
    output: z.object({ principal: z.string() }),
    preview: async ({ principal, mail }, { tenant }) => {
      if ((await people.find(tenant, principal))?.kind !== "person")
        throw createUnknownPersonError(principal);
      const before = await people.findMailAddress(tenant, principal);
      const summary =
        mail === undefined
          ? `Paraph no longer sends mail to ${principal}.`
          : `Paraph announces requests that ${principal} may approve to this address. Before: ${before ?? "none"}.`;
      const target = `mail address of ${principal}${mail === undefined ? "" : `: ${mail}`}`;
      return {
        changes: [{ kind: mail === undefined ? "delete" : "update", target, summary }],
        basis: before ?? null,
      };
    },
    apply: async ({ principal, mail }, { tenant }) => {
      if ((await people.setMailAddress(tenant, principal, mail)) === "unknown")
        throw createUnknownPersonError(principal);
      return { principal };
    },
  });
}

const createUnknownPersonError = (id: string) =>
  createRefusal("principal-unknown", `There is no person \`${id}\`.`);
