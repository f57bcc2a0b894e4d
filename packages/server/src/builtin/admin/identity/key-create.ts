import { type Capability, type Principal, roles } from "@paraph/core";
import { z } from "zod";
import type { Administration } from "../administration.ts";
import { adminPrefix, createRefusal, defineAdminCapability } from "../define-admin-capability.ts";
import { formatParts, formatUtc } from "../format.ts";
import { principalIdInput, scopesInput } from "../input-schemas.ts";

/**
 * Creates `admin.key_create`. The user of the key generates the secret. Paraph receives only its hash, from which the
 * secret cannot be derived.
 */
export function createKeyCreateCapability({ people }: Administration): Capability {
  return defineAdminCapability({
    verb: "key_create",
    summary: "Create an API key",
    risk: "high",
    input: newKeyInput,
    output: z.object({ keyId: z.string(), principal: z.string() }),
    preview: async ({ principal, keyId, scopes, expires, label }, { tenant }) => {
      const owner = await people.find(tenant, principal);
      if (!owner) throw createUnknownPrincipalError(principal);
      if (await people.findKey(tenant, keyId)) throw createKeyTakenError(keyId);
      return {
        changes: [
          {
            kind: "create",
            target: `key ${keyId}`,
            summary: `${describePower(owner, scopes)} ${expires === undefined ? "It does not expire." : `It expires on ${formatUtc(Date.parse(expires))}.`}`,
            details: { principal, ...(scopes && { scopes }), ...(label !== undefined && { label }) },
          },
        ],
        basis: null,
      };
    },
    headline: ({ principal }) => `Create an API key for ${principal}`,
    apply: async ({ principal, keyId, hash, scopes, expires, label }, { tenant, principal: by }) => {
      const changed = await people.createKey({
        tenant,
        id: keyId,
        hash,
        principal,
        by: by.id,
        ...(scopes && { scopes }),
        ...(expires !== undefined && { expiresAt: Date.parse(expires) }),
        ...(label !== undefined && { label }),
      });
      if (changed === "taken") throw createKeyTakenError(keyId);
      if (changed === "unknown") throw createUnknownPrincipalError(principal);
      return { keyId, principal };
    },
    undo: ({ keyId }) => ({ capability: `${adminPrefix}.key_revoke`, input: { keyId } }),
  });
}

export const keyIdInput = z
  .string()
  .regex(/^[a-z0-9]{8}$/, "8 lower-case letters and digits, the third part of a key");

const newKeyInput = z.strictObject({
  principal: principalIdInput,
  keyId: keyIdInput,
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "SHA-256 in hex")
    .describe("SHA-256 of the key's secret (its fourth part), in hex"),
  scopes: scopesInput.optional(),
  expires: z.iso.datetime().optional(),
  label: z.string().min(1).max(200).optional(),
});

/** Describes what the holder of the key can do. The holder of a person's key approves as that person. */
function describePower({ id, kind, groups = [] }: Principal, scopes: readonly string[] | undefined): string {
  const reach = scopes ? `with the scopes ${formatParts(scopes)}` : "with full access";
  const approves = !scopes || scopes.includes("decide");
  const administers = groups.includes(roles.admins) && (!scopes || scopes.includes("admin"));
  return [
    `The key authenticates its holder as the ${kind} "${id}", ${reach}.`,
    kind === "person" && approves ? "The holder can approve as this person." : "",
    kind === "person" && administers ? "The holder can administer Paraph as this person." : "",
  ]
    .filter(Boolean)
    .join(" ");
}

const createKeyTakenError = (id: string) =>
  createRefusal("key-taken", `The key id \`${id}\` is already in use. Create another key.`);

const createUnknownPrincipalError = (id: string) =>
  createRefusal(
    "principal-unknown",
    `There is no principal \`${id}\`. Add it first, for an agent with \`paraph principals add agent ${id} --owner PERSON\`. If you did so already, that request may still wait for approval.`,
  );
