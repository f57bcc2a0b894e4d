import { join } from "node:path";
import type { Client } from "./event.ts";

/** Where a client keeps its hooks, and how it wants ours to be written. All of them are JSON with `hooks` by event. */
export interface ClientSettings {
  readonly client: Client;
  readonly name: string;
  readonly folder: (where: Where) => string;
  /** This person's file first, then those of the project. */
  readonly files: (where: Where) => readonly [string, ...string[]];
  readonly before: string;
  readonly after: readonly string[];
  /** One entry: for how many seconds the client waits at most. */
  readonly hook: (command: string, seconds: number) => object;
  /** What a person still has to do. */
  readonly todo?: string;
}

export interface Where {
  readonly home: string;
  readonly project: string;
  readonly environment: NodeJS.ProcessEnv;
}

export const clientSettings: readonly ClientSettings[] = [
  {
    ...{ client: "claude-code", name: "Claude Code" },
    folder: claudeFolder,
    files: (where) => [
      join(claudeFolder(where), "settings.json"),
      join(where.project, ".claude/settings.json"),
      join(where.project, ".claude/settings.local.json"),
    ],
    ...{ before: "PreToolUse", after: ["PostToolUse", "PostToolUseFailure"] },
    // Without `onFailure`, a hook that is missing, late or broken is passed over.
    hook: (command, timeout) => ({ type: "command", command, timeout, onFailure: "block" }),
  },
  {
    ...{ client: "codex", name: "Codex" },
    folder: codexFolder,
    files: (where) => [join(codexFolder(where), "hooks.json"), join(where.project, ".codex/hooks.json")],
    ...{ before: "PreToolUse", after: ["PostToolUse"] },
    hook: (command, timeout) => ({ type: "command", command, timeout }),
    todo: "start Codex, and trust the hook with `/hooks`: until then Codex passes it over",
  },
  {
    ...{ client: "gemini", name: "Gemini CLI" },
    folder: geminiFolder,
    files: (where) => [
      join(geminiFolder(where), "settings.json"),
      join(where.project, ".gemini/settings.json"),
    ],
    ...{ before: "BeforeTool", after: ["AfterTool"] },
    hook: (command, seconds) => ({ name: "paraph", type: "command", command, timeout: seconds * 1_000 }),
  },
];

function claudeFolder({ home, environment }: Where): string {
  return environment.CLAUDE_CONFIG_DIR ?? join(home, ".claude");
}

function codexFolder({ home, environment }: Where): string {
  return environment.CODEX_HOME ?? join(home, ".codex");
}

function geminiFolder({ home, environment }: Where): string {
  return join(environment.GEMINI_CLI_HOME ?? home, ".gemini");
}

/** Ours, whichever Paraph it starts. */
export function isOurs(command: unknown): command is string {
  return typeof command === "string" && /\bhook run (claude-code|codex|gemini)\b/.test(command);
}

/** The commands of ours that stand under this event, in whatever shape the rest of the file is. */
export function ourCommands(settings: unknown, event: string): string[] {
  const groups = at(at(settings, "hooks"), event);
  if (!Array.isArray(groups)) return [];
  return groups.flatMap((group) => {
    const hooks = at(group, "hooks");
    return Array.isArray(hooks) ? hooks.map((hook) => at(hook, "command")).filter(isOurs) : [];
  });
}

function at(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
