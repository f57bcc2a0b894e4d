import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type PublicKey, roles } from "@paraph/core";
import {
  claimFolder,
  createFileSigner,
  migrateDatabase,
  type ParaphOptions,
  type Provisioner,
  provision,
  readRestateAddress,
} from "@paraph/server";
import { readRecord, writeRecord } from "@paraph/server/local-record";
import { Client } from "pg";
import {
  findFreePort,
  type LocalPostgres,
  type LocalRestate,
  startPostgres,
  startRestate,
} from "../index.ts";

export { requireFreePorts } from "../index.ts";

/** A local Paraph with its servers. Its keys and data are in one folder and persist from one start to the next. */
export interface LocalParaph {
  readonly databaseUrl: string;
  /** The addresses of Restate, or undefined if PostgreSQL is the engine. */
  readonly restate: NonNullable<ParaphOptions["restate"]> | undefined;
  readonly signer: ReturnType<typeof createFileSigner>;
  readonly publicKeys: readonly PublicKey[];
  readonly access: LocalCredentials;
  /** The local tenant. `owner` is the person who owns the tenant's agent. */
  readonly tenant: string;
  readonly owner: string;
  readonly ports: { readonly http: number; readonly worker: number };
  readonly postgres: LocalPostgres | undefined;
  readonly restateServer: LocalRestate | undefined;
  stop(): Promise<void>;
}

/**
 * The address of a local Paraph, and the API keys of its agent and of the agent's owner. The command line uses them to
 * connect.
 */
export interface LocalCredentials {
  readonly url: string;
  readonly agent: string;
  readonly owner: string;
}

interface LocalState {
  readonly http: number;
  readonly worker: number;
  readonly databasePassword: string;
  readonly agent?: string;
}

/** The paths of files in the folder. The command line, `paraph verify` and people read these files. */
export const localFiles = {
  state: "state.json",
  trustedKeys: "trusted-keys.json",
  signingKey: "keys/signing.pem",
} as const;

/** The options of `startLocal`. */
export interface LocalOptions {
  /** Called before each step that takes time. */
  readonly progress: (step: string) => void;
  /** Whether to use a folder that already contains data, even if this user never started `paraph dev` there. */
  readonly adopt?: boolean | undefined;
  /** The engine (default: Restate if the environment names one, or else PostgreSQL). */
  readonly engine?: LocalEngine | undefined;
}

/** The engines that a local Paraph can use. */
export type LocalEngine = "postgres" | "restate";

/**
 * Starts PostgreSQL in the folder, and Restate if it is the chosen engine, or uses the servers that DATABASE_URL and
 * RESTATE_… name. Then migrates the database and creates the tenant `local` with an agent and its owner.
 */
