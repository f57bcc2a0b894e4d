import { corePath, httpTest, type Mutation, webTest } from "../mutation.ts";

const questionsTest = (title: string) => ({
  file: "packages/cli/src/commands/approvals/questions.test.ts",
  title,
});

const tomlTestFile = "packages/cli/src/lib/file-edits/toml-tree.test.ts";

/** Mutations of the data that people and auditors see. */
export const peopleMutations: readonly Mutation[] = [
  ...listVisibilityMutations(),
  ...listQuestionMutations(),
  ...listParserMutations(),
  ...listInstallMutations(),
];

function listVisibilityMutations(): Mutation[] {
  const glassTest = {
    file: "packages/server/src/builtin/admin/grants/grant.test.ts",
    title: "[TRUST 16] for a waiting call, neither shows nor stores what a person of the tenant may not see",
  };
  return [
    {
      name: "name masked values in a grant",
      file: "packages/server/src/services/administration.ts",
      find: "(await maskForReader(anyPerson(tenant), found, lookups)).payloads.input;",
      replace:
        "(await maskForReader({ ...anyPerson(tenant), id: found.principal.id }, found, lookups)).payloads.input;",
      caughtBy: glassTest,
    },
    {
      name: "grant any call in place of a hidden one",
      file: "packages/server/src/builtin/admin/grants/break-glass.ts",
      find: "if (shown === maskText)",
      replace: "if (shown === like.capability)",
      caughtBy: glassTest,
    },
    {
      name: "hide unapproved steps from auditors",
      file: "packages/server/src/visibility/field-visibility.ts",
      find: ": isAuditor(reader);",
      replace: ": isAuditor(reader) && wasAsked;",
      caughtBy: httpTest(
        "plans",
        "[TRUST 6] an auditor sees every step that ran without an approval request, whatever the requester marks",
      ),
    },
    {
      name: "show auditors every hidden step",
      file: "packages/server/src/visibility/field-visibility.ts",
      find: "const wasAsked = lineage.some(({ approval }) => approval !== undefined);",
      replace:
        "const wasAsked = !isAuditor(reader) && lineage.some(({ approval }) => approval !== undefined);",
      caughtBy: httpTest(
        "plans",
        "[TRUST 16] an auditor sees no sensitive field, and no hidden step that its approvers were asked about",
      ),
    },
  ];
}

function listQuestionMutations(): Mutation[] {
  const found =
    "[TRUST 6] the API, the command line and the page show an approver check results with sensitive values masked";
  return [
    {
      name: "keep check findings from the command line",
      file: "packages/cli/src/lib/render/approval.ts",
      find: "...formatChecks(round.checks, paint),",
      replace: "...formatChecks([], paint),",
      caughtBy: questionsTest(found),
    },
    {
      name: "show check findings unmasked",
      file: "packages/server/src/http/views/call-view.ts",
      find: "checks: readChecks(payloads).map(",
      replace: "checks: (call.payloads.checks?.value as unknown as Checked).results.map(",
      caughtBy: questionsTest(found),
    },
    {
      name: "keep the policy's sentence from a blocked call",
      file: "packages/cli/src/lib/render/call.ts",
      find: "if (call.refusal) output.info(indentText(formatRefusal(call.refusal), paint));",
      replace: "",
      caughtBy: questionsTest(
        "a blocked call reports its policy and sentence in `call`, `show` and the API, and the next command in `call`",
      ),
    },
    {
      name: "list every capability to everyone",
      file: "packages/server/src/http/routes/capabilities.ts",
      find: "const all = service.listAllowedCapabilities(caller.principal);",
      replace: "const all = service.capabilities(caller.principal);",
      caughtBy: questionsTest(
        "[TRUST 9] the API, the SDK and the command line list a capability only to principals who may request it",
      ),
    },
    {
      name: "list disabled people as active",
      file: "packages/server/src/http/routes/people.ts",
      find: "...(disabledAt !== undefined && { disabledAt: toIso(disabledAt) }),",
      replace: "",
      caughtBy: {
        file: "test/invite.test.ts",
        title: "[TRUST 33] the list of principals shows which ones are disabled",
      },
    },
    {
      name: "keep check findings from a bundle",
      file: "packages/server/src/web/pages/bundle-page.ts",
      find: "page.checks.length > 0 && renderChecks(page.checks)",
      replace: "page.checks.length < 0 && renderChecks(page.checks)",
      caughtBy: {
        file: "packages/server/src/web/pages/bundle-page.test.ts",
        title:
          "[TRUST 6] shows check findings and effects that remain after an undo, as the page of one approval does",
      },
    },
    {
      name: "name no effect that an undo leaves",
      file: "packages/server/src/http/views/not-undone.ts",
      find: "if (!undone) return [];",
      replace: "if (!undone || undone.outcome) return [];",
      caughtBy: webTest(
        "undo-question",
        "[TRUST 6] the approval of an undo names every effect that remains, and why",
      ),
    },
    {
      name: "ignore what an edit left out of an undo",
      file: corePath("plan/not-undone.ts"),
      find: "if (isUndone || !isOffered(child))",
      replace: "if (isUndone || child.undo !== undefined || !isOffered(child))",
      caughtBy: webTest(
        "undo-question",
        "the approval of an edited undo names the step that the edit left out",
      ),
    },
    {
      name: "keep what an undo leaves from the command line",
      file: "packages/cli/src/lib/render/approval.ts",
      find: "...formatNotUndone(round.notUndone, paint),",
      replace: "...formatNotUndone([], paint),",
      caughtBy: questionsTest(
        "[TRUST 6] the command line shows the approver of an undo which effects remain, and why",
      ),
    },
  ];
}

