import type { GroupView } from "../../lib/api/administration-views.ts";
import { fetchAllPages } from "../../lib/api/fetch-all-pages.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { formatTable } from "../../lib/terminal/table.ts";
import { type AdminCallOptions, runAdminCall } from "./admin-call.ts";

export async function showGroups(context: Context): Promise<ExitCode> {
  const { output } = context;
  const found = await fetchAllPages<"groups", GroupView>(context, "/v1/groups", "groups");
  if (context.json) output.json(found);
  else if (found.groups.length === 0) output.info("There are no groups.");
  else
    output.data(
      formatTable<GroupView>(
        [
          { title: "GROUP", text: ({ group }) => group },
          { title: "MEMBERS", text: ({ members }) => members.join(", "), flexible: true },
        ],
        found.groups,
        output.paint,
      ),
    );
  return exitCode.ok;
}

export function changeGroup(
  context: Context,
  verb: "add" | "remove",
  group: string,
  who: readonly string[],
  options: AdminCallOptions,
): Promise<ExitCode> {
  const input = { group, [verb]: [...who] };
  return runAdminCall<GroupChange>(context, "group_change", input, options, (changed) => ({
    sentence: formatGroupChange(group, changed),
  }));
}

interface GroupChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

function formatGroupChange(group: string, { added, removed }: GroupChange): string {
  if (added.length + removed.length === 0) return `${group} did not change.`;
  return added.length > 0 ? `${added.join(", ")} joined ${group}.` : `${removed.join(", ")} left ${group}.`;
}
