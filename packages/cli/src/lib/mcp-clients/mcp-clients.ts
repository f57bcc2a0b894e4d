import { join } from "node:path";

/**
 * The syntax of a client's references to its environment. `shell` stands for `${NAME}` and `$NAME`. `editor` stands for
 * `${env:NAME}` and `${input:NAME}`. `none` means that the client replaces no references.
 */
export type ReferenceSyntax = "shell" | "editor" | "none";

/** A program whose configuration of MCP servers Paraph can edit. */
export interface McpClient {
  readonly id: string;
  readonly name: string;
  readonly format: "json" | "toml";
  /** The JSON member or TOML table that contains the client's servers. */
  readonly key: string;
  readonly references: ReferenceSyntax;
  /**
   * The transport to Paraph. A client uses HTTP only if it can take the key from its environment by a reference. Such
   * references were tested in Claude Code and Codex, and are documented for Cursor. Other clients use `paraph mcp`,
   * which finds the key itself. VS Code reportedly does not replace references in `headers`. Gemini CLI writes the
   * replaced values back to its file.
   */
  readonly transport: "http" | "bridge";
  readonly files: (where: ClientLocation) => readonly ClientFile[];
}

export interface ClientFile {
  readonly path: string;
  /** The folder in which the client starts the servers of this file, if it is known. */
  readonly project?: string;
  /**
   * Whether the file also contains servers for individual projects. The servers of a project are below `projects`,
   * under the path of the project's folder.
   */
  readonly hasProjects?: true;
}

/**
 * The folders and the environment that determine where a client's files are, for this person and for the current
 * project.
 */
export interface ClientLocation {
  readonly home: string;
  readonly project: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

export const mcpClients: readonly McpClient[] = [
  {
    id: "claude-code",
    name: "Claude Code",
    format: "json",
    key: "mcpServers",
    references: "shell",
    transport: "http",
    files: ({ home, project, environment }) => [
      { path: join(environment.CLAUDE_CONFIG_DIR ?? home, ".claude.json"), hasProjects: true },
      { path: join(project, ".mcp.json"), project },
    ],
  },
  {
    id: "claude-desktop",
    name: "Claude Desktop",
    format: "json",
    key: "mcpServers",
    references: "none",
    transport: "bridge",
    files: (where) => [{ path: join(findSettingsFolder(where), "Claude", "claude_desktop_config.json") }],
  },
  {
    id: "cursor",
    name: "Cursor",
    format: "json",
    key: "mcpServers",
    references: "editor",
    transport: "http",
    files: ({ home, project }) => [
      { path: join(home, ".cursor", "mcp.json") },
      { path: join(project, ".cursor", "mcp.json"), project },
    ],
  },
  {
    id: "vscode",
    name: "VS Code",
    format: "json",
    key: "servers",
    references: "editor",
    transport: "bridge",
    files: (where) => [
      { path: join(findSettingsFolder(where), "Code", "User", "mcp.json") },
      { path: join(where.project, ".vscode", "mcp.json"), project: where.project },
    ],
  },
  {
    id: "codex",
    name: "Codex",
    format: "toml",
    key: "mcp_servers",
    references: "none",
    transport: "http",
    files: ({ home, project, environment }) => [
      { path: join(environment.CODEX_HOME ?? join(home, ".codex"), "config.toml") },
      { path: join(project, ".codex", "config.toml"), project },
    ],
  },
  {
    id: "gemini",
    name: "Gemini CLI",
    format: "json",
    key: "mcpServers",
    references: "shell",
    transport: "bridge",
    files: ({ home, project, environment }) => [
      { path: join(environment.GEMINI_CLI_HOME ?? home, ".gemini", "settings.json") },
      { path: join(project, ".gemini", "settings.json"), project },
    ],
  },
];

function findSettingsFolder({ home, environment, platform }: ClientLocation): string {
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return environment.APPDATA ?? join(home, "AppData", "Roaming");
  return environment.XDG_CONFIG_HOME ?? join(home, ".config");
}
