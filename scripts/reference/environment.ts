import { formatCodeBlock, formatPage, formatTable, toCode, wrapParagraph } from "./markdown.ts";
import { listProductSources, readSource, type SyntaxNode, walkNodes } from "./source.ts";

interface Variable {
  readonly name: string;
  readonly reader: string;
  /** The value that applies if the variable is not set, as Markdown. */
  readonly default?: string;
  readonly meaning: string;
}

interface VariableGroup {
  readonly title: string;
  readonly about?: string;
  readonly variables: readonly Variable[];
}

const commands = "all commands";

/** Every environment variable that the packages read. `findReadVariables` finds the ones that are missing here. */
const groups: readonly VariableGroup[] = [
  {
    title: "Connection of the command line",
    about:
      "The command line sends a key from the environment only to an address that you name with `--url` or `PARAPH_URL`. Without such an address, it uses the keys that your `paraph dev` recorded, or those that `paraph login` stored ([Local files](local-files.md)).",
    variables: [
      {
        name: "PARAPH_URL",
        reader: `${commands}, hooks`,
        default: "the running `paraph dev` of this folder, or the stored login",
        meaning: "The address of the server. `--url` overrides it.",
      },
      {
        name: "PARAPH_KEY",
        reader: `${commands}, hooks`,
        default: "the recorded or stored key of the agent",
        meaning:
          "The API key for requests as an agent. It is used only together with `PARAPH_URL` or `--url`. Commands that only read use it if `PARAPH_APPROVER_KEY` is not set.",
      },
      {
        name: "PARAPH_APPROVER_KEY",
        reader: commands,
        default: "the recorded key of the owner, or the stored key of a person",
        meaning:
          "The API key of a person, for decisions, administration and reading. It is used only together with `PARAPH_URL` or `--url`.",
      },
    ],
  },
  {
    title: "Servers",
    about:
      "Without these variables, `paraph dev` starts its own PostgreSQL, which is also the engine. The three `RESTATE_…` variables select an existing Restate as the engine, and must be set together. [Production](../operate/production.md) explains them.",
    variables: [
      {
        name: "DATABASE_URL",
        reader: "`paraph start`, `paraph migrate`, `paraph dev`, `paraph replay --check`",
        default: "the PostgreSQL of `paraph dev`",
        meaning: "The address of your PostgreSQL database, with a plain login.",
      },
      {
        name: "DATABASE_OWNER_URL",
        reader: "`paraph migrate`, `paraph tenants`, `paraph recover`, `paraph dev`",
        default: "the PostgreSQL of `paraph dev`",
        meaning: "The address of the same database, with the login of its owner.",
      },
      {
        name: "RESTATE_INGRESS_URL",
        reader: "`paraph start`, `paraph dev`",
        default: "none: PostgreSQL is the engine",
        meaning: "The address at which Restate accepts messages: `http://host:port` or `unix:/path`.",
      },
      {
        name: "RESTATE_ADMIN_URL",
        reader: "`paraph start`, `paraph dev`",
        default: "none: PostgreSQL is the engine",
        meaning: "The address of Restate's admin API, in the same form.",
      },
      {
        name: "RESTATE_PUBLIC_KEY",
        reader: "`paraph start`, `paraph dev`",
        default: "none: PostgreSQL is the engine",
        meaning: "The public key with which workers verify the requests of Restate.",
      },
      {
        name: "PARAPH_SIGNING_KEY",
        reader: "`paraph start`, `paraph signing-key`",
        default: "`signing.pem` in `STATE_DIRECTORY`",
        meaning: "The file of the key that signs receipts. `--signing-key` overrides it.",
      },
      {
        name: "VAULT_TOKEN",
        reader: "`paraph start`, `paraph dev`",
        default: "none",
        meaning: "The token for Vault, if the configuration has `vault` without `vault.auth`.",
      },
      {
        name: "STATE_DIRECTORY",
        reader: "`paraph start`",
        default: "none",
        meaning: "The folder of the signing key. systemd sets it for a unit with `StateDirectory`.",
      },
      {
        name: "PARAPH_ALLOW_DOWNGRADE",
        reader: "`paraph start`, `paraph migrate`, `paraph dev`",
        default: "off",
        meaning:
          "With `1`, one start or migration may go back to an older version or an earlier configuration.",
      },
    ],
  },
  {
    title: "Secrets",
    about: `The configuration names a secret as \`\${NAME}\`. Paraph reads the secret when a call needs it. The name of the tenant and \`NAME\` are in capitals, and \`-\` becomes \`_\`.`,
    variables: [
      {
        name: "PARAPH_SECRET__<TENANT>__<NAME>",
        reader: "server",
        default: "the file `secrets/<tenant>/<name>`",
        meaning: "The secret `NAME` of a tenant.",
      },
      {
        name: "<NAME>",
        reader: "server, `paraph mcp import`",
        default: "none",
        meaning:
          "The secret `NAME` of the deployment, if its name is in capitals. A tenant can use it only if it is the only tenant.",
      },
    ],
  },
  {
    title: "Telemetry",
    variables: [
      {
        name: "OTEL_EXPORTER_OTLP_ENDPOINT",
        reader: "server",
        default: "off",
        meaning: "The address of the collector to which Paraph exports traces and metrics over OTLP.",
      },
      {
        name: "OTEL_EXPORTER_OTLP_*",
        reader: "server",
        default: "those of OpenTelemetry",
        meaning: "Headers, certificates and compression of the export, as OpenTelemetry defines them.",
      },
    ],
  },
  {
    title: "Output and editor",
    variables: [
      {
        name: "NO_COLOR",
        reader: `${commands}, server log`,
        default: "off",
        meaning: "With any value, print without colours.",
      },
      {
        name: "FORCE_COLOR",
        reader: commands,
        default: "off",
        meaning:
          "With `0`, print without colours. With any other value, print with colours even into a pipe.",
      },
      {
        name: "TERM",
        reader: commands,
        default: "set by the terminal",
        meaning: "With `dumb`, print without colours and without status lines.",
      },
      {
        name: "DISPLAY",
        reader: "`paraph open`",
        default: "set by the desktop",
        meaning:
          "The display of X11. Without it and without `WAYLAND_DISPLAY`, the command prints the address on Linux, and opens no browser.",
      },
      {
        name: "WAYLAND_DISPLAY",
        reader: "`paraph open`",
        default: "set by the desktop",
        meaning: "The display of Wayland.",
      },
      {
        name: "PARAPH_DEBUG",
        reader: commands,
        default: "off",
        meaning: "With `1`, print the stack trace of an error.",
      },
      {
        name: "npm_command",
        reader: commands,
        default: "set by npm",
        meaning: "With `exec`, messages suggest `npx paraph` instead of `paraph`.",
      },
      {
        name: "VISUAL",
        reader: "`paraph edit`",
        default: "`EDITOR`",
        meaning: "The editor for the input of a call.",
      },
      {
        name: "EDITOR",
        reader: "`paraph edit`",
        default: "none",
        meaning: "The editor, if `VISUAL` is not set.",
      },
    ],
  },
  {
    title: "Folders",
    variables: [
      {
        name: "XDG_STATE_HOME",
        reader: `${commands}, hooks`,
        default: "`~/.local/state`",
        meaning: "The folder in which Paraph keeps the records of your `paraph dev`, below `.paraph`.",
      },
      {
        name: "XDG_CONFIG_HOME",
        reader: "`paraph mcp import`, hooks",
        default: "`~/.config`",
        meaning: "The folder of the settings of desktop clients on Linux.",
      },
      {
        name: "APPDATA",
        reader: "`paraph mcp import`, hooks",
        default: "`~/AppData/Roaming`",
        meaning: "The folder of the settings of desktop clients on Windows.",
      },
      {
        name: "HOME",
        reader: commands,
        default: "the home folder of your user",
        meaning: "Your home folder. To find its Paraph, a hook uses the home folder of your user instead.",
      },
      {
        name: "PATH",
        reader: "`paraph mcp import`, `paraph dev`",
        default: "set by the system",
        meaning:
          "The folders in which to find the programs of MCP servers. The local servers of `paraph dev` inherit it.",
      },
      {
        name: "TZ",
        reader: "`paraph dev`",
        default: "set by the system",
        meaning: "The time zone of the local servers of `paraph dev`.",
      },
      {
        name: "TMPDIR",
        reader: "`paraph dev`",
        default: "set by the system",
        meaning: "The folder for temporary files of the local servers of `paraph dev`.",
      },
    ],
  },
  {
    title: "Coding agents",
    about:
      "These variables belong to the coding agents. Paraph reads them to find the agents' settings and projects.",
    variables: [
      {
        name: "CLAUDE_CONFIG_DIR",
        reader: "`paraph hook`, `paraph mcp import`, hooks",
        default: "`~/.claude`, or `~` for `.claude.json`",
        meaning: "The folder of Claude Code's settings.",
      },
      {
        name: "NPM_CONFIG_REGISTRY",
        reader: "`paraph mcp import`",
        default: "the registry of `~/.npmrc`",
        meaning: "The npm registry from which imported servers that `npx` starts fetch their packages.",
      },
      {
        name: "npm_config_registry",
        reader: "`paraph mcp import`",
        default: "the registry of `~/.npmrc`",
        meaning: "The same. npm sets it for the commands that it runs.",
      },
      {
        name: "CODEX_HOME",
        reader: "`paraph hook`, `paraph mcp import`, hooks",
        default: "`~/.codex`",
        meaning: "The folder of Codex's settings.",
      },
      {
        name: "GEMINI_CLI_HOME",
        reader: "`paraph hook`, `paraph mcp import`, hooks",
        default: "your home folder",
        meaning: "The folder that contains `.gemini`, with Gemini CLI's settings.",
      },
      {
        name: "CLAUDE_PROJECT_DIR",
        reader: "hooks",
        default: "set by Claude Code",
        meaning: "The project of the agent, in which the hook looks for definitions of MCP servers.",
      },
      {
        name: "GEMINI_PROJECT_DIR",
        reader: "hooks",
        default: "set by Gemini CLI",
        meaning: "The project of the agent, in which the hook looks for definitions of MCP servers.",
      },
    ],
  },
];

