import { join } from "node:path";
import { CapabilityError } from "@paraph/core";
import { escapeInvisible } from "@paraph/core/escape-invisible";
import { claimFolder, mcpLogout as endMcpLogin, mcpLogin as openMcpLogin } from "@paraph/server";
import { CliError, interrupted, usageError } from "../cli-error.ts";
import type { Context } from "../context.ts";
import { readConfiguration } from "../dev/configuration.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { listenForRedirect, type Redirect } from "../mcp-redirect.ts";
import { folderName } from "../paraph-folder.ts";

interface LoginOptions {
  /** The issuer that is confirmed beforehand, where nobody can be asked. */
  readonly issuer?: string;
  readonly port?: number;
}

type Door = Awaited<ReturnType<typeof openMcpLogin>>;

/** Logs in at an MCP server: an issuer is confirmed, a browser is sent there, and what it brings back is kept. */
export async function mcpLogin(
  context: Context,
  name: string,
  { issuer, port = 0 }: LoginOptions,
): Promise<ExitCode> {
  const { output } = context;
  const named = await adapterNamed(context, name);
  await claimFolder(join(context.folder, folderName), context.environment);
  await using door = await readable(openMcpLogin(named, issuer));
  if (!door.isNamed) await confirm(context, name, door);
  await using redirect = await listening(port);
  const begun = await readable(door.begin(redirect.url));
  output.say("Open this in a browser on this machine, and log in:");
  if (context.json) output.json({ url: begun.url });
  else output.data(begun.url);
  const { lasts } = await readable(begun.finish(await answer(context, redirect, begun.isAnswer)));
  if (context.json) output.json({ adapter: name, issuer: door.issuer, lasts });
  else output.say(`Logged in at ${hostOf(door.issuer)}. A running Paraph takes it up within a minute.`);
  if (!lasts)
    output.say("The issuer gave no refresh token: this has to be done again when the token is spent.");
  return exitCode.ok;
}

/** Takes the tokens back, and forgets them. */
export async function mcpLogout(context: Context, name: string): Promise<ExitCode> {
  const ended = await readable(endMcpLogin(await adapterNamed(context, name)));
  if (context.json) context.output.json({ adapter: name, ended });
  else context.output.say(farewell[ended]);
  return ended === "forgotten" ? exitCode.failed : exitCode.ok;
}

const farewell = {
  nobody: "Nobody was logged in.",
  revoked: "Logged out: the issuer has taken the tokens back, and they are gone from here.",
  forgotten:
    "The tokens are gone from here, but the issuer could not be told: take them back in your account there.",
};

/** [TRUST 8] Whoever runs the server could name any issuer, and a person would give it their password. */
async function confirm({ question }: Context, name: string, door: Door): Promise<void> {
  const { issuer, issuerBefore, scope } = door;
  const moved = issuerBefore === undefined ? "" : ` Until now that was ${escapeInvisible(issuerBefore)}.`;
  const asks = scope === undefined ? "" : ` It asks for: ${escapeInvisible(scope)}.`;
  const message = `\`${name}\` wants you to log in at ${escapeInvisible(hostOf(issuer))} (${escapeInvisible(issuer)}).${moved}${asks}`;
  if (!question)
    throw usageError(`${message} To agree where nobody can be asked, add \`--issuer ${issuer}\`.`);
  const answered = await question(`${message}\nIs that who should be asked? [y/N] `);
  if (!/^y(es)?$/i.test(answered.trim()))
    throw new CliError("not-confirmed", "Nothing was begun.", { exitCode: exitCode.refused });
}

async function adapterNamed({ folder }: Context, name: string) {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name))
    throw usageError("An adapter's name has lower case, digits and _ only.");
  const { config } = await readConfiguration(folder);
  return { name, folder, config };
}

async function listening(port: number): Promise<Redirect> {
  try {
    return await listenForRedirect(port);
  } catch {
    throw new CliError("port-taken", `Port ${port} cannot be listened on: choose another with \`--port\`.`);
  }
}

async function answer({ signal }: Context, redirect: Redirect, isOurs: (query: URLSearchParams) => boolean) {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  try {
    return await redirect.answer(isOurs, patience);
  } catch {
    if (signal.aborted) throw interrupted();
    throw new CliError("login-slow", "Nobody came back from the issuer within ten minutes: begin again.");
  }
}

/** Faults of a login are written to be read. */
async function readable<T>(body: Promise<T>): Promise<T> {
  try {
    return await body;
  } catch (error) {
    throw error instanceof CapabilityError ? new CliError(error.code, error.message) : error;
  }
}

const hostOf = (address: string) => new URL(address).host;
const patienceMs = 600_000;
