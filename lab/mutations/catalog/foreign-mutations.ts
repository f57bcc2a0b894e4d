import type { Mutation } from "../mutation.ts";

const adapterPath = (path: string) => `packages/adapters/src/${path}`;

/** Mutations that let foreign data decide: repositories, hosts, responses and SQL statements. */
export const foreignMutations: readonly Mutation[] = [
  ...listRepositoryMutations(),
  ...listCredentialMutations(),
  ...listVerdictMutations(),
  ...listStatementMutations(),
  ...listProgramMutations(),
  ...listHangMutations(),
];

function listRepositoryMutations(): Mutation[] {
  const shown = (title: string) => ({ file: adapterPath("git/preview-content.test.ts"), title });
  return [
    {
      name: "let attributes hide the text of a diff",
      file: adapterPath("git/repository/repository.ts"),
      find: "Buffer.concat([attributes, showAllText])",
      replace: "attributes",
      caughtBy: shown('.gitattributes: "* -diff"'),
    },
    {
      name: "leave submodules out of what a push shows",
      file: adapterPath("git/commits/tree-diff.ts"),
      find: 'between.length === 2 ? "none" : "all"',
      replace: '"all"',
      caughtBy: shown('is shown if a pushed commit points to it (`.gitmodules`: "")'),
    },
    {
      name: "let `.gitmodules` hide a submodule from the check",
      file: adapterPath("git/worktree/tree-changes.ts"),
      find: ', "--ignore-submodules=none"],',
      replace: "],",
      caughtBy: shown("is not committed, even if `.gitmodules` hides it"),
    },
    {
      name: "show Paraph's keys in the preview of a commit",
      file: adapterPath("git/worktree/tree-changes.ts"),
      find: 'path.split("/").some(isParaphFolder)',
      replace: "isParaphFolder(path)",
      caughtBy: shown("project"),
    },
    {
      name: "know Paraph's folder by one spelling",
      file: adapterPath("paraph-folder.ts"),
      find: "visible.slice(0, end).toLowerCase()",
      replace: "visible.toLowerCase()",
      caughtBy: {
        file: adapterPath("files/paraph-folder.test.ts"),
        title:
          "[TRUST 12] Paraph detects its folder under every spelling that a file system may treat as equal",
      },
    },
    {
      name: "leave out what a patch says before its first header",
      file: adapterPath("coding-agent/patch-preview.ts"),
      find: "else (part?.lines ?? before).push(line);",
      replace: "else part?.lines.push(line);",
      caughtBy: {
        file: adapterPath("coding-agent/coding-agent.test.ts"),
        title: "[TRUST 6] shows every line of a patch, including lines before the first known header",
      },
    },
    {
      name: "read headers of a patch more strictly than its tool does",
      file: adapterPath("coding-agent/patch-preview.ts"),
      find: "fileHeader.exec(line.trim())",
      replace: "fileHeader.exec(line.trimEnd())",
      caughtBy: {
        file: adapterPath("coding-agent/coding-agent.test.ts"),
        title: "[TRUST 6] shows every file of a patch, however its headers are padded",
      },
    },
    {
      name: "reach Azure's keys of the machine",
      file: "packages/adapters/src/egress/ip-ranges.ts",
      find: '"168.63.129.16/32",',
      replace: "",
      caughtBy: {
        file: "packages/adapters/src/egress/egress-policy.test.ts",
        title: "[TRUST 17] an allowed name does not permit the cloud metadata address 168.63.129.16",
      },
    },
  ];
}

function listCredentialMutations(): Mutation[] {
  const echo = (form: string) => ({
    file: adapterPath("http/echo.test.ts"),
    title: `[TRUST 16] a credential that the host echoes stays hidden, in ${form}`,
  });
  return [
    {
      name: "hide a credential only as it was sent",
      file: "packages/adapters/src/egress/secret-forms.ts",
      find: "return [...new Set(forms)]",
      replace: "return [...new Set(forms.slice(0, 1))]",
      caughtBy: echo("base64 of more"),
    },
    {
      name: "look for a credential in the text of JSON only",
      file: "packages/adapters/src/egress/response-output.ts",
      find: "body: redactSecretsDeep(json, secrets)",
      replace: "body: parseRecordableJson(redactSecrets(text, secrets))!",
      caughtBy: echo("JSON in escapes"),
    },
    {
      name: "leave a credential in bytes that are no text",
      file: "packages/adapters/src/egress/response-output.ts",
      find: "redactSecretBytes(whole, secrets).toString",
      replace: "whole.toString",
      caughtBy: echo("bytes that are no text"),
    },
    {
      name: "show a credential up to where an answer is cut",
      file: "packages/adapters/src/egress/response-output.ts",
      find: "if (!cut) return body;",
      replace: "return body;",
      caughtBy: echo("a body that is cut within it"),
    },
    {
      name: "quote a credential in the fault of an MCP server",
      file: adapterPath("mcp/connection/server-client.ts"),
      find: "throw redactFault(toRequestFault(error, effect), this.#secrets());",
      replace: "throw toRequestFault(error, effect);",
      caughtBy: {
        file: adapterPath("mcp/stdio.test.ts"),
        title: "[TRUST 16] Paraph masks a secret in errors, in progress and in field names",
      },
    },
    {
      name: "quote a credential in the fault of a push",
      file: adapterPath("git/remote/with-remote.ts"),
      find: "throw redactFault(error, secrets);",
      replace: "throw error;",
      caughtBy: {
        file: adapterPath("git/capabilities/push.test.ts"),
        title: "[TRUST 16] the fault omits a credential that the remote echoes",
      },
    },
  ];
}

