import type { Client } from "./event.ts";

export type ToolKind =
  | "shell"
  | "write"
  | "edit"
  | "patch"
  | "notebook"
  | "read"
  | "resource"
  | "fetch"
  | "search"
  | "skill"
  | "inner"
  | "canary";

/** What the doctor has each hook asked about: see `codingAgent`'s `canary`. */
export const canaryTool = "ParaphCanary";

/** Undefined: nobody here knows the tool, and policy rules on it as on something that may do anything. */
export function kindOf(client: Client, tool: string): ToolKind | undefined {
  if (tool === canaryTool) return "canary";
  return byName[client].get(tool);
}

/** Whether the tool shows lines of every file below a folder, not only names. */
export function searchesContents(client: Client, tool: string): boolean {
  return kindOf(client, tool) === "read" && contentSearches.has(tool);
}

const contentSearches = new Set(["Grep", "grep_search", "search_file_content", "read_many_files"]);

/** Whether the tool's `pattern` is one of paths, not of text. */
export function matchesPaths(tool: string): boolean {
  return tool === "Glob" || tool === "glob";
}

const byName: Readonly<Record<Client, ReadonlyMap<string, ToolKind>>> = {
  "claude-code": named({
    shell: ["Bash", "PowerShell"],
    write: ["Write"],
    edit: ["Edit"],
    notebook: ["NotebookEdit"],
    read: ["Read", "Glob", "Grep", "LS"],
    resource: ["ListMcpResourcesTool", "ReadMcpResourceTool"],
    fetch: ["WebFetch"],
    search: ["WebSearch"],
    skill: ["Skill"],
    inner: [
      ...["Agent", "Task", "ToolSearch", "TodoWrite", "AskUserQuestion", "EnterPlanMode"],
      ...["ExitPlanMode", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TaskOutput", "TaskStop"],
      ...["BashOutput", "KillShell", "ListAgents", "ReportFindings"],
    ],
  }),
  codex: named({
    shell: ["Bash"],
    patch: ["apply_patch"],
    read: ["view_image"],
    search: ["web_search"],
    inner: ["update_plan", "request_user_input", "get_goal", "create_goal", "update_goal"],
  }),
  gemini: named({
    shell: ["run_shell_command"],
    write: ["write_file"],
    edit: ["replace"],
    read: [
      ...["read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content"],
    ],
    fetch: ["web_fetch"],
    search: ["google_web_search"],
    inner: [
      ...["write_todos", "update_topic", "ask_user", "enter_plan_mode", "exit_plan_mode", "complete_task"],
      ...["invoke_agent", "activate_skill", "get_internal_docs"],
      ...["list_background_processes", "read_background_output"],
    ],
  }),
};

function named(tools: Partial<Record<ToolKind, readonly string[]>>): ReadonlyMap<string, ToolKind> {
  return new Map(
    Object.entries(tools).flatMap(([kind, names]) => names.map((name) => [name, kind as ToolKind] as const)),
  );
}
