import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { HookClient } from "../../hook/hook-event.ts";
import { type CanaryResult, fireCanary } from "../../hook/install/canary.ts";
import {
  type ClientSettings,
  clientSettings,
  listParaphHookCommands,
  type SettingsLocation,
} from "../../hook/install/client-settings.ts";
import { isTrustedByCodex } from "../../hook/install/codex-trust.ts";
import { isHookCommand } from "../../hook/install/hook-command.ts";
import { resolveTargetParaph } from "../../hook/install/target-paraph.ts";
import { formatCodingAgentAdvice, readMissingAdapter } from "../../hook/messages.ts";
import type { Context } from "../../lib/context.ts";
import { parseJsonTree, toPlainJson } from "../../lib/file-edits/index.ts";
import type { DoctorCheck } from "./checks.ts";

const slowMs = 1_500;

/** Checks whether the installed coding agents have a hook, and whether a canary call through the hook works. */
export async function checkHooks(context: HookLocation): Promise<DoctorCheck[]> {
  const where = {
    ...context,
    home: context.environment.HOME ?? homedir(),
    project: context.folder,
  };
  const found: DoctorCheck[] = [];
  for (const settings of clientSettings) found.push(...(await checkClientHooks(settings, where)));
  return found;
}

type HookLocation = Pick<Context, "environment" | "folder" | "url"> & {
  /** The time that a hook may take to answer (default: the time after which a client gives up on it). */
  readonly patienceMs?: number;
};

async function checkClientHooks(
  settings: ClientSettings,
  where: SettingsLocation & HookLocation,
): Promise<DoctorCheck[]> {
  const { client, name, beforeEvent } = settings;
  const paths = [...new Set(settings.files(where))];
  const files = await Promise.all(paths.map(readSettings));
  const [own = [], ...ofProject] = files.map((file) => listParaphHookCommands(file, beforeEvent));
  const commands = [...new Set([...own, ...ofProject.flat()])];
  if (commands.length === 0) {
    if (!existsSync(settings.folder(where))) return [];
    const message = "installed, but without a hook that asks Paraph before the client uses its own tools";
    return [{ name, state: "warn", message, advice: `run \`paraph hook install ${client}\`` }];
  }
  if (files.some(isSwitchedOff))
    return [
      {
        name,
        state: "fail",
        message: "its hooks are disabled, so it does not ask Paraph",
        advice: offAdvice,
      },
    ];
  const { project, environment, patienceMs } = where;
  const checks: DoctorCheck[] = [];
  for (const command of commands)
    checks.push(
      own.includes(command) || isWrittenHere(command, client, where)
        ? {
            name,
            ...toCheckResult(
              await fireCanary(command, { event: beforeEvent, cwd: project, environment }, patienceMs),
              client,
            ),
          }
        : {
            name,
            state: "warn",
            message: notRunMessage,
            advice: `run \`paraph hook install ${client} --project\``,
          },
    );
  const isAlive = checks.every(({ state }) => state !== "fail");
  if (client === "codex" && isAlive && (await isTrustedByCodex(project, environment)) === false)
    return [{ name, state: "fail", message: "does not trust the hook and skips it", advice: trustAdvice }];
  return checks;
}

/**
 * Whether a hook command starts only this Paraph's hook. The doctor runs no other command from a project's settings,
 * because the project's author may have put any command there.
 */
function isWrittenHere(command: string, client: HookClient, place: HookLocation): boolean {
  const asked = resolveTargetParaph(place);
  return asked !== undefined && isHookCommand(command, client, asked);
}

const notRunMessage =
  "the hook in the project's settings does not belong to this Paraph, so doctor did not run it";
const offAdvice = "remove `disableAllHooks` from its settings";
const trustAdvice = "start Codex and trust the hook with `/hooks`";

function toCheckResult(canary: CanaryResult, client: string): Omit<DoctorCheck, "name"> {
  const again = `run \`paraph hook install ${client}\` to write it again`;
  switch (canary.kind) {
    case "alive":
      if (canary.ms <= slowMs) return { state: "ok", message: `hook works, ${canary.ms} ms` };
      return {
        state: "warn",
        message: `hook works, but slowly: ${canary.ms} ms`,
        advice: "every tool use waits for the hook, so check the server and this machine's load",
      };
    case "let-through":
      return { state: "fail", message: "hook allows a tool use that Paraph always refuses", advice: again };
    case "broken":
      return {
        state: "fail",
        advice: again,
        message: `hook exits with ${canary.code} instead of a decision, so clients may allow the tool use`,
      };
    case "cut-off": {
      const adapter = readMissingAdapter(canary.message);
      const message = `hook denies everything: ${escapeInvisible(canary.message)}`;
      const advice = "fix the failed checks of the API and the agent's key";
      if (adapter === undefined) return { state: "fail", message, advice };
      return {
        state: "fail",
        message: `hook denies everything, because the configuration has no \`codingAgent()\` with the name \`${escapeInvisible(adapter)}\``,
        advice: formatCodingAgentAdvice(escapeInvisible(adapter)),
      };
    }
    case "mute":
      return { state: "fail", message: "hook does not answer in time", advice: again };
  }
}

async function readSettings(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch(() => "");
  const tree = parseJsonTree(text);
  return tree && toPlainJson(tree);
}

function isSwitchedOff(settings: unknown): boolean {
  return (settings as { disableAllHooks?: unknown } | undefined)?.disableAllHooks === true;
}
