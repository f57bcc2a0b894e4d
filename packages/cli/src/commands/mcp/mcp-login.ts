import { join } from "node:path";
import { CapabilityError } from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import { claimFolder, openMcpLogout as endMcpLogin, openMcpLogin } from "@paraph/server";
import { CliError, interruptedError, usageError } from "../../lib/cli-error.ts";
import { readConfiguration } from "../../lib/config/configuration.ts";
import { dataFolderName } from "../../lib/config/paraph-folder.ts";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { listenForRedirect, type RedirectListener } from "./mcp-redirect.ts";

interface LoginOptions {
  /** The issuer that is confirmed in advance, for use without a terminal. */
  readonly issuer?: string;
  readonly port?: number;
}

type McpLoginSession = Awaited<ReturnType<typeof openMcpLogin>>;

/** Logs in to an MCP server: a person confirms the issuer, a browser opens it, and the resulting tokens are stored. */
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
  output.info("Open this in a browser on this machine, and log in:");
  if (context.json) output.json({ url: begun.url });
  else output.data(begun.url);
  const { lasts } = await withCliErrors(
    begun.finish(await waitForRedirect(context, redirect, begun.isAnswer)),
  );
  if (context.json) output.json({ adapter: name, issuer: door.issuer, lasts });
  else output.info(`Logged in at ${readHost(door.issuer)}. A running Paraph takes it up within a minute.`);
  if (!lasts)
    output.info("The issuer gave no refresh token: this has to be done again when the token is spent.");
  return exitCode.ok;
}

/** Revokes the tokens and deletes them. */
export async function logOutOfMcpServer(context: Context, name: string): Promise<ExitCode> {
  const ended = await withCliErrors(endMcpLogin(await findAdapter(context, name)));
  if (context.json) context.output.json({ adapter: name, ended });
  else context.output.info(logoutMessages[ended]);
  return ended === "forgotten" ? exitCode.failed : exitCode.ok;
}

const logoutMessages = {
  nobody: "Nobody was logged in.",
  revoked: "Logged out: the issuer has taken the tokens back, and they are gone from here.",
  forgotten:
    "The tokens are gone from here, but the issuer could not be told: take them back in your account there.",
};

/**
 * [TRUST 8] Asks a person to confirm the issuer. The operator of an MCP server could name any issuer and so collect a
 * person's password.
 */
async function confirmIssuer({ question }: Context, name: string, door: McpLoginSession): Promise<void> {
  const { issuer, issuerBefore, scope } = door;
  const moved = issuerBefore === undefined ? "" : ` Until now that was ${escapeInvisible(issuerBefore)}.`;
  const asks = scope === undefined ? "" : ` It asks for: ${escapeInvisible(scope)}.`;
  const message = `\`${name}\` wants you to log in at ${escapeInvisible(readHost(issuer))} (${escapeInvisible(issuer)}).${moved}${asks}`;
  if (!question)
    throw usageError(`${message} To agree where nobody can be asked, add \`--issuer ${issuer}\`.`);
  const answered = await question(`${message}\nIs that who should be asked? [y/N] `);
  if (!/^y(es)?$/i.test(answered.trim()))
    throw new CliError("not-confirmed", "Nothing was begun.", { exitCode: exitCode.refused });
}

async function findAdapter({ folder }: Context, name: string) {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name))
    throw usageError("An adapter's name has lower case, digits and _ only.");
  const { config } = await readConfiguration(folder);
  return { name, folder, config };
}

async function openRedirectListener(port: number): Promise<RedirectListener> {
  try {
    return await listenForRedirect(port);
  } catch {
    throw new CliError("port-taken", `Port ${port} cannot be listened on: choose another with \`--port\`.`);
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
    throw new CliError("login-slow", "Nobody came back from the issuer within ten minutes: begin again.");
  }
}

/** Converts faults of a login to CLI errors, because their messages are written for people. */
async function withCliErrors<T>(body: Promise<T>): Promise<T> {
  try {
    return await body;
  } catch (error) {
    throw error instanceof CapabilityError ? new CliError(error.code, error.message) : error;
  }
}

const readHost = (address: string) => new URL(address).host;
const loginTimeoutMs = 600_000;
