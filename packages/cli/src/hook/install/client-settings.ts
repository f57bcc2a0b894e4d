import { join } from "node:path";
import type { HookClient } from "../hook-event.ts";

/** Where a client keeps its hooks, and how it wants ours to be written. All of them are JSON with `hooks` by event. */
export interface ClientSettings {
  readonly client: HookClient;
  readonly name: string;
  readonly folder: (where: SettingsLocation) => string;
  /** This person's file first, then those of the project. */
  readonly files: (where: SettingsLocation) => readonly [string, ...string[]];
  readonly beforeEvent: string;
  readonly afterEvents: readonly string[];
  /** One entry: for how many seconds the client waits at most, and what only the one before a use needs. */
  readonly hook: (command: string, seconds: number) => object;
  readonly onlyBefore?: object;
  /** What a person still has to do. */
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
    // Without it, a hook that is late is passed over.
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
    todo: "start Codex, and trust the hook with `/hooks`: until then Codex passes it over",
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

/** Past the time that a person has, before the client takes the hook for dead. */
const marginSeconds = 60;

/** What is to stand under each of its events: every tool is asked about, and every end is told. */
export function buildHookGroups(
  { beforeEvent: before, afterEvents: after, hook, onlyBefore }: ClientSettings,
  command: string,
  waitSeconds: number,
): Readonly<Record<string, object>> {
  const group = (entry: object) => ({ matcher: "*", hooks: [entry] });
  // What is missing or broken is a no: of all exit codes, clients take only this one for that. Afterwards nothing is held up.
  const asking = hook(`${command} || exit 2`, waitSeconds + marginSeconds);
  return {
    [before]: group({ ...asking, ...onlyBefore }),
    ...Object.fromEntries(after.map((event) => [event, group(hook(command, marginSeconds))])),
  };
}

/** Ours, whichever Paraph it starts. */
export function isParaphHookCommand(command: unknown): command is string {
  return typeof command === "string" && /\bhook run (claude-code|codex|gemini)\b/.test(command);
}

/** The commands of ours that stand under this event, in whatever shape the rest of the file is. */
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
