import type { z } from "zod";
import { calendarAdapterConfig } from "../../packages/adapters/src/calendar/config.ts";
import { codingConfig } from "../../packages/adapters/src/coding-agent/config.ts";
import { filesConfig } from "../../packages/adapters/src/files/index.ts";
import { gitConfig } from "../../packages/adapters/src/git/index.ts";
import { httpAdapterConfig } from "../../packages/adapters/src/http/config.ts";
import { mailboxConfig } from "../../packages/adapters/src/mail/index.ts";
import { mcpHttpConfig, mcpStdioConfig } from "../../packages/adapters/src/mcp/config.ts";
import { openapiConfig } from "../../packages/adapters/src/openapi/config.ts";
import { remoteServiceConfig } from "../../packages/adapters/src/remote/index.ts";
import { postgresConfig } from "../../packages/adapters/src/sql/index.ts";
import { terminalConfig } from "../../packages/adapters/src/terminal/config.ts";
import { yamlConfig } from "../../packages/adapters/src/yaml/index.ts";
import { formatCodeBlock, formatPage, formatTable, wrapParagraph } from "./markdown.ts";
import { formatSchemaTable, listSchemaRows, type SchemaRow } from "./schema-rows.ts";

interface AdapterSection {
  readonly factory: string;
  readonly about: string;
  readonly page: string;
  readonly schema: z.ZodType;
  readonly example: string;
  /** Whether to leave out the keys inside an option. */
  readonly isLeaf?: (path: string) => boolean;
  /** Further sentences about the options. */
  readonly note?: string;
}

const sections: readonly AdapterSection[] = [
  {
    factory: "files",
    about: "Capabilities for the files below a folder.",
    page: "../adapters/files.md",
    schema: filesConfig,
    example: 'files({ root: "./workspace", maxBytes: 4_194_304 })',
  },
  {
    factory: "git",
    about: "Capabilities for a repository on this machine and its remotes.",
    page: "../adapters/git.md",
    schema: gitConfig,
    example: `git({
  repository: "./repo",
  remotes: { origin: { url: "https://git.example.com/team/app.git", credential: "\${GIT_TOKEN}" } },
  protect: ["main", "release/*"],
})`,
  },
  {
    factory: "postgres",
    about: "Capabilities to query and change a PostgreSQL database.",
    page: "../adapters/sql.md",
    schema: postgresConfig,
    example: `postgres("\${PROD_DB}", {
  environment: "production",
  readRole: "readers",
  sensitive: ["users.email"],
})`,
    note: "`connection` is the first argument of `postgres()`. The other options are the second argument.",
  },
  {
    factory: "http",
    about: "Capabilities to send requests to the hosts that you name.",
    page: "../adapters/http.md",
    schema: httpAdapterConfig,
    example: `http({
  hosts: {
    "https://api.example.com": { credential: { header: "Authorization", value: "Bearer \${API_TOKEN}" } },
  },
})`,
  },
  {
    factory: "mailbox",
    about: "Capabilities to read a mailbox and to send messages from it.",
    page: "../adapters/mail.md",
    schema: mailboxConfig,
    example: `mailbox({
  address: "assistant@example.org",
  imap: { url: "imaps://imap.example.org", password: "\${MAIL_PASSWORD}" },
  smtp: { url: "smtps://smtp.example.org", password: "\${MAIL_PASSWORD}" },
})`,
  },
  {
    factory: "openapi",
    about: "One capability for every operation of an OpenAPI document.",
    page: "../adapters/openapi.md",
    schema: openapiConfig,
    example: `openapi({
  document: "./shop.yaml",
  credential: "\${SHOP_KEY}",
  include: ["GET /orders/*", "create_refund"],
  overrides: { create_refund: { risk: "high", idempotency: "keyed" } },
})`,
    note: "Set either `document` or `shipped`.",
  },
  {
    factory: "caldav",
    about: "Capabilities for calendars on a CalDAV server.",
    page: "../adapters/calendar.md",
    schema: calendarAdapterConfig,
    example: `caldav({
  timeZone: "Europe/Berlin",
  credential: { user: "paraph", password: "\${CALDAV_PASSWORD}" },
  calendars: {
    ana: { url: "https://dav.example.com/ana/work/", person: "ana@example.com", access: "write" },
  },
})`,
  },
  {
    factory: "yamlTools",
    about: "Capabilities for command-line tools that YAML files describe.",
    page: "../adapters/yaml.md",
    schema: yamlConfig,
    example: 'yamlTools({ files: "./tools/*.yaml", path: ["/opt/tools/bin"] })',
    note: 'A single text is short for `files`: `yamlTools("./tools/*.yaml")`.',
  },
  {
    factory: "terminal",
    about: "Capabilities to run programs in a sandbox that sees one folder.",
    page: "../adapters/terminal.md",
    schema: terminalConfig,
    example: 'terminal({ workspace: "./work", timeout: "2m", limits: { memoryMb: 1_024 } })',
  },
  {
    factory: "mcp.stdio",
    about:
      "Capabilities for the tools, resources and prompts of an MCP server that Paraph starts as a process.",
    page: "../adapters/mcp.md",
    schema: mcpStdioConfig,
    example: `mcp.stdio({
  command: "npx",
  args: ["-y", "@modelcontextprotocol/server-filesystem", "/srv/docs"],
  sandbox: { read: ["/srv/docs"] },
  profile: "filesystem",
})`,
    note: "The same terms in a profile file have their own [JSON schema](../../contracts/mcp-profile.v1.json).",
    // The schema of profiles describes the recipes.
    isLeaf: (path) => /^tools\.<name>\.(?:preview|probe|undo)$/.test(path),
  },
  {
    factory: "mcp.http",
    about:
      "Capabilities for the tools, resources and prompts of an MCP server that Paraph reaches over HTTP.",
    page: "../adapters/mcp.md",
    schema: mcpHttpConfig,
    example: `mcp.http("https://mcp.example.com/mcp", {
  credential: "Bearer \${MCP_TOKEN}",
  timeout: "30s",
})`,
    note: "`url` is the first argument of `mcp.http()`. The other options are the second argument. In `oauth`, set either `login`, or `issuer`, `clientId` and `clientSecret`. `tools` has the same keys as that of `mcp.stdio()`.",
    isLeaf: (path) => path === "tools",
  },
  {
    factory: "remote",
    about: "The capabilities that your own service hosts with `serve` of `@paraph/sdk`.",
    page: "../adapters/serve.md",
    schema: remoteServiceConfig,
    example: `remote({
  url: "https://billing.internal",
  key: "\${PARAPH_KEY}",
  service: "dPdLyUDmtAvVd4CGfGpYWzoFaSVYT1CG9Q7jHJ6D35Q",
})`,
  },
  {
    factory: "codingAgent",
    about: "Capabilities for the built-in tools of a coding agent, whose hook asks Paraph before each use.",
    page: "../connect/hooks.md",
    schema: codingConfig,
    example: 'codingAgent({ risk: { bash: "medium" } })',
  },
];