export const documentedVariables: readonly Variable[] = groups.flatMap(({ variables }) => variables);

export function renderEnvironmentPage(): string {
  return formatPage(
    "Environment variables",
    wrapParagraph(
      "Every environment variable that Paraph reads, with its reader, its default and its meaning. Programs that Paraph starts for calls inherit none of them.",
    ),
    formatCodeBlock(
      "sh skip: needs a server of your own",
      `export PARAPH_URL=https://paraph.example.com
export PARAPH_KEY=paraph_acme_…              # the key of an agent
paraph call files.read path=notes.txt`,
    ),
    ...groups.flatMap(({ title, about, variables }) => [
      `## ${title}`,
      ...(about === undefined ? [] : [wrapParagraph(about)]),
      formatTable(
        ["Variable", "Read by", "Default", "Meaning"],
        variables.map(({ name, reader, default: fallback = "", meaning }) => [
          toCode(name),
          reader,
          fallback,
          meaning,
        ]),
      ),
    ]),
  );
}

/** Files that read variables by a computed name, with the variables that they read. */
export const computedReads: Readonly<Record<string, readonly string[]>> = {
  "packages/cli/src/commands/mcp/import/config-text.ts": ["<NAME>"],
  "packages/cli/src/commands/mcp/import/import-plan.ts": ["<NAME>", "PARAPH_KEY"],
  "packages/cli/src/lib/api/connection.ts": ["PARAPH_KEY", "PARAPH_APPROVER_KEY"],
  "packages/dev-servers/src/supervise.ts": ["PATH", "TZ", "TMPDIR"],
  "packages/server/src/config/secret-faults.ts": ["<NAME>", "PARAPH_SECRET__<TENANT>__<NAME>"],
  "packages/server/src/system/credentials.ts": ["<NAME>", "PARAPH_SECRET__<TENANT>__<NAME>"],
  // Reads the environment that the configuration sets for a run, not that of the process.
  "packages/adapters/src/terminal/environment.ts": [],
};

