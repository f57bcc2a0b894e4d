import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "./cli-error.ts";
import type { Context } from "./context.ts";
import { exitCode } from "./exit-code.ts";
import { paraphFolder, runningFile, stateFile } from "./paraph-folder.ts";

/** Whom a command speaks as: the agent that calls, the person who decides, or whoever is there to look (a person first). */
export type Speaker = "agent" | "person" | "reader";

export interface Connection {
  readonly url: string;
  readonly key: string;
}

const variables = {
  agent: ["PARAPH_KEY"],
  person: ["PARAPH_APPROVER_KEY"],
  reader: ["PARAPH_APPROVER_KEY", "PARAPH_KEY"],
} as const;

/** Where the server is and with which key: from the command line and environment, else from the nearest `.paraph`. */
export async function connection(
  context: Pick<Context, "environment" | "folder" | "url">,
  speaker: Speaker,
): Promise<Connection> {
  const { environment } = context;
  const given = context.url ?? environment.PARAPH_URL;
  const local = await localAccess(context.folder);
  const url = given ?? local?.url;
  if (url === undefined) {
    throw new CliError(
      "no-server",
      "There is no Paraph in this folder: start one with `paraph dev`, or name one with `--url` or PARAPH_URL.",
    );
  }
  // A key is only ever sent to the server it belongs to: the local keys go to the local server.
  const own =
    local && sameOrigin(url, local.url) ? local[speaker === "agent" ? "agent" : "person"] : undefined;
  const set = variables[speaker].map((name) => environment[name]).find((value) => value);
  const key = set ?? own;
  if (key === undefined) {
    throw new CliError("no-key", `There is no key for ${url}: set ${variables[speaker].join(" or ")}.`, {
      exitCode: exitCode.notAuthenticated,
    });
  }
  return { url: validUrl(url), key };
}

export interface LocalAccess {
  readonly folder: string;
  readonly url: string;
  readonly agent: string;
  readonly person: string;
}

/** As @paraph/server's `readLocalAccess`, without loading a server for every command. */
export async function localAccess(from: string): Promise<LocalAccess | undefined> {
  const folder = paraphFolder(from);
  if (folder === undefined) return undefined;
  const state = await readJson<{ http?: number; agent?: string; owner?: string }>(join(folder, stateFile));
  if (!state?.http || !state.agent || !state.owner) return undefined;
  const url = (await runningUrl(folder)) ?? `http://127.0.0.1:${state.http}`;
  return { folder, url, agent: state.agent, person: state.owner };
}

/** `paraph dev --port` listens elsewhere than the folder's state says, and writes down where for as long as it runs. */
async function runningUrl(folder: string): Promise<string | undefined> {
  return (await running(folder))?.url;
}

/** Whether a `paraph dev` runs for this folder, or for one above. */
export async function runsHere(from: string): Promise<boolean> {
  const folder = paraphFolder(from);
  return folder !== undefined && (await running(folder)) !== undefined;
}

interface Running {
  readonly url: string;
  readonly pid: number;
  /** The port of the PostgreSQL that it has started, if it has. */
  readonly postgres?: number;
}

async function running(folder: string): Promise<Running | undefined> {
  const found = await readJson<Running>(join(folder, runningFile));
  return found && isAlive(found.pid) ? found : undefined;
}

/** The database of a `paraph dev` that runs, as its servers log in, and the one tenant that is in it. */
export async function localDatabase(from: string): Promise<DatabaseAccess | undefined> {
  const folder = paraphFolder(from);
  if (folder === undefined) return undefined;
  const port = (await running(folder))?.postgres;
  const state = await readJson<{ databasePassword?: string }>(join(folder, stateFile));
  if (port === undefined || state?.databasePassword === undefined) return undefined;
  return {
    url: `postgres://paraph:${encodeURIComponent(state.databasePassword)}@127.0.0.1:${port}/paraph`,
    tenant: "local",
  };
}

/** The same database as its owner, for whoever can read the folder. */
export async function localOwnerDatabase(
  from: string,
): Promise<(DatabaseAccess & { readonly api: string }) | undefined> {
  const folder = paraphFolder(from);
  const found = folder === undefined ? undefined : await running(folder);
  if (folder === undefined || found?.postgres === undefined) return undefined;
  const password = (await readFile(join(folder, "postgres", "password"), "utf8")).trim();
  const url = `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${found.postgres}/paraph`;
  return { url, tenant: "local", api: found.url };
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
      `\`${file}\` cannot be read: \`paraph dev\` in its folder writes it anew.`,
      {
        cause: error,
      },
    );
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function sameOrigin(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
}

function validUrl(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new CliError(
    "url-invalid",
    `\`${url}\` is not an address: write it as \`https://paraph.example.com\`.`,
    {
      exitCode: exitCode.usage,
    },
  );
}
