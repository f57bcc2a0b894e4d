import { type Capability, type ExecutionContext, type Json, type Preview, roles } from "@paraph/core";
import { z } from "zod";
import type { Administration, GroupMember } from "../administration.ts";
import { adminPrefix, createRefusal, defineAdminCapability } from "../define-admin-capability.ts";
import { formatList, formatNames, pluralize } from "../format.ts";
import { groupNameInput, principalIdInput } from "../input-schemas.ts";

/**
 * Creates `admin.group_change`. A lock allows one change of a group at a time, so that each change applies to the
 * previewed members.
 */
export function createGroupChangeCapability(administration: Administration): Capability {
  const { people } = administration;
  return defineAdminCapability({
    verb: "group_change",
    summary: "Add members to a group or remove them",
    risk: "high",
    input: groupInput,
    output: z.object({ added: z.array(z.string()), removed: z.array(z.string()) }),
    locks: ({ group }) => [`${adminPrefix}:group:${group}`],
    preview: (input, world) => buildGroupPreview(administration, input, world),
    // New members are added first, so that the group is never empty in between.
    apply: async ({ group, add, remove }, { tenant, basis }) => {
      for (const id of add) await people.addToGroup(tenant, group, id);
      for (const id of remove) await people.removeFromGroup(tenant, group, id);
      const before = readMembers(basis);
      return {
        added: add.filter((id) => !before.includes(id)),
        removed: remove.filter((id) => before.includes(id)),
      };
    },
    undo: ({ group }, { added, removed }) =>
      added.length + removed.length === 0
        ? undefined
        : { capability: `${adminPrefix}.group_change`, input: { group, add: removed, remove: added } },
  });
}

const principalIds = z
  .array(principalIdInput)
  .max(100)
  .default([])
  .refine((ids) => new Set(ids).size === ids.length, "list each principal only once");

const groupInput = z
  .strictObject({ group: groupNameInput, add: principalIds, remove: principalIds })
  .refine(({ add, remove }) => add.length + remove.length > 0, "name at least one principal to add or remove")
  .refine(
    ({ add, remove }) => !add.some((id) => remove.includes(id)),
    "a principal can't be in both `add` and `remove`",
  );

type GroupInput = z.output<typeof groupInput>;

async function buildGroupPreview(
  { people }: Administration,
  { group, add, remove }: GroupInput,
  { tenant, principal }: ExecutionContext,
): Promise<Preview> {
  const members = await people.listMembers(tenant, group);
  const joining = await Promise.all(add.map(async (id) => (await people.find(tenant, id)) ?? id));
  const unknown = joining.filter((found) => typeof found === "string");
  if (unknown.length > 0)
    throw createRefusal("principal-unknown", `There is no principal ${formatList(unknown)}.`);

  const after = [
    ...members,
    ...(joining as GroupMember[]).filter((one) => !hasMember(members, one.id)),
  ].filter(({ id }) => !remove.includes(id));
  requireFittingMembers(group, after);
  if (group === roles.admins) await requireSignedInAdmin(people, tenant, after);
  const [before, now] = [listIds(members), listIds(after)];
  const added = now.filter((id) => !before.includes(id));
  const removed = before.filter((id) => !now.includes(id));
  const sentences = [
    added.length > 0 ? `${formatNames(added)} would join` : "",
    removed.length > 0 ? `${formatNames(removed)} would leave` : "",
    added.length + removed.length === 0 ? "Unchanged" : "",
  ].filter(Boolean);
  const own = added.includes(principal.id) ? " The requester would become a member." : "";
  return {
    changes: [
      {
        kind: "update",
        target: `group ${group}`,
        summary: `${sentences.join("; ")} (${pluralize(before.length, "member")} before, ${now.length} after).${own}${describeGroup(group)}`,
        details: { before, after: now },
      },
    ],
    basis: { members: before },
  };
}

/**
 * Rejects a principal that is not a person in the administrators' group or the break-glass group, because only people
 * can use these roles. Also rejects an empty administrators' group, because no person could then appoint an
 * administrator.
 */
function requireFittingMembers(group: string, after: readonly GroupMember[]): void {
  if (group !== roles.admins && group !== roles.breakGlass) return;
  const other = after.filter(({ kind }) => kind !== "person").map(({ id }) => id);
  if (other.length > 0)
    throw createRefusal(
      "not-a-person",
      `Only people can be in \`${group}\`. Leave out principals that are not people: ${formatList(other)}.`,
    );
  if (group === roles.admins && after.length === 0)
    throw createRefusal(
      "last-administrator",
      `\`${group}\` would be empty. Add another administrator first.`,
    );
}

/**
 * Rejects a change that leaves only administrators who have never signed in. If they never sign in, no person can
 * administer the tenant.
 */
async function requireSignedInAdmin(
  people: Administration["people"],
  tenant: string,
  after: readonly GroupMember[],
): Promise<void> {
  const present = await Promise.all(after.map(({ id }) => people.hasSignedIn(tenant, id)));
  if (present.some(Boolean)) return;
  throw createRefusal(
    "last-administrator",
    `\`${roles.admins}\` would have no member who has ever signed in. One of ${formatList(listIds(after))} must sign in first.`,
  );
}

function describeGroup(group: string): string {
  switch (group) {
    case roles.admins:
      return " Its members manage people, keys, groups, grants and policy.";
    case roles.auditors:
      return " Its members read everything.";
    case roles.breakGlass:
      return " Its members may use break-glass, which lets one call pass without approval.";
    default:
      return "";
  }
}

function hasMember(members: readonly GroupMember[], id: string): boolean {
  return members.some((member) => member.id === id);
}

function listIds(members: readonly GroupMember[]): string[] {
  return members.map(({ id }) => id).sort();
}

/**
 * Reads the members from the basis instead of the rows. If an attempt is repeated, the rows already contain its
 * changes, but the attempt must still report them.
 */
function readMembers(basis: Json | undefined): readonly string[] {
  return (basis as { members?: string[] } | undefined)?.members ?? [];
}
