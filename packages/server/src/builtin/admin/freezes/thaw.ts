import type { Capability } from "@paraph/core";
import { z } from "zod";
import type { Administration, HeldCalls } from "../administration.ts";
import { createRefusal, defineAdminCapability } from "../define-admin-capability.ts";
import { formatFreezeSubject, formatUtc, pluralize } from "../format.ts";
import { reasonInput, recordIdInput } from "../input-schemas.ts";

/** Creates `admin.thaw`, which lifts a freeze and wakes the calls it held. */
export function createThawCapability({ freezes, people }: Administration): Capability {
  return defineAdminCapability({
    verb: "thaw",
    summary: "Thaw a frozen principal, capability, adapter or tenant",
    risk: "high",
    input: z.strictObject({ freeze: recordIdInput, reason: reasonInput.optional() }),
    output: z.object({ resumed: z.int().describe("number of stopped calls that continue") }),
    preview: async (input, { tenant }) => {
      const found = await freezes.find(tenant, input.freeze);
      if (!found) throw createRefusal("freeze-unknown", `There is no freeze \`${input.freeze}\`.`);
      if (found.thawed) throw createRefusal("already-thawed", `\`${input.freeze}\` is already thawed.`);
      // [TRUST 33] Paraph holds the calls of a disabled principal, so a thaw must not release them.
      const { barred } = (found.kind === "principal" && (await people.find(tenant, found.subject))) || {};
      if (barred === "disabled")
        throw createRefusal(
          "principal-disabled",
          `\`${found.subject}\` is disabled, so its calls wait. Enable it instead (\`admin.principal_enable\`).`,
        );
      const { kind, subject, by, at } = found;
      const impact = describeHeld(await freezes.countHeld(tenant, input.freeze));
      const summary = `Frozen by ${by} since ${formatUtc(at)}. ${impact}`;
      return {
        changes: [{ kind: "other", target: formatFreezeSubject(kind, subject), summary }],
        basis: { freeze: input.freeze },
      };
    },
    headline: (_input, preview) => `Thaw ${preview?.changes[0]?.target}`,
    apply: async (input, { tenant, principal }) => ({
      resumed: await freezes.thaw(tenant, input.freeze, principal.id),
    }),
  });
}

function describeHeld({ held, stopped, heldByOthers }: HeldCalls): string {
  if (held === 0) return "It holds no call.";
  return [
    `It holds ${pluralize(held, "open call")}.`,
    stopped > 0 &&
      `${stopped} ${stopped === 1 ? "was stopped and continues" : "were stopped and continue"} at once.`,
    heldByOthers > 0 && `${heldByOthers} ${heldByOthers === 1 ? "stays" : "stay"} frozen by another freeze.`,
  ]
    .filter(Boolean)
    .join(" ");
}