function listParserMutations(): Mutation[] {
  return [
    {
      name: "take every character for narrow",
      file: "packages/cli/src/lib/terminal/width.ts",
      find: "eastAsianWidth(character.codePointAt(0)!)",
      replace: "Math.min(eastAsianWidth(character.charCodeAt(0)), 2)",
      caughtBy: {
        file: "packages/cli/src/lib/terminal/table.test.ts",
        title: "[TRUST 5] counts two columns for every wide character, so that the terminal wraps no line",
      },
    },
    {
      name: "edit TOML that other readers refuse",
      file: "packages/cli/src/lib/file-edits/toml-tree.ts",
      find: 'tomlVersion: "1.0"',
      replace: 'tomlVersion: "1.1"',
      caughtBy: { file: tomlTestFile, title: "[TRUST 31] invalid inline" },
    },
    {
      name: "misplace a value at the end of TOML",
      file: "packages/cli/src/lib/file-edits/toml-tree.ts",
      find: '.slice(from)}\\n`, { tomlVersion: "1.0"',
      replace: '.slice(from)}`, { tomlVersion: "1.0"',
      caughtBy: { file: tomlTestFile, title: "the position of 0 at the end of the text" },
    },
    {
      name: "collect a sent event of any length",
      file: "packages/sdk/src/server-sent-events.ts",
      find: "createParser({ maxBufferSize, onEvent",
      replace: "createParser({ maxBufferSize: maxBufferSize * 8, onEvent",
      caughtBy: {
        file: "packages/sdk/src/server-sent-events.test.ts",
        title: "[TRUST 29] gives up on an event without an end",
      },
    },
    {
      name: "decode each piece of a stream by itself",
      file: "packages/sdk/src/events.ts",
      find: "new TextDecoderStream()",
      replace:
        "new TransformStream({ transform: (piece, out) => out.enqueue(new TextDecoder().decode(piece)) })",
      caughtBy: {
        file: "packages/sdk/src/events.test.ts",
        title: "reads characters that arrive in two pieces",
      },
    },
  ];
}

function listInstallMutations(): Mutation[] {
  return [
    {
      name: "bring a dependency with an install script",
      file: "package-lock.json",
      find: '"node_modules/@restatedev/restate-server-linux-x64": {',
      replace: '"node_modules/@restatedev/restate-server-linux-x64": {\n      "hasInstallScript": true,',
      caughtBy: {
        file: "test/install-scripts.test.ts",
        title: "[TRUST 23] a user's install contains no install script except that of PostgreSQL's binaries",
      },
    },
  ];
}
