import { join } from "node:path";

/**
 * The syntax of a client for references to its environment: `${NAME}` and `$NAME`, `${env:NAME}` and `${input:NAME}`,
 * or none.
 */
export type ReferenceSyntax = "shell" | "editor" | "none";

/** A program whose configuration of MCP servers Paraph can edit. */
export interface McpClient {
  readonly id: string;
  readonly name: string;
  readonly format: "json" | "toml";
  /** The member or table that contains its servers. */
  readonly key: string;
  readonly references: ReferenceSyntax;
  /**
   * The transport to Paraph. HTTP is used only if the client takes the key from its environment by a reference, which
   * was tested (Claude Code, Codex) or is documented (Cursor). Other clients use `paraph mcp`, which finds the key
   * itself. VS Code is reported not to replace references in `headers`, and Gemini CLI writes the replaced values back
   * to its file.
   */
  readonly transport: "http" | "bridge";
  readonly files: (where: ClientLocation) => readonly ClientFile[];
}

export interface ClientFile {
  readonly path: string;
  /** The folder in which its servers are started, if it is known. */
  readonly project?: string;
  /** Set if the file also holds servers of single projects, below `projects` and the project's folder. */
  readonly hasProjects?: true;
}

/** The location of the client's files: those of this person and those of the current project. */
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