/** Lists the options of every adapter. */
export function listAdapterOptions(): { readonly factory: string; readonly rows: readonly SchemaRow[] }[] {
  return sections.map(({ factory, schema, isLeaf }) => ({
    factory,
    rows: listSchemaRows(schema, "", isLeaf),
  }));
}

export function renderAdaptersPage(): string {
  const options = listAdapterOptions();
  return formatPage(
    "Adapter options",
    wrapParagraph(
      "Every option of every adapter that ships with Paraph. You call the factory of an adapter in `adapters` of the configuration. Paraph rejects unknown options and suggests the option that you probably meant. [Adapters](../adapters/README.md) explains what adapters do.",
    ),
    formatCodeBlock(
      "ts",
      `import { defineConfig, files, git } from "paraph";

export default defineConfig({
  adapters: {
    docs: files({ root: "./docs" }),
    repo: git({ repository: "./repo", protect: ["main"] }),
  },
});`,
    ),
    formatTable(
      ["Factory", "Creates"],
      sections.map(({ factory, about }) => [`[\`${factory}()\`](#${toAnchor(factory)})`, about]),
    ),
    wrapParagraph(
      `Every adapter also takes \`tenants\`, the list of the only tenants that may use it. With two or more tenants, \`tenants\` is required. Write a secret as \`\${NAME}\` in a text. A \`duration\` is a number with a unit, such as \`30s\` or \`5m\`. \`<name>\` stands for a name of your choice.`,
    ),
    ...sections.flatMap(({ factory, about, page, example, note }, index) => [
      `## ${factory}()`,
      wrapParagraph([about, `[More about this adapter](${page}).`, note ?? ""].filter(Boolean).join(" ")),
      formatCodeBlock("ts", formatExample(factory, example)),
      formatSchemaTable(options[index]!.rows),
    ]),
  );
}

function formatExample(factory: string, example: string): string {
  const imported = factory.split(".")[0]!;
  return `import { ${imported} } from "paraph";\n\nexport const adapter = ${example};`;
}

/** Returns the anchor of a heading such as `mcp.stdio()`, as GitHub forms it. */
function toAnchor(factory: string): string {
  return factory.toLowerCase().replaceAll(/[^a-z0-9-]/g, "");
}
