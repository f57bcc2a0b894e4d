import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { createPolicyWorkbench } from "@paraph/server";
import { CliError } from "../../lib/cli-error.ts";
import {
  type Configuration,
  inspectConfiguration,
  readStartableConfiguration,
} from "../../lib/config/configuration.ts";
import type { Context } from "../../lib/context.ts";
import { formatDuration } from "../../lib/terminal/format-time.ts";
import { restartFailed } from "./application.ts";
import type { LocalServer } from "./local-server.ts";
import { createSpinner } from "./spinner.ts";
import { findWarnings, formatWarnings } from "./warnings.ts";

/** The time between a change and the reload. An editor may write several files, or one file in several steps. */
const quietMs = 150;

export interface ConfigurationWatch {
  /** Rejects if Paraph could start neither with the new configuration nor with the previous one. */
  readonly failed: Promise<never>;
  /** Stops watching, after a reload that is under way. */
  close(): Promise<void>;
}

/**
 * Watches the files of the configuration, and restarts Paraph with the new ones. An invalid configuration is reported,
 * and changes nothing.
 *
 * [TRUST 31] Unless `isAutomatic`, a person must press Enter first. Otherwise an agent that works in the folder could
 * change the policy that controls it.
 */
export async function watchConfiguration(
  context: Context,
  server: LocalServer,
  isAutomatic: boolean,
): Promise<ConfigurationWatch> {
  const { folder } = server;
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => {});
  const watchers = new Map<string, FSWatcher>();
  // Also holds the modules of an invalid configuration, because the fault may be in one of them.
  let modules: ReadonlySet<string> = server.configuration.modules;
  const createInspection = () => {
    const { config } = server.configuration;
    const all = new Set([...server.configuration.modules, ...modules]);
    return () => inspectConfiguration({ config, modules: all }, folder);
  };
  let seen = server.digest;
  let announced = seen;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let reloading = Promise.resolve();

  const schedule = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      reloading = reloading.then(() => reloadIfChanged()).catch(reject);
    }, quietMs);
  };
  const confirm = () => {
    reloading = reloading.then(() => reloadIfChanged(true)).catch(reject);
  };
  const watchFolders = (paths: readonly string[]) => {
    // Watches folders, because many programs replace a file instead of writing to it.
    for (const path of new Set([folder, `${folder}/policies`, ...paths.map(dirname)])) {
      if (watchers.has(path)) continue;
      try {
        const watcher = watch(path, schedule).on("error", () => {
          watcher.close();
          watchers.delete(path);
        });
        watchers.set(path, watcher);
      } catch {
        // The folder does not exist yet. A change of the folder above it leads here again.
      }
    }
  };
  const reloadIfChanged = async (isConfirmed = isAutomatic) => {
    if (isClosed) return;
    const inspectBefore = createInspection();
    const before = await inspectBefore();
    watchFolders(before.paths);
    if (before.digest === seen) return;
    if (!isConfirmed) {
      if (before.digest !== announced) announceChange(context);
      announced = before.digest;
      return;
    }
    const tried = new Set<string>();
    await reload(context, server, tried);
    modules = tried;
    const after = await createInspection()();
    watchFolders(after.paths);
    seen = after.digest;
    if ((await inspectBefore()).digest === before.digest) return;
    // A file changed during the reload, so the next turn must not take it for loaded.
    seen = "";
    schedule();
  };

  await reloadIfChanged();
  const stopListening = context.question && !isAutomatic ? listenForEnter(confirm) : () => {};
  return {
    failed,
    async close() {
      isClosed = true;
      stopListening();
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
      await reloading;
    },
  };
}

function announceChange({ output, json, question }: Context): void {
  const next = question
    ? "Press Enter to load it."
    : "Restart `paraph dev` to load it, or start it with `--watch`.";
  if (json) output.json({ changed: true });
  else output.info(`${output.paintInfo("yellow", "!")} The configuration changed. ${next}`);
}

/** Calls `onEnter` for each line that the person at the terminal enters, until the returned function is called. */
function listenForEnter(onEnter: () => void): () => void {
  process.stdin.on("data", onEnter);
  return () => {
    process.stdin.off("data", onEnter);
    process.stdin.pause();
  };
}

/** Replaces the configuration if the new one is valid, and prints the result. Adds the modules of the new one to `tried`. */
async function reload(context: Context, server: LocalServer, tried: Set<string>): Promise<void> {
  const { output, json, environment } = context;
  const paint = output.paintInfo;
  const began = performance.now();
  const progress = createSpinner(output);
  try {
    progress.step("loading the new configuration");
    const next = await readStartableConfiguration(server.folder, environment, tried);
    await checkPolicies(next, server.folder);
    progress.step("restarting Paraph with the new configuration");
    await server.replace(next);
    progress.stop();
    const tookMs = performance.now() - began;
    if (json) return output.json({ reloaded: true, tookMs: Math.round(tookMs) });
    output.info(`${paint("green", "✔")} Loaded the new configuration in ${formatDuration(tookMs)}.`);
    for (const warning of formatWarnings(await findWarnings(context, server), paint)) output.info(warning);
  } catch (error) {
    progress.stop();
    const { code = "internal", message } = error as Error & { code?: string };
    if (code === restartFailed) throw error;
    if (json) return output.json({ reloaded: false, error: { code, message } });
    output.info(`${paint("red", "✘")} The new configuration cannot be used. ${message}`);
    output.info("  The previous configuration stays active.");
  }
}

/**
 * Requires policies that load with the capabilities of the new configuration. Policies are files, so Paraph could not
 * start again with the previous ones. An unavailable adapter does not prevent a start, but its capabilities are unknown
 * here, so the policies are then not checked.
 */
async function checkPolicies({ config, source }: Configuration, folder: string): Promise<void> {
  const workbench = await createPolicyWorkbench(config, folder, source).catch((error: { code?: string }) => {
    if (error.code !== "adapter-invalid") throw error;
  });
  const faults = workbench?.lint().filter(({ code }) => code === "invalid") ?? [];
  if (faults.length === 0) return;
  const list = faults.map(
    ({ file, line, sentence }) => `\n  - ${line === undefined ? file : `${file}:${line}`}: ${sentence}`,
  );
  throw new CliError("policy-invalid", `The policies could not be loaded. Fix these faults:${list.join("")}`);
}
