import { type Capability, type Principal, roles } from "@paraph/core";
import { z } from "zod";
import type { Administration } from "../administration.ts";
import { createRefusal, defineAdminCapability } from "../define-admin-capability.ts";
import { credentialIdInput, reasonInput } from "../input-schemas.ts";

/**
 * Creates `admin.passkey_remove`, for administrators and for the passkey's own person. It only tightens access, so it
 * needs no approval.
 */
export function createPasskeyRemoveCapability({ passkeys }: Administration): Capability {
  const requirePasskey = async (tenant: string, principal: Principal, credential: string) => {
    const passkey = await passkeys.find(tenant, credential);
    if (!passkey) throw createRefusal("passkey-unknown", "There is no such passkey.");
    if (passkey.person !== principal.id && !principal.groups?.includes(roles.admins))
      throw createRefusal("passkey-not-yours", "Only an administrator can remove another person's passkey.");
    return passkey;
  };
  return defineAdminCapability({
    verb: "passkey_remove",
    summary: "Remove a passkey",
    risk: "low",
    role: "any",
    input: z.strictObject({ credential: credentialIdInput, reason: reasonInput.optional() }),
    output: z.object({ credential: z.string() }),
    preview: async ({ credential }, { tenant, principal }) => {
      const { person, label } = await requirePasskey(tenant, principal, credential);
      const rest = (await passkeys.list(tenant, person)).length - 1;
      const summary = `${person} can no longer approve with it and has ${rest === 1 ? "1 other passkey" : `${rest} other passkeys`}.`;
      return {
        changes: [{ kind: "delete", target: `passkey "${label}" of ${person}`, summary }],
        basis: null,
      };
    },
    apply: async ({ credential }, { tenant, principal }) => {
      // A repetition finds nothing to remove.
      if (await passkeys.find(tenant, credential)) await requirePasskey(tenant, principal, credential);
      await passkeys.remove(tenant, credential);
      return { credential };
    },
  });
}
