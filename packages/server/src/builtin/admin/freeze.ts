import {
  type Capability,
  type ExecutionContext,
  type FreezeKind,
  freezeKinds,
  type Preview,
} from "@paraph/core";
import { z } from "zod";
import type { Administration, InFlight, Reach } from "./administration.ts";
import { adapter, administrative, idFrom, refused } from "./administrative.ts";
import { reason } from "./names.ts";
import { demandOtherAdministrator } from "./principal-disable.ts";
import { counted } from "./words.ts";

/** The kill switch. It tightens, so it takes no lock and waits for nobody. */
export function freeze(administration: Administration): Capability {
  const { freezes } = administration;
  return administrative({
    verb: "freeze",
    summary: "Freeze a principal, a capability, an adapter or the tenant",
    risk: "low",
    input: freezeInput,
    output: z.object({ freeze: z.string(), inFlight: z.array(inFlight) }),
    preview: async (input, world) => {
      await demandKnown(administration, input, world);
      return freezing(input, await freezes.reach(world.tenant, input.kind, input.subject));
    },
    apply: async ({ kind, subject }, world) => {
      const id = idFrom("freeze", world);
      const begun = await freezes.freeze(world.tenant, { id, kind, subject, by: world.principal.id });
      return { freeze: id, inFlight: begun.map(told) };
    },
    undo: (_, output) => ({ capability: `${adapter}.thaw`, input: { freeze: output.freeze } }),
  });
}

const freezeInput = z.strictObject({
  kind: z.enum(freezeKinds),
  subject: z
    .string()
    .min(1)
    .max(255)
    .describe("the principal's id, the capability's or the adapter's name, or the tenant's own"),
  reason: reason.optional(),
});

const inFlight = z.object({
  call: z.string(),
  capability: z.string(),
  attempt: z.int(),
  at: z.iso.datetime().describe("when it was about to act"),
});

/** A freeze of a name that was mistyped would stop nothing, and its author would believe it did. */
async function demandKnown(
  administration: Administration,
  { kind, subject }: z.output<typeof freezeInput>,
  world: ExecutionContext,
): Promise<void> {
  const { people, contract, hasAdapter } = administration;
  const { tenant } = world;
  if (subject === adapter || subject.startsWith(`${adapter}.`))
    throw refused("never-frozen", "Administration is never frozen: who freezes must be able to thaw.");
  const known: Record<FreezeKind, () => Promise<boolean>> = {
    principal: async () => (await people.find(tenant, subject)) !== undefined,
    capability: async () => contract(tenant, subject) !== undefined,
    adapter: async () => hasAdapter(tenant, subject),
    tenant: async () => subject === tenant,
  };
  if (kind === "principal") await demandOtherAdministrator(administration, subject, world);
  if (!(await known[kind]())) throw refused("subject-unknown", `There is no ${kind} \`${subject}\` here.`);
}

/** Nothing about the world stands in the way of a freeze, so its basis never moves. */
function freezing({ kind, subject }: z.output<typeof freezeInput>, { open, inFlight }: Reach): Preview {
  const parked = `${counted(open, "open call")} would wait before acting, and nothing new would be accepted`;
  const begun =
    inFlight.length === 0 ? "nothing is acting now" : `${counted(inFlight.length, "call")} may be acting now`;
  return {
    changes: [
      {
        kind: "other",
        target: `${kind} ${subject}`,
        summary: `Frozen until it is thawed: ${parked}; ${begun}.`,
        details: { open, inFlight: inFlight.slice(0, mostShown).map(told) },
      },
    ],
    basis: null,
  };
}

const mostShown = 100;

function told({ at, ...begun }: InFlight) {
  return { ...begun, at: new Date(at).toISOString() };
}
