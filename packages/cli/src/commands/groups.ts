import { type AdministerOptions, administer } from "../administer.ts";
import type { Group } from "../administration-views.ts";
import type { Context } from "../context.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { table } from "../table.ts";
import { wholeList } from "../whole-list.ts";

export async function groups(context: Context): Promise<ExitCode> {
  const { output } = context;
  const found = await wholeList<"groups", Group>(context, "/v1/groups", "groups");
  if (context.json) output.json(found);
  else if (found.groups.length === 0) output.say("There are no groups.");
  else
    output.data(
      table<Group>(
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
  options: AdministerOptions,
): Promise<ExitCode> {
  const input = { group, [verb]: [...who] };
  return administer<Changed>(context, "group_change", input, options, (changed) => ({
    sentence: changedText(group, changed),
  }));
}

interface Changed {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

function changedText(group: string, { added, removed }: Changed): string {
  if (added.length + removed.length === 0) return `${group} was so already.`;
  return added.length > 0 ? `${added.join(", ")} joined ${group}.` : `${removed.join(", ")} left ${group}.`;
}
