import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codingAgent } from "@paraph/adapters/coding-agent";
import { files } from "@paraph/adapters/files";
import { createGitCapabilities } from "@paraph/adapters/git";
import { http } from "@paraph/adapters/http";
import { openapi } from "@paraph/adapters/openapi";
import { postgres } from "@paraph/adapters/sql";
import { yamlTools } from "@paraph/adapters/yaml";
import { type Adapter, type Capability, type Contract, planApplyCapability } from "@paraph/core";
import type { GitContext } from "../../packages/adapters/src/git/context.ts";
import { createLookCapability } from "../../packages/adapters/src/terminal/capabilities/look.ts";
import { createRestoreCapability } from "../../packages/adapters/src/terminal/capabilities/restore.ts";
import { createRunCapability } from "../../packages/adapters/src/terminal/capabilities/run.ts";
import type { TerminalContext } from "../../packages/adapters/src/terminal/context.ts";
import {
  type Administration,
  createAdminCapabilities,
} from "../../packages/server/src/builtin/admin/index.ts";
import { createBuiltinChecks } from "../../packages/server/src/builtin/checks/index.ts";
import { createHumanCapabilities } from "../../packages/server/src/builtin/human/index.ts";
import { formatCodeBlock, formatPage, formatTable, toCode, toSentence, wrapParagraph } from "./markdown.ts";

interface CapabilitySection {
  readonly title: string;
  readonly about: string;
  readonly list: () => readonly Capability[] | Promise<readonly Capability[]>;
}

/** The page lists contracts and performs none, so the parts that only a call needs are missing. */
const builtinSections: readonly CapabilitySection[] = [
  {
    title: "Administration",
    about:
      "Changes to principals, keys, groups, grants, freezes and policies. [Administration](../guides/administration.md) explains them.",
    list: () => createAdminCapabilities({} as Administration),
  },
  {
    title: "Plans",
    about: "[Plans](../guides/plans.md) are calls of this capability.",
    list: () => [planApplyCapability],
  },
  {
    title: "Questions to people",
    about: "An agent asks people a question and gets their answer.",
    list: createHumanCapabilities,
  },
  {
    title: "Checks",
    about:
      "Paraph runs these capabilities before a call, if policy requires them. `check.review` and `check.claims` exist only if you configure `checks.model`. [Checks](../guides/checks.md) explains them.",
    list: () =>
      createBuiltinChecks(
        { model: { url: "https://models.example.com/v1", name: "small" } },
        { contractOf: () => undefined, history: undefined as never },
      ),
  },
];

const adapterSections: readonly CapabilitySection[] = [
  {
    title: "files()",
    about: "The files below a folder. [Files](../adapters/files.md) explains them.",
    list: listFilesCapabilities,
  },
  {
    title: "git()",
    about:
      "A repository and its remotes. `fetch`, `push` and `push_force` exist only if you configure a remote. [Git](../adapters/git.md) explains them.",
    list: () =>
      createGitCapabilities({ name: "git", remotes: new Map([["origin", {}]]) } as unknown as GitContext),
  },
  {
    title: "postgres()",
    about:
      'A PostgreSQL database. With `environment: "production"`, `execute` has high risk. With `marker: false`, its idempotency is `none`. [SQL](../adapters/sql.md) explains them.',
    list: () => openToList("db", postgres("postgres://localhost/app")),
  },
  {
    title: "http()",
    about:
      "URLs of the hosts that you name. `request` is `keyed` if every host supports idempotency keys. [HTTP](../adapters/http.md) explains them.",
    list: () => openToList("web", http({ hosts: { "https://api.example.com": {} } })),
  },
  {
    title: "terminal()",
    about: "Programs in a sandbox. [Terminal](../adapters/terminal.md) explains them.",
    list: () => {
      const context = { name: "terminal", timeoutMs: 60_000 } as TerminalContext;
      return [createRunCapability, createLookCapability, createRestoreCapability].map((make) =>
        make(context),
      );
    },
  },
  {
    title: "codingAgent()",
    about:
      "The built-in tools of Claude Code, Codex and Gemini CLI. The agent performs these calls itself. [Hooks](../connect/hooks.md) explains them.",
    list: () => openToList("agent", codingAgent({})),
  },
  {
    title: "yamlTools()",
    about:
      "The definitions that Paraph ships. Your own YAML files add more. [YAML tools](../adapters/yaml.md) explains them.",
    list: () => openToList("tools", yamlTools({ shipped: ["claude", "codex", "gemini"] })),
  },
  {
    title: "openapi()",
    about:
      "The documents that Paraph ships, `brave-search` and `hubspot-crm`. Your own documents add more. [OpenAPI](../adapters/openapi.md) explains them.",
    list: async () => [
      ...(await openToList("search", openapi({ shipped: "brave-search", credential: `\${SEARCH_KEY}` }))),
      ...(await openToList("crm", openapi({ shipped: "hubspot-crm", credential: `\${CRM_KEY}` }))),
    ],
  },
];

export async function renderCapabilitiesPage(): Promise<string> {
  const builtins = await Promise.all(builtinSections.map((section) => formatSection(section)));
  const adapters = await Promise.all(adapterSections.map((section) => formatSection(section)));
  return formatPage(
    "Capabilities",
    wrapParagraph(
      "The capabilities that are part of Paraph, and those of the adapters that it ships. Your own server lists the ones that it has:",
    ),
    formatCodeBlock(
      "sh",
      "paraph capabilities               # all that you can request\nparaph capabilities files.write   # one contract with its schemas",
    ),
    formatTable(
      ["Column", "Meaning"],
      [
        ["Effect", "What the capability does to the external system: `read`, `write` or `destroy`."],
        ["Risk", "How much harm it can do: `low`, `medium`, `high` or `critical`."],
        [
          "Idempotency",
          "What Paraph does after an attempt whose end is not recorded. `natural`: run it again. `keyed`: run it again with the same key. `probe`: ask the external system. `none`: the outcome is unknown.",
        ],
      ],
    ),
    "## Built-in capabilities",
    ...builtins.flat(),
    "## Capabilities of adapters",
    wrapParagraph(
      "The first part of a name is the name of the adapter in your configuration. The tables show a typical name. `mcp.stdio()`, `mcp.http()` and `remote()` have the capabilities that their server offers.",
    ),
    ...adapters.flat(),
  );
}

async function formatSection({ title, about, list }: CapabilitySection): Promise<string[]> {
  const contracts = (await list()).map(({ contract }) => contract);
  return [
    `### ${title}`,
    wrapParagraph(about),
    formatTable(["Capability", "Effect", "Risk", "Idempotency", "Summary"], contracts.map(toRow)),
  ];
}

function toRow({ name, effect, risk, idempotency, summary }: Contract): string[] {
  return [toCode(name), effect, risk, idempotency, toSentence(summary)];
}

async function listFilesCapabilities(): Promise<readonly Capability[]> {
  const root = mkdtempSync(join(tmpdir(), "paraph-reference-"));
  try {
    return await openToList("files", files({ root }));
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Opens an adapter that needs no external system to list its capabilities. */
async function openToList(name: string, adapter: Adapter): Promise<readonly Capability[]> {
  const opened = await adapter.open({
    name,
    folder: tmpdir(),
    signal: AbortSignal.timeout(30_000),
    credential: async () => "",
    announceChange: () => {},
  });
  const capabilities = await opened.capabilities();
  await opened.close?.();
  return capabilities;
}
