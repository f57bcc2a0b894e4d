// Lists every capability that ships with Paraph, for the reference and for the released contracts.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { caldav } from "@paraph/adapters/calendar";
import { codingAgent } from "@paraph/adapters/coding-agent";
import { files } from "@paraph/adapters/files";
import { createGitCapabilities } from "@paraph/adapters/git";
import { http } from "@paraph/adapters/http";
import { mailbox } from "@paraph/adapters/mail";
import { openapi } from "@paraph/adapters/openapi";
import { postgres } from "@paraph/adapters/sql";
import { yamlTools } from "@paraph/adapters/yaml";
import { type Adapter, type Capability, planApplyCapability } from "@paraph/core";
import type { GitContext } from "../packages/adapters/src/git/context.ts";
import { createLookCapability } from "../packages/adapters/src/terminal/capabilities/look.ts";
import { createRestoreCapability } from "../packages/adapters/src/terminal/capabilities/restore.ts";
import { createRunCapability } from "../packages/adapters/src/terminal/capabilities/run.ts";
import type { TerminalContext } from "../packages/adapters/src/terminal/context.ts";
import { type Administration, createAdminCapabilities } from "../packages/server/src/builtin/admin/index.ts";
import { createBuiltinChecks } from "../packages/server/src/builtin/checks/index.ts";
import { createHumanCapabilities } from "../packages/server/src/builtin/human/index.ts";

/** Capabilities that belong together, with a title and a sentence for people. */
export interface CapabilitySection {
  readonly title: string;
  readonly about: string;
  readonly list: () => readonly Capability[] | Promise<readonly Capability[]>;
}

/** The capabilities without the parts that only a call needs, because scripts read contracts and perform none. */
export const builtinSections: readonly CapabilitySection[] = [
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

/** The capabilities of each shipped adapter, under a typical name of the adapter. */
export const adapterSections: readonly CapabilitySection[] = [
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
    title: "mailbox()",
    about:
      "A mailbox. `tell` exists only if you configure `groups`. [Mailboxes](../adapters/mail.md) explains them.",
    list: () => {
      const server = { url: "imaps://mail.example.org", password: `\${MAIL_PASSWORD}` };
      return openToList(
        "office",
        mailbox({
          address: "assistant@example.org",
          imap: server,
          smtp: { ...server, url: "smtps://mail.example.org" },
          groups: { team: ["ana@example.org"] },
        }),
      );
    },
  },
  {
    title: "caldav()",
    about: "Calendars on a CalDAV server. [Calendars](../adapters/calendar.md) explains them.",
    list: () =>
      openToList(
        "calendar",
        caldav({
          timeZone: "Europe/Berlin",
          credential: { user: "paraph", password: `\${CALDAV_PASSWORD}` },
          calendars: {
            ana: { url: "https://dav.example.com/ana/", person: "ana@example.com", access: "write" },
          },
        }),
      ),
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
