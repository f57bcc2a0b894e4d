import {
  type Bounds,
  type Capability,
  type Contract,
  type ExecutionContext,
  isJsonObject,
  type Json,
  maskText,
  milliseconds,
  type Preview,
  roles,
} from "@paraph/core";
import { z } from "zod";
import type { Administration } from "../administration.ts";
import {
  adminPrefix,
  createRefusal,
  defineAdminCapability,
  toCreatedId,
} from "../define-admin-capability.ts";
import { formatParts } from "../format.ts";
import { capabilityNameInput, principalIdInput, reasonInput, recordIdInput } from "../input-schemas.ts";
import { boundsInput, describeBounds, requireKnownArguments, toBounds } from "./bounds.ts";

/**
 * Creates `admin.break_glass`, for an emergency. It exempts one call from all required approvals and checks. A call
 * that policy forbids stays forbidden.
 */
export function createBreakGlassCapability(administration: Administration): Capability {
  const { grants } = administration;
  return defineAdminCapability({
    verb: "break_glass",
    role: roles.breakGlass,
    summary: "Create an emergency grant for one call, without approvals and checks",
    risk: "critical",
    input: breakGlassInput,
    output: z.object({ grant: z.string(), expires: z.iso.datetime() }),
    preview: async (input, world) =>
      buildBreakGlassPreview(await resolveTarget(administration, input, world), input, world),
    apply: async (input, world) => {
      const id = toCreatedId("grant", world);
      const { capability, principal, bounds } = await resolveTarget(administration, input, world);
      const { id: by, groups = [] } = world.principal;
      // The alarm precedes the grant, because a superfluous alarm is better than a missing one.
      grants.alarm({ tenant: world.tenant, call: world.call });
      const { expiresAt } = await grants.create(
        world.tenant,
        {
          id,
          capability,
          principal,
          bounds,
          count: 1,
          destroy: true,
          breakGlass: true,
          people: [{ by, groups }, ...world.approvers.filter((other) => other.by !== by)],
          lastsMs: milliseconds(`${input.minutes}m`),
        },
        by,
      );
      return { grant: id, expires: new Date(expiresAt).toISOString() };
    },
    undo: (_, output) => ({ capability: `${adminPrefix}.grant_revoke`, input: { grant: output.grant } }),
  });
}

const breakGlassInput = z
  .strictObject({
    call: recordIdInput
      .optional()
      .describe("existing call; the grant covers one call like it, by the same principal"),
    capability: capabilityNameInput.optional(),
    principal: principalIdInput
      .optional()
      .describe("principal whose call the grant covers (default: the requester)"),
    bounds: boundsInput,
    minutes: z.int().min(1).max(15).default(15),
    reason: reasonInput,
  })
  .refine(({ call, capability }) => (call === undefined) !== (capability === undefined), {
    message: "name either a call or a capability",
  })
  .refine(({ call, principal, bounds }) => !call || (!principal && Object.keys(bounds).length === 0), {
    message: "with `call`, leave out `principal` and `bounds`",
  });

type BreakGlassInput = z.output<typeof breakGlassInput>;

interface BreakGlassTarget {
  readonly capability: string;
  readonly principal: string;
  readonly bounds: Bounds;
  /** The arguments that the grant does not bound. */
  readonly loose: readonly string[];
}

async function resolveTarget(
  { grants, people, contract }: Administration,
  input: BreakGlassInput,
  { tenant, principal: asker }: ExecutionContext,
): Promise<BreakGlassTarget> {
  if (input.call !== undefined) {
    const like = await grants.findCall(tenant, input.call);
    if (!like) throw createRefusal("call-unknown", `There is no call \`${input.call}\`.`);
    const { capability, principal, shown } = like;
    requireOpenable(contract(tenant, capability), capability);
    // Without its input, the grant would cover any call of the capability.
    if (shown === maskText)
      throw createRefusal(
        "call-hidden",
        `Not everyone may see the input of \`${input.call}\`, so the grant cannot name it. Set \`capability\`, \`principal\` and \`bounds\` instead of \`call\`.`,
      );
    return { capability, principal, ...deriveBounds(shown) };
  }
  const { capability = "", principal = asker.id } = input;
  const bounds = toBounds(input.bounds);
  requireKnownArguments(bounds, requireOpenable(contract(tenant, capability), capability));
  if (!(await people.find(tenant, principal)))
    throw createRefusal("principal-unknown", `There is no principal \`${principal}\`.`);
  return { capability, principal, bounds, loose: [] };
}

/**
 * Rejects every administrative capability except `admin.thaw`. With any other one, a person who used break-glass once
 * could extend their emergency access indefinitely.
 */
function requireOpenable(contract: Contract | undefined, name: string): Contract {
  if (!contract)
    throw createRefusal(
      "capability-unknown",
      `There is no capability \`${name}\` here. \`paraph capabilities\` lists the available ones.`,
    );
  if (name.startsWith(`${adminPrefix}.`) && name !== `${adminPrefix}.thaw`)
    throw createRefusal(
      "not-openable",
      "Break-glass covers no administrative capability except `admin.thaw`.",
    );
  return contract;
}

/**
 * Derives bounds from a call's input. Paraph keeps a grant permanently but can erase an input, so the bounds contain no
 * masked or long values. `loose` lists the arguments that have no bound.
 */
function deriveBounds(input: Json): Pick<BreakGlassTarget, "bounds" | "loose"> {
  const bounds: Record<string, { is: Json }> = {};
  const loose: string[] = [];
  const visit = (value: Json, path: string) => {
    if (isJsonObject(value) && path.split(".").length <= maxBoundDepth) {
      for (const [name, inner] of Object.entries(value)) visit(inner, path === "" ? name : `${path}.${name}`);
    } else if (canBeBound(value)) bounds[path] = { is: value };
    else loose.push(path);
  };
  for (const [name, value] of Object.entries(isJsonObject(input) ? input : {})) {
    if (name.includes(".")) loose.push(name);
    else visit(value, name);
  }
  return { bounds, loose };
}

const maxBoundDepth = 4;
const maxBoundLength = 200;

function canBeBound(value: Json): boolean {
  if (typeof value === "object") return value === null;
  return String(value).length <= maxBoundLength && !String(value).includes(maskText);
}

function buildBreakGlassPreview(
  { capability, principal, bounds, loose }: BreakGlassTarget,
  { minutes }: BreakGlassInput,
  context: ExecutionContext,
): Preview {
  const free = loose.length > 0 ? ` Without a bound: ${formatParts(loose)}.` : "";
  const summary =
    `EMERGENCY: within ${minutes} min, one call of ${capability} by "${principal}" would need no approvals ` +
    `and no checks, ${describeBounds(bounds)}.${free} Responsible: ${context.principal.id}.`;
  return { changes: [{ kind: "create", target: `grant for ${capability}`, summary }], basis: null };
}
