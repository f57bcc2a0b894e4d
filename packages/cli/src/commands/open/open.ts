import { createApiClient } from "../../lib/api/client.ts";
import { resolveConnection, resolveServerUrl } from "../../lib/api/connection.ts";
import { resolveCallId } from "../../lib/calls/resolve-id.ts";
import { usageError } from "../../lib/cli-error.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { launchProgram } from "../../lib/launch-program.ts";

/** Opens a page of the server in the browser, or prints its address if there is no browser. */
export async function openPage(
  context: Context,
  id: string | undefined,
  { print = false }: { readonly print?: boolean },
): Promise<ExitCode> {
  const { output, environment } = context;
  const path = toPagePath(id === "last" ? await findLastCall(context) : id);
  const address = new URL(path, await resolveServerUrl(context)).href;
  const command =
    print || context.json ? undefined : findBrowserCommand(process.platform, environment, address);
  const isOpened = command !== undefined && (await launchProgram(command));
  if (context.json) output.json({ url: address });
  else if (isOpened) output.info(`Opening ${address}`);
  else {
    if (!print) output.info("There is no browser here. Open this address on a machine with one:");
    output.data(address);
  }
  return exitCode.ok;
}

function toPagePath(id: string | undefined): string {
  if (id === undefined) return "/approvals";
  if (/^call_\w+$/.test(id)) return `/calls/${id}`;
  if (/^ask_\w+$/.test(id)) return `/approvals/${id}`;
  throw usageError(
    `\`${id}\` is not the id of a call or an approval. Pass an id that begins with \`call_\` or \`ask_\`, or \`last\`. Run \`paraph calls\` or \`paraph approvals\` to list ids.`,
  );
}

async function findLastCall(context: Context): Promise<string> {
  return resolveCallId(createApiClient(await resolveConnection(context, "reader"), context.signal), "last");
}

/** Returns the program that opens an address in the browser of this desktop, or undefined if there is no desktop. */
export function findBrowserCommand(
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv,
  address: string,
): readonly [program: string, ...args: string[]] | undefined {
  if (platform === "darwin") return ["open", address];
  // `start` belongs to the shell, which would interpret characters such as `&` in the address.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", address];
  return environment.DISPLAY || environment.WAYLAND_DISPLAY ? ["xdg-open", address] : undefined;
}