function listVerdictMutations(): Mutation[] {
  const statuses = (title: string) => ({ file: "packages/adapters/src/egress/http-fault.test.ts", title });
  const push = (title: string) => ({ file: adapterPath("git/capabilities/push.test.ts"), title });
  return [
    {
      name: "take a proxy's 503 for nothing done",
      file: "packages/core/src/capability/known-errors.ts",
      find: 'row("HTTP", "status", "not-performed", 425, 429),',
      replace: 'row("HTTP", "status", "not-performed", 425, 429, 503),',
      caughtBy: statuses("503: ambiguous http-503 undefined"),
    },
    {
      name: "take a status that no table has for a refusal",
      file: "packages/adapters/src/egress/http-fault.ts",
      find: "return toFault(Object.assign(new Error(), { status })).kind;",
      replace:
        'return [408, 500, 502, 504].includes(status) ? "ambiguous" : toFault({ status: 400 + (status % 100) }).kind;',
      caughtBy: statuses("524: ambiguous http-524 undefined"),
    },
    {
      name: "take a connection that became unreachable for one that never was",
      file: "packages/adapters/src/egress/http-fault.ts",
      find: '&& syscall !== "connect") return connectionLostFault();',
      replace: "&& syscall === 42) return connectionLostFault();",
      caughtBy: statuses("EHOSTUNREACH at `read`: ambiguous connection-lost"),
    },
    {
      name: "take an MCP server's own time-out for a refusal",
      file: adapterPath("mcp/connection/request-fault.ts"),
      find: 'effect === "read" ? readKind : "ambiguous";',
      replace: 'effect === "read" || code !== -32603 ? "permanent" : "ambiguous";',
      caughtBy: {
        file: adapterPath("mcp/misbehaving.test.ts"),
        title:
          "[P8] a tool error is permanent with its message, and an MCP error is permanent or ambiguous by its code",
      },
    },
    {
      name: "take a program that was killed in a sandbox for one that refused",
      file: adapterPath("process/process-fault.ts"),
      find: "return signal !== undefined || (exitCode > 128 && exitCode <= 128 + maxSignal);",
      replace: "return signal !== undefined || exitCode > 128 + maxSignal + 64;",
      caughtBy: {
        file: adapterPath("process/process-fault.test.ts"),
        title: '{"end":"exited","exitCode":137} is ambiguous',
      },
    },
    {
      name: "believe a status that came after the push was sent",
      file: adapterPath("git/remote/remote-fault.ts"),
      find: "if (effect && is(/RPC failed|hung up unexpectedly/)) return remoteFailedFault(ran, what, effect);",
      replace: "",
      caughtBy: push("[P7] an error answer after a completed push is ambiguous: gone-after-push"),
    },
    {
      name: "take a remote's words for git's",
      file: adapterPath("git/remote/remote-fault.ts"),
      find: '.filter((line) => !line.startsWith("remote:"))',
      replace: "",
      caughtBy: push("[P8] the kind of a fault depends on git's own messages, not on messages of the remote"),
    },
  ];
}

function listStatementMutations(): Mutation[] {
  const analysed = (title: string) => ({ file: adapterPath("sql/statement/analysis.test.ts"), title });
  const refused = (sql: string) => ({
    file: adapterPath("sql/statement/refusals.test.ts"),
    title: `are still refused: ${sql}`,
  });
  return [
    {
      name: "overlook the type that a JSON function returns",
      file: adapterPath("sql/statement/query-tree.ts"),
      find: "return /typ(?!mod)/i.test(field)",
      replace: "return /type(?:s|id|_?ids)?$/i.test(field)",
      caughtBy: analysed("update accounts set balance = json_value('1', '$' returning checked) where id = 1"),
    },
    {
      name: "let a temporary table stand in for another",
      file: adapterPath("sql/connection/transaction.ts"),
      find: "then pg_catalog.current_setting('search_path') end, 'pg_temp')`;",
      replace: "then pg_catalog.current_setting('search_path') end)`;",
      caughtBy: analysed(
        "[TRUST 30] a temporary table of the session does not replace a permanent table of the same name",
      ),
    },
    {
      name: "take a commit of unknown end for one that was refused",
      file: adapterPath("sql/sql-fault.ts"),
      find: "const uncertainStates = /^(?:08|40003|53|57P|58|XX)/;",
      replace: "const uncertainStates = /^(?:08|57P)/;",
      caughtBy: {
        file: adapterPath("sql/sql-fault.test.ts"),
        title: "[P8] a commit that fails with code 40003 becomes the fault `ambiguous commit-unseen`",
      },
    },
    {
      name: "let a schema bring grants along",
      file: adapterPath("sql/change/definition.ts"),
      find: "if (tree.schemaElts !== undefined)",
      replace: "if (tree.schemaElts === null)",
      caughtBy: refused("create schema x grant all on users to public"),
    },
    {
      name: "empty tables that nobody was shown",
      file: adapterPath("sql/change/definition.ts"),
      find: 'below === "DROP_CASCADE"',
      replace: 'below === "DROP_CASCADED"',
      caughtBy: refused("truncate users cascade"),
    },
  ];
}

