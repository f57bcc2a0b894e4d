import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { PrincipalView } from "../api/administration-views.ts";
import type { GuardView } from "../api/api-views.ts";
import type { PolicyView } from "../api/policy-views.ts";

/** A demand for more approvers than there are, and the command that adds one. */
export interface MissingApprovers {
  readonly message: string;
  readonly command: string;
}

/** Finds the demands that cannot be met, because the group or the tenant has too few people. */
export function findMissingApprovers(
  guards: readonly Partial<Pick<GuardView, "quorum" | "group">>[],
  people: readonly PrincipalView[],
): MissingApprovers[] {
  const found = guards.flatMap(({ quorum = 0, group }) => {
    const able = people.filter(({ groups }) => group === undefined || groups.includes(group)).length;
    if (able >= quorum) return [];
    return [
      group === undefined
        ? {
            message: `there ${able === 1 ? "is 1 person" : `are ${able} people`}, but ${quorum} must approve`,
            command: "paraph invite PERSON",
          }
        : {
            message: `the group ${escapeInvisible(group)} has ${able} member${able === 1 ? "" : "s"}, but ${quorum} must approve`,
            command: `paraph groups add ${escapeInvisible(group)} PERSON`,
          },
    ];
  });
  // Several policies may demand the same people.
  return [...new Map(found.map((one) => [one.message, one])).values()];
}

/**
 * Finds the policies whose calls no set of people can approve. It leaves out the presets, because most tenants never
 * use the capabilities for which a preset demands two people.
 */
export function findUnapprovablePolicies(
  { policies }: Pick<PolicyView, "policies">,
  people: readonly PrincipalView[],
): MissingApprovers[] {
  return policies
    .filter(({ file, shadow }) => !shadow && !file.startsWith("presets/"))
    .flatMap((policy) =>
      findMissingApprovers([policy], people).map(({ message, command }) => ({
        message: `${formatPlace(policy)}: ${message}`,
        command,
      })),
    );
}

/** Names a policy as its author does: a rule by its index in the configuration, another policy by its id and file. */
function formatPlace({ id, file, line }: PolicyView["policies"][number]): string {
  const [, number] = (file === "rules" && /^rule-(\d+)-/.exec(id)) || [];
  return number === undefined
    ? `${escapeInvisible(file)}:${line}: ${escapeInvisible(id)}`
    : `rules[${Number(number) - 1}]`;
}

const maxNames = 5;

/**
 * Returns a text that names the people who could approve something but whom no channel reaches. Returns undefined if
 * there are none, or if the server has no channel.
 */
export function describeUnreachablePeople(
  { policies }: Pick<PolicyView, "policies">,
  people: readonly PrincipalView[],
): string | undefined {
  const asking = policies.filter(
    ({ file, shadow, quorum = 0 }) => !shadow && !file.startsWith("presets/") && quorum > 0,
  );
  // The presets ask everyone.
  const asksAll = asking.length === 0 || asking.some(({ group }) => group === undefined);
  const isAsked = (groups: readonly string[]) =>
    asksAll || asking.some(({ group }) => group !== undefined && groups.includes(group));
  const found = people.filter(({ groups, channels }) => channels?.length === 0 && isAsked(groups));
  if (found.length === 0) return undefined;
  const names = found.slice(0, maxNames).map(({ id }) => escapeInvisible(id));
  const rest = found.length - names.length;
  const listed = `${names.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  return `no channel reaches ${found.length} of the people who can approve: ${listed}`;
}
