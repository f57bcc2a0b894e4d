import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalRecord, readProcessStart, readRecord } from "@paraph/server/local-record";
import { CliError, usageError } from "../cli-error.ts";
import { findParaphFolder, stateFile } from "../config/paraph-folder.ts";
import type { Context } from "../context.ts";
import { exitCode } from "../exit-code.ts";
import { isOwnUrl } from "../own-address.ts";
import { readLogin, type StoredLogin } from "./stored-login.ts";

/**
 * The role of a command's principal: the agent that requests calls, the person who decides, or a reader. A reader uses
 * a person's key if there is one.
 */
export type CallerRole = "agent" | "person" | "reader";

export interface ServerConnection {
  readonly url: string;
  readonly key: string;
}

const keyVariables = {
  agent: ["PARAPH_KEY"],
  person: ["PARAPH_APPROVER_KEY"],
  reader: ["PARAPH_APPROVER_KEY", "PARAPH_KEY"],
} as const;

/**
 * Returns the server's address and the key. The command line sends a key from the environment only to an address that
 * the user named, with `--url` or in the environment. A folder cannot name an address, because the folder may have been
 * cloned. The record of `paraph dev` and the stored login can name an address, because they are outside the folder.
 */
export async function resolveConnection(
  context: Pick<Context, "environment" | "folder" | "url" | "ignoresLogin">,
  speaker: CallerRole,
): Promise<ServerConnection> {
  const { environment } = context;
  const named = context.url ?? environment.PARAPH_URL;
  const local = await findLocalServer(context.folder, environment);
  const login = local && named === undefined ? undefined : await findApplicableLogin(context);
  const url = named ?? local?.url ?? login?.url;
  if (url === undefined) throw noServerError(context.folder);
  if (named === undefined) requireNoLooseKey(speaker, environment, login !== undefined);
  const set =
    named === undefined
      ? undefined
      : keyVariables[speaker].map((name) => environment[name]).find((value) => value);
  const own = local && isSameOrigin(url, local.url) ? pickKey(local, speaker) : undefined;
  const stored = login && isSameOrigin(url, login.url) ? pickKey(login, speaker) : undefined;
  const key = set ?? own ?? stored;
  if (key === undefined) {
    const variables = keyVariables[speaker].join(" or ");
    const owner = { agent: " of an agent", person: " of a person", reader: "" }[speaker];
    throw new CliError(
      "no-key",
      `There is no API key${owner} for ${url}. Store it with \`paraph login --url ${url}\`, or set PARAPH_URL and ${variables}.`,
      { exitCode: exitCode.notAuthenticated },
    );
  }
  return { url: requireUrl(url), key };
}

/** Returns only the server's address, for commands that need no key. */
export async function resolveServerUrl(
  context: Pick<Context, "environment" | "folder" | "url" | "ignoresLogin">,
): Promise<string> {
  const { environment, folder } = context;
  const url =
    context.url ??
    environment.PARAPH_URL ??
    (await findLocalServer(folder, environment))?.url ??
    (await findApplicableLogin(context))?.url;
  if (url === undefined) throw noServerError(folder);
  return requireUrl(url);
}

/**
 * Returns the stored login, unless a `paraph dev` has its data here. Otherwise a command that is meant for a stopped
 * `paraph dev` would reach the stored server instead.
 */
export async function findApplicableLogin({
  environment,
  folder,
  url,
  ignoresLogin,
}: Pick<Context, "environment" | "folder" | "url" | "ignoresLogin">): Promise<StoredLogin | undefined> {
  if (ignoresLogin) return undefined;
  const isNamed = (url ?? environment.PARAPH_URL) !== undefined;
  return isNamed || findParaphFolder(folder) === undefined ? readLogin(environment) : undefined;
}

/**
 * Refuses a key in the environment without its address. Otherwise the command would act with another key, as another
 * principal.
 */
function requireNoLooseKey(speaker: CallerRole, environment: NodeJS.ProcessEnv, isLogin: boolean): void {
  const checked = isLogin ? keyVariables[speaker] : speaker === "person" ? keyVariables.person : [];
  const loose = checked.find((name) => environment[name]);
  if (loose === undefined) return;
  const stored = isLogin ? "paraph login" : "paraph dev";
  throw usageError(
    `${loose} is set, but not the address of its server. Set PARAPH_URL or pass \`--url\`. To use the key of \`${stored}\`, unset ${loose}.`,
  );
}

