import type { HookClient } from "../hook-event.ts";

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

/** The tool name with which the doctor tests each hook. See `canary` of `codingAgent`. */
export const canaryTool = "ParaphCanary";

/**
 * Returns the kind of a tool, or undefined for an unknown one. Policy treats an unknown tool as one that may do
 * anything.
 */
export function findToolKind(client: HookClient, tool: string): ToolKind | undefined {
  if (tool === canaryTool) return "canary";
  return toolKinds[client].get(tool);
}

/** Whether the tool shows lines from the files below a folder, and not only the names of the files. */
export function isContentSearch(client: HookClient, tool: string): boolean {
  return findToolKind(client, tool) === "read" && contentSearchTools.has(tool);
}

const contentSearchTools = new Set(["Grep", "grep_search", "search_file_content", "read_many_files"]);

/** Whether the tool's `pattern` matches paths and not text. */
export function isPathGlob(tool: string): boolean {
  return tool === "Glob" || tool === "glob";
}

const toolKinds: Readonly<Record<HookClient, ReadonlyMap<string, ToolKind>>> = {
  "claude-code": indexByName({
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
  codex: indexByName({
    shell: ["Bash"],
    patch: ["apply_patch"],
    read: ["view_image"],
    search: ["web_search"],
    inner: ["update_plan", "request_user_input", "get_goal", "create_goal", "update_goal"],
  }),
  gemini: indexByName({
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

function indexByName(tools: Partial<Record<ToolKind, readonly string[]>>): ReadonlyMap<string, ToolKind> {
  return new Map(
    Object.entries(tools).flatMap(([kind, names]) => names.map((name) => [name, kind as ToolKind] as const)),
  );
}
