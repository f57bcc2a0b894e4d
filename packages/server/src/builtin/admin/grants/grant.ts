import {
  type Capability,
  type Contract,
  type Duration,
  type ExecutionContext,
  type Grant,
  milliseconds,
  type Preview,
} from "@paraph/core";
import { z } from "zod";
import type { Administration } from "../administration.ts";
import {
  adminPrefix,
  createRefusal,
  defineAdminCapability,
  toCreatedId,
} from "../define-admin-capability.ts";
import { formatMinutes, pluralize } from "../format.ts";
import { capabilityNameInput, principalIdInput } from "../input-schemas.ts";
import { boundsInput, describeBounds, requireKnownArguments, toBounds } from "./bounds.ts";

/**
 * [TRUST 15] Creates `admin.grant`. A grant is an advance approval by people other than the requester. Every grant is
 * limited to one capability, a number of calls, a duration and the given bounds.
 */
export function createGrantCapability(administration: Administration): Capability {
  const { grants } = administration;
  return defineAdminCapability({
    verb: "grant",
    summary: "Approve calls of one capability in advance, within bounds",
    risk: "high",
    input: grantInput,
    output: z.object({ grant: z.string(), expires: z.iso.datetime() }),
    preview: async (input, world) => {
      await requireSensibleGrant(administration, input, world);
      return buildGrantPreview(input);
    },
    apply: async (input, world) => {
      const id = toCreatedId("grant", world);
      const { capability, principal, count, amount, destroy } = input;
      const { expiresAt } = await grants.create(
        world.tenant,
        {
          id,
          capability,
          count,
          bounds: toBounds(input.bounds),
          ...(principal !== undefined && { principal }),
          ...(amount !== undefined && { amount }),
          ...(destroy && { destroy }),
          people: await listGranters(administration, world),
          lastsMs: milliseconds(input.expires as Duration),
        },
        world.principal.id,
      );
      return { grant: id, expires: new Date(expiresAt).toISOString() };
    },
    undo: (_, output) => ({ capability: `${adminPrefix}.grant_revoke`, input: { grant: output.grant } }),
  });
}

const maxGrantMs = milliseconds("8h");

const grantInput = z.strictObject({
  capability: capabilityNameInput,
  principal: principalIdInput
    .optional()
    .describe("principal whose calls the grant covers (default: every principal of the tenant)"),
  bounds: boundsInput,
  count: z.int().min(1).max(10_000).describe("number of calls"),
  amount: z.int().min(0).optional().describe("total amount of money, in minor units"),
  expires: z
    .string()
    .regex(/^\d{1,3}[mh]$/, "expected a duration, such as `30m` or `2h`")
    .refine(
      (text) => isAllowedLifetime(milliseconds(text as Duration)),
      "expected more than 0 and at most 8h",
    )
    .default("1h")
    .describe("how long the grant lasts, from its creation"),
  destroy: z.boolean().default(false).describe("required if the effect of the capability is `destroy`"),
});

type GrantInput = z.output<typeof grantInput>;

function isAllowedLifetime(ms: number): boolean {
  return ms > 0 && ms <= maxGrantMs;
}

async function requireSensibleGrant(
  { people, contract }: Administration,
  input: GrantInput,
  { tenant, principal: asker }: ExecutionContext,
): Promise<void> {
  const { capability, principal, bounds, destroy } = input;
  const found = requireGrantable(contract(tenant, capability), capability);
  if (found.effect === "destroy" && !destroy)
    throw createRefusal(
      "destroys",
      `\`${capability}\` has the effect \`destroy\`. To grant it, set \`destroy\` to \`true\`.`,
    );
  requireKnownArguments(toBounds(bounds), found);
  if (principal !== undefined && !(await people.find(tenant, principal)))
    throw createRefusal("principal-unknown", `There is no principal \`${principal}\`.`);
  if (!(await people.hasOther(tenant, [asker.id])))
    throw createRefusal(
      "no-other-approver",
      "A grant needs the approval of another person, and this tenant has none. Invite one first (`admin.invite`).",
    );
}

/**
 * Rejects administrative capabilities, which need approval each time. A grant for them would let its holder obtain any
 * permission.
 */
function requireGrantable(contract: Contract | undefined, name: string): Contract {
  if (!contract)
    throw createRefusal(
      "capability-unknown",
      `There is no capability \`${name}\` here. \`paraph capabilities\` lists the available ones.`,
    );
  if (name.startsWith(`${adminPrefix}.`))
    throw createRefusal(
      "not-grantable",
      "Administrative calls need approval each time, so a grant can't cover them.",
    );
  return contract;
}

/**
 * Returns the approvers other than the requester. The result includes their groups, because some guards require an
 * approver from a certain group.
 */
async function listGranters({ people }: Administration, context: ExecutionContext): Promise<Grant["people"]> {
  const others = context.approvers.map(({ by }) => by).filter((by) => by !== context.principal.id);
  if (others.length === 0)
    throw createRefusal("not-approved", "A grant needs the approval of a person other than the requester.");
  return Promise.all(
    [...new Set(others)].map(async (by) => ({
      by,
      groups: [...((await people.find(context.tenant, by))?.groups ?? [])],
    })),
  );
}

/** Describes in plain words which calls would no longer need approval. */
function buildGrantPreview(input: GrantInput): Preview {
  const { capability, principal, count, amount, expires, destroy } = input;
  const whose = principal === undefined ? "by any principal" : `by "${principal}"`;
  const money = amount === undefined ? "" : `, up to ${amount} minor units in all,`;
  const lasts = formatMinutes(milliseconds(expires as Duration));
  const calls = `${pluralize(count, "call")} of ${capability} ${whose}${money}`;
  const summary = `For ${lasts}, ${calls} would need no approval, ${describeBounds(toBounds(input.bounds))}.${destroy ? " This includes destructive calls." : ""}`;
  return { changes: [{ kind: "create", target: `grant for ${capability}`, summary }], basis: null };
}