function pickKey(
  keys: { readonly agent?: string; readonly person?: string },
  speaker: CallerRole,
): string | undefined {
  if (speaker === "agent") return keys.agent;
  return keys.person ?? (speaker === "reader" ? keys.agent : undefined);
}

function noServerError(from: string): CliError {
  const next =
    "Start one with `paraph dev`, pass an address with `--url` or PARAPH_URL, or store one with `paraph login`";
  const found = findParaphFolder(from);
  return new CliError(
    "no-server",
    found === undefined
      ? `There is no Paraph in this folder. ${next}.`
      : `Paraph is not running for \`${found}\`, or another user started it. Start it with \`paraph dev\`, or pass an address with \`--url\` or PARAPH_URL.`,
  );
}

export interface LocalServer {
  readonly folder: string;
  readonly url: string;
  readonly agent: string;
  readonly person: string;
  /** The digest of the configuration with which the server started. */
  readonly configuration: string | undefined;
}

/** Finds the running `paraph dev` of this user for this folder or the nearest parent. */
export async function findLocalServer(
  from: string,
  environment: NodeJS.ProcessEnv,
): Promise<LocalServer | undefined> {
  const found = await findRunningRecord(from, environment);
  if (!found) return undefined;
  const { folder, record, running } = found;
  const { url, configuration } = running;
  return { folder, url, agent: record.agent, person: record.owner, configuration };
}

/**
 * Returns the address at which the Paraph of this folder listens, or will listen when it runs. Paraph may not be
 * running, so the command line sends no key to this address.
 */
export async function findLocalUrl(
  from: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const running = await findLocalServer(from, environment);
  const folder = findParaphFolder(from);
  return running?.url ?? (folder && (await readRecord(folder, environment))?.url);
}

async function findRunningRecord(from: string, environment: NodeJS.ProcessEnv) {
  const folder = findParaphFolder(from);
  if (folder === undefined) return undefined;
  const record = await readRecord(folder, environment).catch((cause) => {
    throw new CliError(
      "record-unreadable",
      `The record of \`paraph dev\` for \`${folder}\` cannot be read. Start \`paraph dev\` there again.`,
      { cause },
    );
  });
  const running = record?.running;
  if (!record || !running || !isOwnUrl(running.url) || !isAlive(running)) return undefined;
  return { folder, record, running };
}

/**
 * Returns the database address and the only tenant of a running `paraph dev`. The address contains the login that the
 * servers use.
 */
export async function findLocalDatabase(
  from: string,
  environment: NodeJS.ProcessEnv,
): Promise<DatabaseAccess | undefined> {
  const found = await findRunningRecord(from, environment);
  const port = found?.running.postgres;
  if (port === undefined) return undefined;
  const state = await readJson<{ databasePassword?: string }>(join(found!.folder, stateFile));
  if (state?.databasePassword === undefined) return undefined;
  return {
    url: `postgres://paraph:${encodeURIComponent(state.databasePassword)}@127.0.0.1:${port}/paraph`,
    tenant: "local",
  };
}

/**
 * Returns how to connect to the database of a running `paraph dev` as its owner. The password is in the folder
 * `.paraph`, so this works only for a user who can read that folder.
 */
export async function findLocalOwnerDatabase(
  from: string,
  environment: NodeJS.ProcessEnv,
): Promise<(DatabaseAccess & { readonly api: string }) | undefined> {
  const found = await findRunningRecord(from, environment);
  if (found?.running.postgres === undefined) return undefined;
  const { folder, running } = found;
  const password = (await readFile(join(folder, "postgres", "password"), "utf8")).trim();
  const url = `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${running.postgres}/paraph`;
  return { url, tenant: "local", api: running.url };
}

export interface DatabaseAccess {
  readonly url: string;
  readonly tenant: string;
}

async function readJson<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CliError(
      "folder-unreadable",
      `\`${file}\` cannot be read. Run \`paraph dev\` in its folder to write it again.`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Whether the recorded process still runs. If it runs, no other program can have its port. The result is false if the
 * process belongs to another user, or if an unrelated process has reused the pid.
 */
function isAlive({ pid, started }: NonNullable<LocalRecord["running"]>): boolean {
  try {
    return process.kill(pid, 0) && started !== "" && started === readProcessStart(pid);
  } catch {
    return false;
  }
}

export function isSameOrigin(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
}

/** Returns the address, or throws if it is not one of a web server. */
export function requireUrl(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new CliError(
    "url-invalid",
    `\`${url}\` is not an address. Write it as \`https://paraph.example.com\`.`,
    {
      exitCode: exitCode.usage,
    },
  );
}
