/** A page of the site. `slug` is its path in the URL. */
interface SitePage {
  readonly file: string;
  readonly slug: string;
  /** The label in the sidebar, if the title of the page is too long for it. */
  readonly label?: string;
}

interface SiteSection {
  readonly label: string;
  readonly pages: readonly SitePage[];
}

/** Lists pages whose URL is their path below `docs/`. */
const inFolder = (folder: string, ...names: readonly string[]): SitePage[] =>
  names.map((name) => ({ file: `docs/${folder}/${name}.md`, slug: `${folder}/${name}` }));

/** Every page, in the order of the sidebar. */
export const sections: readonly SiteSection[] = [
  {
    label: "Start",
    pages: [
      ...inFolder("start", "what-is-paraph", "quickstart", "concepts"),
      { file: "docs/vocabulary.md", slug: "start/glossary", label: "Glossary" },
    ],
  },
  {
    label: "Connect",
    pages: inFolder(
      "connect",
      ...["claude-code", "cursor-and-vs-code", "codex-and-gemini", "mcp-import", "hooks"],
      ...["ai-sdk", "sdk", "mcp", "http"],
    ),
  },
  {
    label: "Guides",
    pages: [
      ...inFolder(
        "guides",
        "configuration",
        "policy",
        "policy-cookbook",
        "policy-tools",
        "approvals",
        "console",
        "verify-receipts",
        "plans",
        "intents",
        "mail-requests",
        "meeting-by-mail",
        "sessions",
      ),
      ...inFolder("guides", "composites", "unknown-outcomes", "checks"),
      {
        file: "docs/guides/write-an-adapter.md",
        slug: "guides/write-an-adapter",
        label: "Write your own capability",
      },
      ...inFolder(
        "guides",
        "yaml-tools",
        "notifications",
        "slack",
        "passkeys",
        "webhooks",
        "observations",
        "oauth",
        "administration",
        "identity",
      ),
    ],
  },
  {
    label: "Adapters",
    pages: [
      { file: "docs/adapters/README.md", slug: "adapters", label: "Overview" },
      ...inFolder(
        "adapters",
        "files",
        "git",
        "sql",
        "http",
        "openapi",
        "mail",
        "calendar",
        "yaml",
        "terminal",
      ),
      ...inFolder("adapters", "mcp", "serve", "processes"),
    ],
  },
  {
    label: "Operate",
    pages: inFolder(
      "operate",
      ...["production", "containers", "backup", "upgrade", "tuning", "scale", "observability", "runbooks"],
      "troubleshooting",
      ...["activity", "statistics", "replay"],
    ),
  },
  {
    label: "Reference",
    pages: inFolder(
      "reference",
      ...["cli", "http-api", "configuration", "environment", "errors", "events", "metrics", "capabilities"],
      ...["presets", "adapters", "receipt", "local-files"],
    ),
  },
  {
    label: "Explain",
    pages: [
      ...inFolder("explain", "life-of-a-call", "guarantees"),
      { file: "docs/security/threat-model.md", slug: "explain/threat-model" },
      { file: "docs/proof.md", slug: "explain/proof" },
      ...inFolder("explain", "trials", "comparison"),
    ],
  },
  {
    label: "Project",
    pages: [
      { file: "CHANGELOG.md", slug: "project/changelog" },
      { file: "SECURITY.md", slug: "project/security" },
      { file: "CONTRIBUTING.md", slug: "project/contributing" },
      { file: "docs/ARCHITECTURE.md", slug: "project/architecture" },
      { file: "docs/pipeline.md", slug: "project/rules" },
      { file: "docs/dependencies.md", slug: "project/dependencies" },
      { file: "docs/seeds.md", slug: "project/seeds" },
    ],
  },
];
