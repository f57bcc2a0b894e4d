import { join } from "node:path";
import type { HookClient } from "../hook-event.ts";

/**
 * The settings files of a client and the format of its hooks. Every settings file is JSON, and its member `hooks` lists
 * the hooks by event.
 */
export interface ClientSettings {
  readonly client: HookClient;
  readonly name: string;
  readonly folder: (where: SettingsLocation) => string;
  /** Returns the settings files: the person's own file first, then those of the project. */
  readonly files: (where: SettingsLocation) => readonly [string, ...string[]];
  readonly beforeEvent: string;
  readonly afterEvents: readonly string[];
  /** Builds one hook entry. `seconds` is the client's timeout. */
  readonly hook: (command: string, seconds: number) => object;
  /** The additional fields of the hook that runs before a tool use. */
  readonly onlyBefore?: object;
  /** A step that the person still has to do. */
  readonly todo?: string;
}

export interface SettingsLocation {
  readonly home: string;
  readonly project: string;
  readonly environment: NodeJS.ProcessEnv;
}

export const clientSettings: readonly ClientSettings[] = [
  {
    client: "claude-code",
    name: "Claude Code",
    folder: findClaudeFolder,
    files: (where) => [
      join(findClaudeFolder(where), "settings.json"),
      join(where.project, ".claude/settings.json"),
      join(where.project, ".claude/settings.local.json"),
    ],
    beforeEvent: "PreToolUse",
    afterEvents: ["PostToolUse", "PostToolUseFailure"],
    hook: (command, timeout) => ({ type: "command", command, timeout }),
    // Without this option, Claude Code ignores a hook that times out.
    onlyBefore: { onFailure: "block" },
  },
  {
    client: "codex",
    name: "Codex",
    folder: findCodexFolder,
    files: (where) => [join(findCodexFolder(where), "hooks.json"), join(where.project, ".codex/hooks.json")],
    beforeEvent: "PreToolUse",
    afterEvents: ["PostToolUse"],
    hook: (command, timeout) => ({ type: "command", command, timeout }),
    todo: "start Codex and trust the hook with `/hooks`, because Codex skips an untrusted hook",
  },
  {
    client: "gemini",
    name: "Gemini CLI",
    folder: findGeminiFolder,
    files: (where) => [
      join(findGeminiFolder(where), "settings.json"),
      join(where.project, ".gemini/settings.json"),
    ],
    beforeEvent: "BeforeTool",
    afterEvents: ["AfterTool"],
    hook: (command, seconds) => ({ name: "paraph", type: "command", command, timeout: seconds * 1_000 }),
  },
];

function findClaudeFolder({ home, environment }: SettingsLocation): string {
  return environment.CLAUDE_CONFIG_DIR ?? join(home, ".claude");
}

function findCodexFolder({ home, environment }: SettingsLocation): string {
  return environment.CODEX_HOME ?? join(home, ".codex");
}

function findGeminiFolder({ home, environment }: SettingsLocation): string {
  return join(environment.GEMINI_CLI_HOME ?? home, ".gemini");
}

/** The time between the end of the wait for an approver and the client's timeout for the hook. */
const marginSeconds = 60;

/**
 * Builds the hook groups for each event. The hook asks Paraph before every tool use and reports the result afterwards.
 */
export function buildHookGroups(
  { beforeEvent, afterEvents, hook, onlyBefore }: ClientSettings,
  command: string,
  waitSeconds: number,
): Readonly<Record<string, object>> {
  const group = (entry: object) => ({ matcher: "*", hooks: [entry] });
  // If the hook is missing or broken, the command must deny the tool use. Clients accept only exit code 2 as a denial.
  // The hooks that run after a tool use must not block, so their commands do not end with `exit 2`.
  const asking = hook(`${command} || exit 2`, waitSeconds + marginSeconds);
  return {
    [beforeEvent]: group({ ...asking, ...onlyBefore }),
    ...Object.fromEntries(afterEvents.map((event) => [event, group(hook(command, marginSeconds))])),
  };
}

/** Whether a command starts a Paraph hook, from any installation of Paraph. */
export function isParaphHookCommand(command: unknown): command is string {
  return typeof command === "string" && /\bhook run (claude-code|codex|gemini)\b/.test(command);
}

/** Lists Paraph's hook commands for an event in a client's settings. The other settings may have any shape. */
export function listParaphHookCommands(settings: unknown, event: string): string[] {
  const groups = readMember(readMember(settings, "hooks"), event);
  if (!Array.isArray(groups)) return [];
  return groups.flatMap((group) => {
    const hooks = readMember(group, "hooks");
    return Array.isArray(hooks)
      ? hooks.map((hook) => readMember(hook, "command")).filter(isParaphHookCommand)
      : [];
  });
}

function readMember(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
