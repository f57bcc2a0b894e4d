import {
  type Capability,
  type ExecutionContext,
  type FreezeKind,
  freezeKinds,
  type Preview,
} from "@paraph/core";
import { z } from "zod";
import type { Administration, FreezeImpact, InFlightCall } from "../administration.ts";
import {
  adminPrefix,
  createRefusal,
  defineAdminCapability,
  toCreatedId,
} from "../define-admin-capability.ts";
import { formatFreezeSubject, pluralize } from "../format.ts";
import { requireOtherAdministrator } from "../identity/principal-disable.ts";
import { reasonInput } from "../input-schemas.ts";

/** Creates `admin.freeze`, the kill switch. It only tightens access, so it takes no lock and needs no approval. */
export function createFreezeCapability(administration: Administration): Capability {
  const { freezes } = administration;
  return defineAdminCapability({
    verb: "freeze",
    summary: "Freeze a principal, a capability, an adapter or the tenant",
    risk: "low",
    input: freezeInput,
    output: z.object({ freeze: z.string(), inFlight: z.array(inFlightSchema) }),
    preview: async (input, world) => {
      await requireKnownSubject(administration, input, world);
      return buildFreezePreview(input, await freezes.findImpact(world.tenant, input.kind, input.subject));
    },
    headline: ({ kind, subject }) => `Freeze ${formatFreezeSubject(kind, subject)}`,
    apply: async ({ kind, subject }, world) => {
      const id = toCreatedId("freeze", world);
      const begun = await freezes.freeze(world.tenant, { id, kind, subject, by: world.principal.id });
      return { freeze: id, inFlight: begun.map(formatInFlight) };
    },
    undo: (_, output) => ({ capability: `${adminPrefix}.thaw`, input: { freeze: output.freeze } }),
  });
}

const freezeInput = z.strictObject({
  kind: z.enum(freezeKinds),
  subject: z
    .string()
    .min(1)
    .max(255)
    .describe("id of the principal or tenant, or name of the capability or adapter"),
  reason: reasonInput.optional(),
});

const inFlightSchema = z.object({
  call: z.string(),
  capability: z.string(),
  attempt: z.int(),
  at: z.iso.datetime().describe("time of the attempt's intent"),
});

/**
 * Rejects an unknown subject. A freeze of a mistyped name would stop nothing, and the requester would believe that it
 * works.
 */
async function requireKnownSubject(
  administration: Administration,
  { kind, subject }: z.output<typeof freezeInput>,
  context: ExecutionContext,
): Promise<void> {
  const { people, contract, hasAdapter } = administration;
  const { tenant } = context;
  if (subject === adminPrefix || subject.startsWith(`${adminPrefix}.`))
    throw createRefusal(
      "never-frozen",
      "Administrative capabilities can't be frozen, because a thaw needs them. Freeze a principal or another capability.",
    );
  const known: Record<FreezeKind, () => Promise<boolean>> = {
    principal: async () => (await people.find(tenant, subject)) !== undefined,
    capability: async () => contract(tenant, subject) !== undefined,
    adapter: async () => hasAdapter(tenant, subject),
    tenant: async () => subject === tenant,
  };
  if (kind === "principal") await requireOtherAdministrator(administration, subject, context);
  if (!(await known[kind]()))
    throw createRefusal("subject-unknown", `There is no ${kind} \`${subject}\` here.`);
}

/** Builds the preview. Its basis is constant, because no other change can invalidate a freeze. */
function buildFreezePreview(
  { kind, subject }: z.output<typeof freezeInput>,
  { held, agents, inFlight }: FreezeImpact,
): Preview {
  const stopped = kind === "tenant" ? `Every agent and service would stop (${agents} in all). ` : "";
  const waiting = `${pluralize(held, "open call")} would wait, and Paraph would accept no new ones`;
  const begun =
    inFlight.length === 0
      ? "No call is acting now"
      : `${pluralize(inFlight.length, "call")} may be acting now`;
  return {
    changes: [
      {
        kind: "other",
        target: formatFreezeSubject(kind, subject),
        summary: `Frozen until an administrator thaws it. ${stopped}${waiting}. ${begun}.`,
        details: { held, agents, inFlight: inFlight.slice(0, maxShownCalls).map(formatInFlight) },
      },
    ],
    basis: null,
  };
}

const maxShownCalls = 100;

function formatInFlight({ at, ...begun }: InFlightCall) {
  return { ...begun, at: new Date(at).toISOString() };
}
