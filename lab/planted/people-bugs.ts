import { type Bug, http } from "./bug.ts";

const asked = (title: string) => ({ file: "packages/cli/src/questions.test.ts", title });

/** Mutations of what people and auditors are shown. */
export const peopleBugs: readonly Bug[] = [...visibility(), ...questions()];

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

function questions(): Bug[] {
  const found = "[D4] [TRUST 6] an approver is shown what the checks found: API, command line and page";
  return [
    {
      name: "keep check findings from the command line",
      file: "packages/cli/src/render/approval.ts",
      find: "...checksLines(round.checks, paint),",
      replace: "...checksLines([], paint),",
      caughtBy: asked(found),
    },
    {
      name: "show check findings unmasked",
      file: "packages/server/src/http/views.ts",
      find: "checks: checksOf(shown).map(",
      replace: "checks: (call.payloads.checks?.value as unknown as Checked).results.map(",
      caughtBy: asked(found),
    },
  ];
}
