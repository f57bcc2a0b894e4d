import {
  type Bounds,
  type Capability,
  type Contract,
  type ExecutionContext,
  type Json,
  type JsonObject,
  milliseconds,
  type Preview,
  roles,
} from "@paraph/core";
import { z } from "zod";
import type { Administration } from "./administration.ts";
import { adapter, administrative, idFrom, refused } from "./administrative.ts";
import { boundsFrom, boundsInput, boundsInWords, demandArguments } from "./bounds.ts";
import { capabilityName, handle, principalId, reason } from "./names.ts";
import { listed } from "./words.ts";

/** For an emergency: one call passes with every demand for people and checks lifted. What policy forbids stays so. */
export function breakGlass(administration: Administration): Capability {
  const { grants } = administration;
  return administrative({
    verb: "break_glass",
    role: roles.breakGlass,
    summary: "Break the glass: let one call pass without anybody being asked",
    risk: "critical",
    input: glassInput,
    output: z.object({ grant: z.string(), expires: z.iso.datetime() }),
    preview: async (input, world) => breaking(await opening(administration, input, world), input, world),
    apply: async (input, world) => {
      const id = idFrom("grant", world);
      const { capability, principal, bounds } = await opening(administration, input, world);
      const { id: by, groups = [] } = world.principal;
      // Heard before it is usable: an alarm too many is better than one too few.
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
    undo: (_, output) => ({ capability: `${adapter}.grant_revoke`, input: { grant: output.grant } }),
  });
}

const glassInput = z
  .strictObject({
    call: handle.optional().describe("a call like this one, by the same principal"),
    capability: capabilityName.optional(),
    principal: principalId.optional().describe("whose call; that of who breaks the glass unless given"),
    bounds: boundsInput,
    minutes: z.int().min(1).max(15).default(15),
    reason,
  })
  .refine(({ call, capability }) => (call === undefined) !== (capability === undefined), {
    message: "name either a call or a capability",
  })
  .refine(({ call, principal, bounds }) => !call || (!principal && Object.keys(bounds).length === 0), {
    message: "a call has its principal and bounds already",
  });

type GlassInput = z.output<typeof glassInput>;

interface Opening {
  readonly capability: string;
  readonly principal: string;
  readonly bounds: Bounds;
  /** Arguments of the call that no bound holds. */
  readonly loose: readonly string[];
}

async function opening(
  { grants, people, contract }: Administration,
  input: GlassInput,
  { tenant, principal: asker }: ExecutionContext,
): Promise<Opening> {
  if (input.call !== undefined) {
    const like = await grants.callLike(tenant, input.call);
    if (!like) throw refused("call-unknown", `There is no call \`${input.call}\`.`);
    const { capability, principal } = like;
    return {
      capability,
      principal,
      ...boundsLike(like.input, openable(contract(tenant, capability), capability)),
    };
  }
  const { capability = "", principal = asker.id } = input;
  const bounds = boundsFrom(input.bounds);
  demandArguments(bounds, openable(contract(tenant, capability), capability));
  if (!(await people.find(tenant, principal)))
    throw refused("principal-unknown", `There is no principal \`${principal}\`.`);
  return { capability, principal, bounds, loose: [] };
}

/** Of administration only the thaw: with anything else, who broke the glass once could keep it broken. */
function openable(contract: Contract | undefined, name: string): Contract {
  if (!contract) throw refused("capability-unknown", `There is no capability \`${name}\` here.`);
  if (name.startsWith(`${adapter}.`) && name !== `${adapter}.thaw`)
    throw refused("not-openable", "Of administration, the glass can be broken for `admin.thaw` alone.");
  return contract;
}

/** What is sensitive or long stays where it can be erased: a grant is kept. It is told which arguments that leaves free. */
function boundsLike(input: Json, { sensitive }: Contract): Pick<Opening, "bounds" | "loose"> {
  const bounds: Record<string, { is: Json }> = {};
  const loose: string[] = [];
  const visit = (value: Json, path: string) => {
    if (isObject(value) && path.split(".").length <= deepest) {
      for (const [name, inner] of Object.entries(value)) visit(inner, path === "" ? name : `${path}.${name}`);
    } else if (isBindable(value) && !sensitive.includes(path)) bounds[path] = { is: value };
    else loose.push(path);
  };
  for (const [name, value] of Object.entries(isObject(input) ? input : {})) {
    if (name.includes(".")) loose.push(name);
    else visit(value, name);
  }
  return { bounds, loose };
}

const deepest = 4;
const longestBound = 200;

function isBindable(value: Json): boolean {
  return typeof value !== "object" ? String(value).length <= longestBound : value === null;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function breaking(
  { capability, principal, bounds, loose }: Opening,
  { minutes }: GlassInput,
  world: ExecutionContext,
): Preview {
  const free = loose.length > 0 ? ` Nothing bounds ${listed(loose)}.` : "";
  const summary =
    `EMERGENCY: within ${minutes} min, one call of \`${capability}\` by \`${principal}\` would pass with every approval and check ` +
    `lifted, ${boundsInWords(bounds)}.${free} \`${world.principal.id}\` answers for it.`;
  return { changes: [{ kind: "create", target: `grant for ${capability}`, summary }], basis: null };
}
