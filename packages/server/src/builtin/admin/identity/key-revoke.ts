import type { Capability } from "@paraph/core";
import { z } from "zod";
import type { Administration } from "../administration.ts";
import { createRefusal, defineAdminCapability } from "../define-admin-capability.ts";
import { reasonInput } from "../input-schemas.ts";
import { keyIdInput } from "./key-create.ts";

/** [TRUST 21] Creates `admin.key_revoke`. It only tightens access, so it needs no approval. */
export function createKeyRevokeCapability({ people }: Administration): Capability {
  return defineAdminCapability({
    verb: "key_revoke",
    summary: "Revoke an API key",
    risk: "low",
    input: z.strictObject({ keyId: keyIdInput, reason: reasonInput.optional() }),
    output: z.object({ keyId: z.string(), principal: z.string() }),
    preview: async ({ keyId }, { tenant }) => {
      const key = await people.findKey(tenant, keyId);
      if (!key) throw createUnknownKeyError(keyId);
      if (key.revoked) throw createRefusal("already-revoked", `The key \`${keyId}\` is already revoked.`);
      const label = key.label === undefined ? "" : ` (${key.label})`;
      const summary = `A key of "${key.principal}"${label}. Within seconds, every Paraph process rejects it permanently.`;
      return { changes: [{ kind: "delete", target: `key ${keyId}`, summary }], basis: null };
    },
    apply: async ({ keyId }, { tenant }) => {
      const key = await people.findKey(tenant, keyId);
      if (!key || (await people.revokeKey(tenant, keyId)) === "unknown") throw createUnknownKeyError(keyId);
      return { keyId, principal: key.principal };
    },
  });
}

const createUnknownKeyError = (id: string) => createRefusal("key-unknown", `There is no key \`${id}\`.`);