export async function startLocal(
  folder: string,
  environment: NodeJS.ProcessEnv,
  { progress, adopt = false, engine: chosen }: LocalOptions,
): Promise<LocalParaph> {
  const restate = chosen === "postgres" ? undefined : readRestateAddress(environment);
  await claimFolder(folder, environment, { adopt });
  const known = await readState(folder);
  const servers: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  };
  try {
    const startsRestate = chosen === "restate" && restate === undefined;
    progress(`starting PostgreSQL${startsRestate ? " and Restate" : ""}`);
    const [database, restateServer] = await Promise.all([
      openLocalDatabase(folder, known, environment).then((made) => {
        if (made.server) servers.push(made.server);
        return made;
      }),
      startsRestate
        ? startRestate({ folder }).then((server) => {
            servers.push(server);
            return server;
          })
        : undefined,
    ]);
    progress("preparing the database");
    const record = await readRecord(folder, environment);
    const access = await prepareDatabase(database, {
      agent: known.agent,
      // After the data folder was deleted, the record still holds a key of the deleted database.
      owner: record !== undefined && record.agent === known.agent ? record.owner : undefined,
      allowDowngrade: environment.PARAPH_ALLOW_DOWNGRADE === "1",
    });
    const { owner: _, ...state } = { owner: undefined, ...known };
    await writeState(folder, { ...state, agent: access.agent });
    const signer = createFileSigner(join(folder, localFiles.signingKey));
    const { publicKeys } = signer;
    await writeFile(
      join(folder, localFiles.trustedKeys),
      `${JSON.stringify({ keys: publicKeys }, null, 2)}\n`,
    );
    const url = `http://127.0.0.1:${known.http}`;
    await writeRecord(folder, environment, { url, ...access, keys: publicKeys });
    return {
      databaseUrl: database.url,
      restate: restateServer ? { ...restateServer, publicKeys: [restateServer.publicKey] } : restate,
      signer,
      publicKeys,
      access: { url, ...access },
      tenant: localTenant,
      owner: localOwner,
      ports: { http: known.http, worker: known.worker },
      postgres: database.server,
      restateServer,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface LocalDatabase {
  readonly url: string;
  readonly ownerUrl: string | undefined;
  readonly server: LocalPostgres | undefined;
}

async function openLocalDatabase(
  folder: string,
  state: LocalState,
  environment: NodeJS.ProcessEnv,
): Promise<LocalDatabase> {
  if (environment.DATABASE_URL)
    return { url: environment.DATABASE_URL, ownerUrl: environment.DATABASE_OWNER_URL, server: undefined };
  const server = await startPostgres({ folder });
  const ownerUrl = server.url.replace(/\/postgres$/, "/paraph");
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    const { rows } = await client.query("select from pg_database where datname = 'paraph'");
    if (rows.length === 0) await client.query("create database paraph");
  } finally {
    await client.end();
  }
  const login = new URL(ownerUrl);
  login.username = "paraph";
  login.password = state.databasePassword;
  return { url: login.href, ownerUrl, server };
}

/**
 * Migrates the database, and creates the servers' login and the keys of the tenant `local`. Only the database owner can
 * do this, so the first start needs `ownerUrl`.
 */
async function prepareDatabase(
  { url, ownerUrl }: LocalDatabase,
  {
    agent,
    owner,
    allowDowngrade,
  }: { agent: string | undefined; owner: string | undefined; allowDowngrade: boolean },
): Promise<{ agent: string; owner: string }> {
  if (ownerUrl !== undefined) {
    await migrateDatabase(ownerUrl, { allowDowngrade });
    const { username, password } = new URL(url);
    await provision(ownerUrl, async (p) => {
      await p.createLogin(decodeURIComponent(username), decodeURIComponent(password));
      await createFirstPeople(p);
    });
  }
  if (agent !== undefined && owner !== undefined) return { agent, owner };
  if (ownerUrl === undefined) {
    throw new Error(
      "DATABASE_URL names a database that Paraph has not prepared yet. For the first start, also set DATABASE_OWNER_URL to the login of the database owner.",
    );
  }
  return provision(ownerUrl, async (p) => ({
    agent: agent ?? (await p.createKey(localTenant, "agent")),
    owner: owner ?? (await p.createKey(localTenant, localOwner)),
  }));
}

const localTenant = "local";
const localOwner = "owner";

/**
 * Creates one administrator who owns one agent. That person confirms the agent's calls alone until a second person
 * joins.
 */
async function createFirstPeople(p: Provisioner): Promise<void> {
  await p.addTenant(localTenant);
  await p.addPrincipal({ tenant: localTenant, id: localOwner, kind: "person", groups: [roles.admins] });
  await p.addPrincipal({ tenant: localTenant, id: "agent", kind: "agent", owner: localOwner });
}

/**
 * Reads the state, or creates it with free ports. Ports stay the same across starts, because messages that wait in the
 * engine contain the workers' address.
 */
async function readState(folder: string): Promise<LocalState> {
  const known = await readJson<LocalState>(join(folder, localFiles.state));
  if (known) return known;
  const state: LocalState = {
    http: await findFreePort(),
    worker: await findFreePort(),
    databasePassword: randomBytes(18).toString("base64url"),
  };
  await writeState(folder, state);
  return state;
}

async function writeState(folder: string, state: LocalState): Promise<void> {
  const file = join(folder, localFiles.state);
  await writeFile(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function readJson<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
