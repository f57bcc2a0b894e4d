// The entry point that clients start at every tool use. It imports only the parts of the command line that it needs.
import "../lib/exit-without-deadlock.ts";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { resolveConnection } from "../lib/api/connection.ts";
import type { Context } from "../lib/context.ts";
import { handleAfterTool } from "./after-tool.ts";
import { handleBeforeTool } from "./before-tool.ts";
import { formatHookDecision } from "./format-decision.ts";
import { type HookClient, hookClients, parseHookEvent } from "./hook-event.ts";
import { HookNotes } from "./hook-notes.ts";
import { defaultAdapter, formatUndecided } from "./messages.ts";

const maxInputBytes = 16 * 1024 * 1024;
/**
 * The time limit for reading the event, sending the requests and writing the answer. It does not include the wait for
 * approvers.
 */
const graceMs = 25_000;

process.on("uncaughtException", denyAndExit);
try {
  await runHook(process.argv.slice(2));
  process.exit(0);
} catch (error) {
  denyAndExit(error);
}

/** Runs `hook run CLIENT`: one event on standard input, the decision on standard output. */
async function runHook(args: readonly string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      folder: { type: "string" },
      url: { type: "string" },
      adapter: { type: "string", default: defaultAdapter },
      gateway: { type: "string", multiple: true, default: [] },
      wait: { type: "string", default: "300" },
      state: { type: "string" },
    },
  });
  const client = positionals.at(-1) as HookClient;
  if (!hookClients.includes(client))
    throw new Error(`the client of the hook must be one of ${hookClients.join(", ")}.`);
  const waitMs = Number(values.wait) * 1_000;
  if (!(waitMs >= 0)) throw new Error("`--wait` is not a number of seconds.");
  // Clients treat a hook that times out as a hook that does not object, so the hook denies the tool use before the
  // client's timeout.
  setTimeout(() => denyAndExit(new Error("the decision took too long.")), waitMs + graceMs).unref();

  const event = parseHookEvent(client, await readInput());
  const { adapter, gateway } = values;
  const notes = new HookNotes(process.env);
  const place = resolveTarget(values);
  const connected = () => resolveConnection(place, "agent");
  if (event.kind === "before") {
    const { environment } = place;
    const setting = { connection: await connected(), environment, adapter, gateways: gateway, waitMs, notes };
    process.stdout.write(formatHookDecision(await handleBeforeTool(event.of, setting), event.of));
    return;
  }
  try {
    await handleAfterTool(event, { connection: await connected(), notes });
  } catch (error) {
    // The hook only prints the error. The tool has already run, so a denial would only hide the result from the model.
    process.stderr.write(
      `Paraph did not receive the result of this tool use and will record it as unknown: ${readErrorMessage(error)}\n`,
    );
  }
}

interface TargetOptions {
  readonly folder?: string | undefined;
  readonly url?: string | undefined;
  /** The state folder of the person who installed the hook. */
  readonly state?: string | undefined;
}

/**
 * Returns the Paraph to ask. The function never uses the folder in which the agent works. It uses the address in the
 * environment only if the hook's command line names no Paraph. Without these limits, a project from another author
 * could choose which Paraph the hook asks.
 */
function resolveTarget({
  folder,
  url,
  state,
}: TargetOptions): Pick<Context, "environment" | "folder" | "url" | "ignoresLogin"> {
  const { PARAPH_URL, PARAPH_KEY } = process.env;
  // HOME is not used, because a project's settings can set the environment of hooks.
  const XDG_STATE_HOME = state ?? join(userInfo().homedir, ".local/state");
  if (folder !== undefined) return { environment: { XDG_STATE_HOME }, folder, url, ignoresLogin: true };
  return { environment: { PARAPH_KEY, PARAPH_URL }, folder: homedir(), url, ignoresLogin: true };
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    size += (chunk as Buffer).length;
    if (size > maxInputBytes) throw new Error("the client's event is too large.");
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** [P11] Denies the tool use and exits with code 2. Every client treats exit code 2 as a denial of any tool use. */
function denyAndExit(error: unknown): never {
  process.stderr.write(`${formatUndecided(readErrorMessage(error))}\n`);
  process.exit(2);
}

function readErrorMessage(error: unknown): string {
  const { message } = error as { message?: unknown };
  return typeof message === "string" && message !== "" ? message : "the hook failed.";
}
