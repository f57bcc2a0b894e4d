import type { Capability } from "@paraph/core";
import { z } from "zod";
import type { Administration } from "./administration.ts";
import { administrative, refused } from "./administrative.ts";
import { handle, reason } from "./names.ts";
import { counted } from "./words.ts";

/** It tightens, so nobody is waited for: once it has answered, no call rests on the grant any more. */
export function grantRevoke({ grants }: Administration): Capability {
  return administrative({
    verb: "grant_revoke",
    summary: "Revoke a grant",
    risk: "low",
    input: z.strictObject({ grant: handle, reason: reason.optional() }),
    output: z.object({ grant: z.string() }),
    preview: async (input, { tenant }) => {
      const found = await grants.find(tenant, input.grant);
      if (!found) throw unknown(input.grant);
      if (found.revoked) throw refused("already-revoked", `\`${input.grant}\` was revoked before.`);
      const summary = `${counted(found.countLeft, "call")} of \`${found.capability}\` that it still allows would be asked about again.`;
      return { changes: [{ kind: "delete", target: `grant ${input.grant}`, summary }], basis: null };
    },
    apply: async (input, { tenant, principal }) => {
      if ((await grants.revoke(tenant, input.grant, principal.id)) === "unknown") throw unknown(input.grant);
      return { grant: input.grant };
    },
  });
}

const unknown = (id: string) => refused("grant-unknown", `There is no grant \`${id}\`.`);