/** Variables that Paraph sets for programs that it starts. */
export const ownVariables: readonly string[] = ["GIT_INDEX_FILE"];

interface VariableReads {
  /** The names of the variables that the sources read, each with the file. */
  readonly names: ReadonlyMap<string, string>;
  /** The files that read a variable by a computed name. */
  readonly computed: ReadonlySet<string>;
}

/** Finds the reads of variables: fields of `process.env` and of values that are named `env` or `environment`. */
export function findReadVariables(paths = listProductSources()): VariableReads {
  const names = new Map<string, string>();
  const computed = new Set<string>();
  for (const path of paths) {
    for (const node of walkNodes(readSource(path).program)) {
      if (node.type === "MemberExpression" && isEnvironment(node.object)) {
        if (node.computed) computed.add(path);
        else if (isVariableName(node.property.name)) names.set(node.property.name, path);
      }
      if (node.type === "VariableDeclarator" && node.id.type === "ObjectPattern" && isEnvironment(node.init))
        for (const { key } of node.id.properties as SyntaxNode[])
          if (key && isVariableName(key.name)) names.set(key.name, path);
    }
  }
  return { names, computed };
}

function isEnvironment(node: SyntaxNode | null): boolean {
  if (node?.type === "MemberExpression") return isEnvironment(node.property);
  return node?.type === "Identifier" && /^(?:env|environment)$/.test(node.name);
}

function isVariableName(name: string): boolean {
  return /^(?:[A-Z][A-Z0-9_]*|npm_[a-z_]+)$/.test(name);
}
