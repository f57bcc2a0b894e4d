import { join } from "node:path";
import { CapabilityError } from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import { claimFolder, openMcpLogout as endMcpLogin, openMcpLogin } from "@paraph/server";
import { CliError, interruptedError, usageError } from "../../lib/cli-error.ts";
import { readConfiguration } from "../../lib/config/configuration.ts";
import { dataFolderName } from "../../lib/config/paraph-folder.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { askYesNo } from "../../lib/terminal/ask-yes-no.ts";
import { listenForRedirect, type RedirectListener } from "./mcp-redirect.ts";

interface LoginOptions {
  /**
   * The issuer that the user accepts in advance. The option is needed without a terminal, because the command then
   * cannot ask for confirmation.
   */
  readonly issuer?: string;
  readonly port?: number;
}

type McpLoginSession = Awaited<ReturnType<typeof openMcpLogin>>;

/**
 * Logs in to an MCP server. A person confirms the issuer and logs in there with a browser, and Paraph stores the
 * resulting tokens.
 */
export async function logInToMcpServer(
  context: Context,
  name: string,
  { issuer, port = 0 }: LoginOptions,
): Promise<ExitCode> {
  const { output } = context;
  const named = await findAdapter(context, name);
  await claimFolder(join(context.folder, dataFolderName), context.environment);
  await using door = await withCliErrors(openMcpLogin(named, issuer));
  if (!door.isNamed) await confirmIssuer(context, name, door);
  await using redirect = await openRedirectListener(port);
  const begun = await withCliErrors(door.begin(redirect.url));
  output.info("Open this address in a browser on this machine and log in:");
  if (context.json) output.json({ url: begun.url });
  else output.data(begun.url);
  const { lasts } = await withCliErrors(
    begun.finish(await waitForRedirect(context, redirect, begun.isAnswer)),
  );
  if (context.json) output.json({ adapter: name, issuer: door.issuer, lasts });
  else output.info(`Logged in at ${readHost(door.issuer)}. A running Paraph uses the login within a minute.`);
  if (!lasts) output.info("The issuer returned no refresh token. Log in again when the token expires.");
  return exitCode.ok;
}

/** Logs out of an MCP server. The command revokes the stored tokens and deletes them. */
export async function logOutOfMcpServer(context: Context, name: string): Promise<ExitCode> {
  const ended = await withCliErrors(endMcpLogin(await findAdapter(context, name)));
  if (context.json) context.output.json({ adapter: name, ended });
  else context.output.info(logoutMessages[ended]);
  return ended === "forgotten" ? exitCode.failed : exitCode.ok;
}

const logoutMessages = {
  nobody: "There is no login to end.",
  revoked: "Logged out. The issuer revoked the tokens, and Paraph deleted them.",
  forgotten:
    "Paraph deleted the tokens, but could not revoke them at the issuer. Revoke them in your account there.",
};

/**
 * [TRUST 8] Asks a person to confirm the issuer. Without the confirmation, the operator of an MCP server could name any
 * issuer and collect a person's password.
 */
async function confirmIssuer({ question }: Context, name: string, door: McpLoginSession): Promise<void> {
  const { issuer, issuerBefore, scope } = door;
  const moved =
    issuerBefore === undefined ? "" : ` The previous issuer was ${escapeInvisible(issuerBefore)}.`;
  const asks = scope === undefined ? "" : ` Requested scopes: ${escapeInvisible(scope)}.`;
  const message = `\`${name}\` requires a login at ${escapeInvisible(readHost(issuer))} (${escapeInvisible(issuer)}).${moved}${asks}`;
  if (!question)
    throw usageError(
      `${message} This is not an interactive terminal, so Paraph cannot ask you. To accept this issuer, pass \`--issuer ${issuer}\`.`,
    );
  if (!(await askYesNo(question, `${message}\nLog in with this issuer?`)))
    throw new CliError("not-confirmed", "The login was not started.", { exitCode: exitCode.refused });
}

async function findAdapter({ folder }: Context, name: string) {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name))
    throw usageError(
      "The adapter's name is not valid. Use lower-case letters, digits and _, and begin with a letter.",
    );
  const { config } = await readConfiguration(folder);
  return { name, folder, config };
}

async function openRedirectListener(port: number): Promise<RedirectListener> {
  try {
    return await listenForRedirect(port);
  } catch {
    throw new CliError("port-taken", `Port ${port} is not available. Choose another port with \`--port\`.`);
  }
}

async function waitForRedirect(
  { signal }: Context,
  redirect: RedirectListener,
  isOurs: (query: URLSearchParams) => boolean,
) {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(loginTimeoutMs)]);
  try {
    return await redirect.waitForAnswer(isOurs, patience);
  } catch {
    if (signal.aborted) throw interruptedError();
    throw new CliError("login-slow", "The login did not finish within ten minutes. Start it again.");
  }
}

/** Converts login faults to CLI errors. The messages of login faults are already written for people. */
async function withCliErrors<T>(body: Promise<T>): Promise<T> {
  try {
    return await body;
  } catch (error) {
    throw error instanceof CapabilityError ? new CliError(error.code, error.message) : error;
  }
}

const readHost = (address: string) => new URL(address).host;
const loginTimeoutMs = 600_000;
