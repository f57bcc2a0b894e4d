import type { LocalParaph } from "@paraph/dev-servers/local";
import { findRecordFile } from "@paraph/server/local-record";
import type { AdapterView } from "../../lib/api/api-views.ts";
import { CliError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { waitForAbort } from "../../lib/terminal/wait-for-abort.ts";
import { type DevOptions, type LocalServer, startLocalServer } from "./local-server.ts";
import { printReady } from "./ready.ts";
import { createSpinner } from "./spinner.ts";
import { findWarnings, formatLeftBehind, type Warnings } from "./warnings.ts";
import { type ConfigurationWatch, watchConfiguration } from "./watch-configuration.ts";

/**
 * Starts everything for one folder, and runs until Ctrl-C or until a server dies. Reloads the configuration when its
 * files change.
 */
export async function runDev(context: Context, options: DevOptions): Promise<ExitCode> {
  context.takeTime();
  const { output, signal } = context;
  const progress = createSpinner(output);
  let server: LocalServer | undefined;
  let watch: ConfigurationWatch | undefined;
  try {
    server = await startLocalServer(context, options, progress.step);
    progress.stop();

    const { folder, dataFolder, url, configuration, local, paraph } = server;
    const login = await paraph.createLoginLink(local.tenant, local.owner);
    const keyFile = await findRecordFile(dataFolder, context.environment);
    const warnings = await findWarnings(context, server);
    const leftBehind = await formatLeftBehind(context, server, output.paintInfo);

    // Measures from the start of the process, because loading the program is part of the wait.
    const tookMs = performance.now();
    if (context.json)
      output.json({
        url,
        docs: `${url}/docs`,
        ...(login !== undefined && { login }),
        folder,
        dataFolder,
        pid: process.pid,
        ...listByState("unavailable", warnings),
        ...listByState("degraded", warnings),
        tookMs: Math.round(tookMs),
      });
    else if (!signal.aborted)
      printReady(
        { url, login, folder, dataFolder, keyFile, configuration, warnings, leftBehind, tookMs },
        output,
      );
    watch = await watchConfiguration(context, server, options.watch === true);
    const died = await Promise.race([waitForAbort(signal), waitForServerDeath(local), watch.failed]);
    if (died !== undefined)
      throw new CliError(
        "server-died",
        `${died}. Check the logs in \`${dataFolder}\`, then run \`paraph dev\` again.`,
      );
    output.info("Stopping …");
  } finally {
    progress.stop();
    await watch?.close();
    await server?.stop();
  }
  output.info("Stopped.");
  return exitCode.ok;
}

/** Returns the adapters in this state under the name of the state, or nothing if there are none. */
function listByState(wanted: AdapterView["state"], { troubled }: Warnings) {
  const found = troubled.filter(({ state }) => state === wanted);
  return found.length > 0 && { [wanted]: found.map(({ name, message }) => ({ name, message })) };
}

function waitForServerDeath({ postgres, restateServer }: LocalParaph): Promise<string> {
  const never = new Promise<never>(() => {});
  const end = (name: string, exited: Promise<{ code: number | null; signal: string | null }> | undefined) =>
    exited?.then(({ code, signal }) => `${name} ended unexpectedly (${signal ?? `exit code ${code}`})`) ??
    never;
  return Promise.race([end("PostgreSQL", postgres?.exited), end("Restate", restateServer?.exited)]);
}
