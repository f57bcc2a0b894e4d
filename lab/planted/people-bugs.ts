import { type Bug, http } from "./bug.ts";

/** Mutations of what people and auditors are shown. */
export const peopleBugs: readonly Bug[] = [...visibility()];

function visibility(): Bug[] {
  return [
    {
      name: "hide unapproved steps from auditors",
      file: "packages/server/src/http/sight.ts",
      find: ": isAuditor(reader);",
      replace: ": isAuditor(reader) && wasAsked;",
      caughtBy: http(
        "plans",
        "[TRUST 6] an auditor sees every step that ran without an approval request, whatever the requester marks",
      ),
    },
    {
      name: "show auditors every hidden step",
      file: "packages/server/src/http/sight.ts",
      find: "const wasAsked = lineage.some(({ approval }) => approval !== undefined);",
      replace:
        "const wasAsked = !isAuditor(reader) && lineage.some(({ approval }) => approval !== undefined);",
      caughtBy: http(
        "plans",
        "[TRUST 16] an auditor sees no sensitive field, and no hidden step that its approvers were asked about",
      ),
    },
  ];
}
