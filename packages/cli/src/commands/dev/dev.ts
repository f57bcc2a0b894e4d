import type { LocalParaph } from "@paraph/dev-servers/local";
import { findRecordFile } from "@paraph/server/local-record";
import type { AdapterView } from "../../lib/api/api-views.ts";
import { findLocalServer, type ServerConnection } from "../../lib/api/connection.ts";
import { hasUnusedConfiguration } from "../../lib/api/policy-source.ts";
import { CliError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { waitForAbort } from "../../lib/terminal/wait-for-abort.ts";
import { type DevOptions, type LocalServer, startLocalServer } from "./local-server.ts";
import { printReady } from "./ready.ts";
import { createSpinner } from "./spinner.ts";

/** Starts everything for one folder, and runs until Ctrl-C or until a server dies. */
export async function runDev(context: Context, options: DevOptions): Promise<ExitCode> {
  context.takeTime();
  const { output, signal } = context;
  const progress = createSpinner(output);
  let server: LocalServer | undefined;
  try {
    server = await startLocalServer(context, options, progress.step);
    progress.stop();

    const { folder, dataFolder, url, configuration, local, paraph } = server;
    const login = await paraph.createLoginLink(local.tenant, local.owner);
    const keyFile = await findRecordFile(dataFolder, context.environment);
    const troubled = (await paraph.listAdapters(signal)).filter(({ state }) => state !== "ready");
    const isPolicyUnused = await hasUnusedConfiguration(connectAsOwner(folder, context), signal);

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
        ...listByState("unavailable", troubled),
        ...listByState("degraded", troubled),
        tookMs: Math.round(tookMs),
      });
    else if (!signal.aborted)
      printReady(
        { url, login, folder, dataFolder, keyFile, configuration, troubled, isPolicyUnused, tookMs },
        output,
      );
    const died = await Promise.race([waitForAbort(signal), waitForServerDeath(local)]);
    if (died !== undefined)
      throw new CliError(
        "server-died",
        `${died}. Check the logs in \`${dataFolder}\`, then run \`paraph dev\` again.`,
      );
    output.info("Stopping …");
  } finally {
    progress.stop();
    await server?.stop();
  }
  output.info("Stopped.");
  return exitCode.ok;
}

/** Returns the adapters in this state under the name of the state, or nothing if there are none. */
function listByState(wanted: AdapterView["state"], adapters: readonly AdapterView[]) {
  const found = adapters.filter(({ state }) => state === wanted);
  return found.length > 0 && { [wanted]: found.map(({ name, message }) => ({ name, message })) };
}

function waitForServerDeath({ postgres, restateServer }: LocalParaph): Promise<string> {
  const never = new Promise<never>(() => {});
  const end = (name: string, exited: Promise<{ code: number | null; signal: string | null }> | undefined) =>
    exited?.then(({ code, signal }) => `${name} ended unexpectedly (${signal ?? `exit code ${code}`})`) ??
    never;
  return Promise.race([end("PostgreSQL", postgres?.exited), end("Restate", restateServer?.exited)]);
}

/** Returns the connection to the server that this command has started, regardless of the environment's address. */
async function connectAsOwner(folder: string, { environment }: Context): Promise<ServerConnection> {
  const { url, person } = (await findLocalServer(folder, environment))!;
  return { url, key: person };
}