function listProgramMutations(): Mutation[] {
  return [
    {
      name: "hand a program the files that Paraph was started with",
      file: adapterPath("process/spawn.ts"),
      find: "...toInheritedStdio(3 + own.length),",
      replace: "",
      caughtBy: {
        file: adapterPath("process/inherited-files.test.ts"),
        title: "[TRUST 18] a program cannot write to open files that Paraph inherited (sandbox: {})",
      },
    },
    {
      name: "let a program make files that run as Paraph's user",
      file: adapterPath("process/sandbox/seccomp.ts"),
      find: "...setIdCalls.flatMap(([numbers, mode]) => denySetId(numbers[column], mode)),",
      replace: "",
      caughtBy: {
        file: adapterPath("process/sandbox/kernel.test.ts"),
        title: "a program cannot set setuid or setgid bits, because Paraph's user owns its files outside",
      },
    },
  ];
}

/** Mutations that let a text of others block the process. */
function listHangMutations(): Mutation[] {
  const fast = (title: string) => ({ file: adapterPath("hostile-texts.test.ts"), title });
  return [
    {
      name: "decode a path as often as an agent wants",
      file: adapterPath("egress/canonical-url.ts"),
      find: "decodings <= maxDecodings;",
      replace: "decodings >= 0 || maxDecodings;",
      caughtBy: fast(
        "[TRUST 24] reading a value for the path of a URL of an agent takes less than 1 s of CPU time",
      ),
    },
    {
      name: "leave the line ends of a calendar server to the parser",
      file: adapterPath("calendar/dav/multistatus.ts"),
      find: 'xml.replaceAll(/\\r\\n?/g, "\\n")',
      replace: "xml",
      caughtBy: fast(
        "[TRUST 24] reading the line ends in the answer of a calendar server takes less than 10 s of CPU time",
      ),
    },
    {
      name: "read the zone of an event for every time in it",
      file: adapterPath("calendar/ical/event.ts"),
      find: "zones.set(tzid, zone);",
      replace: "void zones;",
      caughtBy: fast(
        "[TRUST 24] reading an event that names its long zone often in the answer of a calendar server takes less than 10 s of CPU time",
      ),
    },
    {
      name: "offer every tool of an MCP server",
      file: adapterPath("mcp/definitions/definitions.ts"),
      find: "usable.size === maxDefinitions",
      replace: "usable.size === maxDefinitions ** 2",
      caughtBy: {
        file: adapterPath("mcp/misbehaving.test.ts"),
        title:
          "[TRUST 24] Paraph offers at most 2,000 tools of a server, because each costs time at every listing",
      },
    },
    {
      name: "look for names that occur twice in a document of others",
      file: adapterPath("openapi/document.ts"),
      find: "uniqueKeys: from === undefined",
      replace: "uniqueKeys: from?.href !== ''",
      caughtBy: {
        file: adapterPath("openapi/document.test.ts"),
        title: "[TRUST 24] a fetched document with many long names takes less than 20 s of CPU time",
      },
    },
    {
      name: "hide a member of a patch",
      file: adapterPath("openapi/changes.ts"),
      find: "return Object.fromEntries(result);",
      replace: "return Object.assign({}, Object.fromEntries(result));",
      caughtBy: {
        file: adapterPath("openapi/changes.test.ts"),
        title: "[TRUST 30] the preview of a patch shows every member that is sent, whatever its name",
      },
    },
    {
      name: "forget dates of a long series",
      file: adapterPath("calendar/ical/event.ts"),
      find: 'if (values.length > maxValues) throw new UnreadableEvent("it has too many dates");',
      replace: "values.length = Math.min(values.length, maxValues);",
      caughtBy: {
        file: adapterPath("calendar/ical/rule.test.ts"),
        title:
          "[TRUST 30] an event with more dates than Paraph reads is refused, because its series would be another one",
      },
    },
    {
      name: "fail a write because its answer is long",
      file: adapterPath("calendar/dav/dav-client.ts"),
      find: "answered.cut && isReadMethod(method)",
      replace: "(answered.cut || isReadMethod(method)) && answered.cut",
      caughtBy: {
        file: adapterPath("calendar/calendar.test.ts"),
        title: "[P7] a write with an answer of 5 MB has happened, so it does not fail",
      },
    },
  ];
}
