import type { Capability } from "@paraph/core";
import { z } from "zod";
import { formatKeyFingerprint, parsePublicKey } from "../../../passkeys/public-key.ts";
import type { Administration } from "../administration.ts";
import { createRefusal, defineAdminCapability } from "../define-admin-capability.ts";
import { credentialIdInput, passkeyLabelInput, principalIdInput } from "../input-schemas.ts";

const algorithmNames = { "-7": "ES256", "-8": "EdDSA", "-257": "RS256" } as const;

/**
 * [TRUST 27] Creates `admin.passkey_add`. Every person may request it for themselves, and only for themselves. The key
 * works only after another person approved it, so a stolen session alone cannot enrol one.
 */
export function createPasskeyAddCapability({ passkeys, people }: Administration): Capability {
  return defineAdminCapability({
    verb: "passkey_add",
    summary: "Enrol a passkey for approvals",
    risk: "high",
    role: "any",
    input: z.strictObject({
      person: principalIdInput,
      credential: credentialIdInput,
      publicKey: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,2048}$/, "expected a COSE key as base64url")
        .describe("public key in COSE form, as base64url"),
      label: passkeyLabelInput,
    }),
    output: z.object({ person: z.string(), credential: z.string() }),
    preview: async ({ person, credential, publicKey, label }, { tenant, principal }) => {
      if (principal.id !== person)
        throw createRefusal("passkey-not-yours", "People can enrol a passkey only for themselves.");
      if ((await people.find(tenant, person))?.kind !== "person")
        throw createRefusal("principal-unknown", `There is no person \`${person}\`.`);
      const key = await parsePublicKey(publicKey);
      if (!key)
        throw createRefusal(
          "passkey-invalid",
          "The public key is malformed, or its algorithm is not ES256, EdDSA or RS256.",
        );
      const there = await passkeys.find(tenant, credential);
      if (there) throw createRefusal("passkey-taken", "This passkey is already enrolled.");
      const count = (await passkeys.list(tenant, person)).length;
      const fingerprint = formatKeyFingerprint(publicKey);
      return {
        changes: [
          {
            kind: "create",
            target: `passkey "${label}" of ${person}`,
            summary: `With this key, ${person} proves approvals. Ask ${person} in person whether their page shows the key fingerprint ${fingerprint}. ${person} has ${count === 1 ? "1 passkey" : `${count} passkeys`} now.`,
            details: { credential, algorithm: algorithmNames[`${key.alg}`], fingerprint },
          },
        ],
        basis: null,
      };
    },
    apply: async ({ person, credential, publicKey, label }, { tenant, principal }) => {
      if (principal.id !== person)
        throw createRefusal("passkey-not-yours", "People can enrol a passkey only for themselves.");
      if ((await passkeys.add(tenant, { person, credential, publicKey, label })) === "taken")
        throw createRefusal("passkey-taken", "This passkey is already enrolled for another person.");
      return { person, credential };
    },
  });
}
