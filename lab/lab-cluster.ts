import { chmod, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Grant, type PublicKey, roles, sealGrant } from "@paraph/core";
import { findFreePort, type LocalPostgres, type LocalRestate, startPostgres } from "@paraph/dev-servers";
import { Client, Pool } from "pg";
import { createGrantStore, migrateDatabase, provision } from "../packages/server/src/postgres/index.ts";
import { createFileSigner } from "../packages/server/src/system/signer.ts";
import type { LabHistory } from "./history/history.ts";
import { filterPerformed } from "./history/history-index.ts";
import {
  readGates,
  readObserved,
  readRecords,
  readWrittenEvents,
  toLedgerCall,
} from "./history/read-rows.ts";
import type { LabEngine } from "./lab.ts";
import { type LabProcess, type StartOptions, startScript } from "./lab-process.ts";
import { createDatabase, startDatabase, startNode, startNodes, toNodeFolder } from "./lab-servers.ts";
import { type OracleRecord, toWebhookFile, type WebhookRecord } from "./oracle/oracle.ts";

/** Three more agents. The cluster also has `agent`, an owner who administers the agents, and the people who decide. */
export const botIds = ["bot1", "bot2", "bot3"] as const;
const people = ["approver", "second", "editor"] as const;
export type LabKeys = Readonly<Record<"agent" | "owner" | (typeof people | typeof botIds)[number], string>>;

/**
 * A durable PostgreSQL, an oracle, and the Paraph processes that a run starts. If Restate is the engine, the cluster
 * also has one node of it or three.
 */
export class LabCluster {
  readonly folder: string;
  readonly keys: LabKeys;
  readonly publicKeys: readonly PublicKey[];
  readonly oracle: LabProcess;
  postgres: LocalPostgres;
  /** The nodes of Restate. If PostgreSQL is the engine, there are none. */
  readonly nodes: LocalRestate[];
  logs = "";
  readonly #workerPort: number;
  readonly #hooks: boolean;
  readonly #running = new Set<LabProcess>();

  private constructor(
    given: Pick<LabCluster, "folder" | "keys" | "publicKeys" | "oracle" | "postgres" | "nodes">,
    workerPort: number,
    hooks: boolean,
  ) {
    this.folder = given.folder;
    this.keys = given.keys;
    this.publicKeys = given.publicKeys;
    this.oracle = given.oracle;
    this.postgres = given.postgres;
    this.nodes = given.nodes;
    this.#workerPort = workerPort;
    this.#hooks = hooks;
  }

  /**
   * With `hooks`, the oracle receives every event as a webhook. `database` is a second address of PostgreSQL, and
   * `oracle` the host on which the oracle runs. Without them, both are on loopback. `disk` is a folder for PostgreSQL's
   * data outside the cluster's folder. `migrate` prepares the database in place of this version.
   */
  static async start(options: {
    engine: LabEngine;
    nodes?: 1 | 3;
    hooks?: boolean;
    database?: { readonly address: string; readonly range: string };
    oracle?: { readonly address: string; readonly prefix: readonly string[] };
    disk?: string;
    migrate?: (ownerUrl: string) => Promise<unknown>;
  }): Promise<LabCluster> {
    const folder = await mkdtemp(join(tmpdir(), "paraph-lab-"));
    // A root process starts PostgreSQL as another user, which needs to traverse this folder.
    await chmod(folder, 0o711);
    if (options.disk !== undefined) await symlink(options.disk, join(folder, "postgres"));
    const [postgres, nodes, oracle] = await Promise.all([
      startDatabase(join(folder, "postgres"), options.database),
      startNodes(folder, options.engine === "restate" ? (options.nodes ?? 1) : 0),
      startScript(
        "oracle",
        { ORACLE_FILE: join(folder, "oracle.jsonl"), ORACLE_HOST: options.oracle?.address ?? "127.0.0.1" },
        () => {},
        options.oracle && { prefix: options.oracle.prefix },
      ),
    ]);
    const ownerUrl = await createDatabase(postgres);
    await (options.migrate ?? migrateDatabase)(ownerUrl);
    const keys = await provision(ownerUrl, async (p) => {
      await p.createLogin("paraph", "paraph");
      await p.addTenant("acme");
      await p.addPrincipal({ tenant: "acme", id: "owner", kind: "person", groups: [roles.admins] });
      for (const id of people) await p.addPrincipal({ tenant: "acme", id, kind: "person" });
      for (const id of ["agent", ...botIds])
        await p.addPrincipal({ tenant: "acme", id, kind: "agent", owner: "owner" });
      const keys: [string, string][] = [];
      for (const id of ["agent", "owner", ...people, ...botIds])
        keys.push([id, await p.createKey("acme", id)]);
      return Object.fromEntries(keys) as LabKeys;
    });
    const { publicKey } = createFileSigner(join(folder, "signing.pem"));
    const given = { folder, keys, publicKeys: [publicKey], oracle, postgres, nodes };
    return new LabCluster(given, await findFreePort(), options.hooks ?? false);
  }

  /** Starts a Paraph process. Several workers share one port, as on one machine. */
  async startProcess(
    roles: "api" | "worker" | "api,worker",
    env: Record<string, string> = {},
    options: StartOptions = {},
  ): Promise<LabProcess> {
    const node = this.nodes[this.#running.size % this.nodes.length];
    const running = await startScript(
      "paraph",
      {
        ROLES: roles,
        DATABASE_URL: this.loginUrl,
        ...(node && {
          RESTATE_INGRESS_URL: node.ingressUrl,
          RESTATE_ADMIN_URL: node.adminUrl,
          RESTATE_PUBLIC_KEYS: this.nodes.map(({ publicKey }) => publicKey).join(","),
        }),
        SIGNING_KEY: join(this.folder, "signing.pem"),
        ORACLE_URL: this.oracle.ready.url,
        WORKER_PORT: String(this.#workerPort),
        HTTP_PORT: "0",
        MOST_DENIALS: "1000000",
        ...(this.#hooks && {
          HOOK_URL: `${this.oracle.ready.url}/hook`,
          PARAPH_SECRET__ACME__HOOK: hookSecret,
        }),
        ...env,
      },
      (text) => {
        this.logs += text;
      },
      options,
    );
    this.#running.add(running);
    void running.gone.then(() => this.#running.delete(running));
    return running;
  }

  /** The engine in the words of docs/proof.md. */
  get engineText(): string {
    const count = this.nodes.length;
    return count === 0 ? "PostgreSQL as the engine" : `${count} Restate node${count === 1 ? "" : "s"}`;
  }

  async restartPostgres(): Promise<void> {
    await this.postgres.kill();
    this.postgres = await startPostgres({ folder: join(this.folder, "postgres"), port: this.postgres.port });
  }

  async restartNode(index: number): Promise<void> {
    await this.nodes[index]!.kill();
    this.nodes[index] = await startNode(this.folder, index, this.nodes.length);
  }

  /** Creates a grant on behalf of the approver. */
  async createGrant(
    grant: Pick<Grant, "id" | "capability" | "bounds" | "countLeft" | "amountLeft">,
  ): Promise<void> {
    const pool = new Pool({ connectionString: this.ownerUrl, max: 1 });
    const people = [{ by: "approver", groups: [] }];
    const given = { ...grant, people, expiresAt: Date.now() + 8 * 3_600_000 };
    const sealer = createFileSigner(join(this.folder, "signing.pem"));
    await createGrantStore(pool).create("acme", sealGrant("acme", given, sealer), "approver");
    await pool.end();
  }

  /** Queries the database as its owner. */
  async query<T>(text: string, values: unknown[] = []): Promise<T[]> {
    return this.#asOwner(async (owner) => (await owner.query(text, values)).rows as T[]);
  }

  /** Moves PostgreSQL's clock relative to the machine's clock. PostgreSQL's clock decides when every wait ends. */
  async moveClock(ms: number): Promise<void> {
    await this.#asOwner(async (owner) => {
      await owner.query("begin");
      await owner.query("create table if not exists public.moved (by interval not null)");
      await owner.query("grant select on public.moved to public");
      await owner.query("delete from public.moved");
      await owner.query("insert into public.moved values (make_interval(secs => $1))", [ms / 1_000]);
      await owner.query(
        "create or replace function paraph.now() returns timestamptz language sql volatile as 'select clock_timestamp() + by from public.moved'",
      );
      await owner.query("commit");
    });
  }

  /**
   * Waits until no call is open and every webhook and observation is delivered. Gives up after two minutes in which
   * nothing was finished, so that a slow machine has the time that it needs.
   */
  async waitForRest(): Promise<void> {
    const count = async () => (await this.#open()) + (await this.#untold()) + (await this.#unheard());
    let least = Number.POSITIVE_INFINITY;
    let deadline = 0;
    for (let left = await count(); left > 0; left = await count()) {
      if (left < least) deadline = Date.now() + 120_000;
      if (Date.now() > deadline) return;
      least = Math.min(least, left);
      await sleep(250);
    }
  }

  /**
   * Lists the calls with an unknown outcome that hold locks which other calls wait for. They hold these locks until a
   * person resolves them.
   */
  listUnknownHolders(): Promise<readonly string[]> {
    return this.#asOwner(async (owner) => {
      const { rows } = await owner.query(`
        select distinct l.holder from paraph.lock l join paraph.lock_waiter w on w.tenant = l.tenant and w.key = l.key
        join paraph.call c on c.tenant = l.tenant and c.id = l.holder where c.outcome = 'unknown'`);
      return rows.map(({ holder }) => holder as string);
    });
  }

  /** Deletes the storage of all Restate nodes and starts them empty. */
  async wipeEngine(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    const count = this.nodes.length;
    await Promise.all(
      this.nodes.map((_, index) =>
        rm(join(toNodeFolder(this.folder, index), "restate"), { recursive: true, force: true }),
      ),
    );
    const started = await startNodes(this.folder, count);
    this.nodes.splice(0, this.nodes.length, ...started);
  }

  /** Stops the Paraph processes, then reads the records of the run. */
  async collectHistory(
    meta: Omit<LabHistory["meta"], "keys">,
    client: LabHistory["client"],
    more: Pick<LabHistory, "freezes"> = {},
  ): Promise<LabHistory> {
    await Promise.all([...this.#running].map((running) => running.end()));
    return this.#asOwner(async (owner) => {
      const { rows } = await owner.query(`
        select paraph.load(c.tenant, c.id) as call, (select json_agg(paraph.read_receipt(r)) from paraph.receipt r where r.tenant = c.tenant and r.call = c.id) as receipts,
               (select json_agg(r.envelope) from paraph.resolution r where r.tenant = c.tenant and r.call = c.id) as findings
        from paraph.call c order by c.id`);
      const locks = await owner.query(
        "select 'lock' as kind, key, holder as call from paraph.lock union all select 'waiter', key, call from paraph.lock_waiter",
      );
      return {
        meta: { ...meta, keys: this.publicKeys } as LabHistory["meta"],
        client,
        oracle: await readRecords<OracleRecord>(this.#oracleFile()),
        ...(this.#hooks && { hooks: await readRecords<WebhookRecord>(toWebhookFile(this.#oracleFile())) }),
        ledger: rows.map(({ call, receipts, findings }) => toLedgerCall(call, receipts, findings)),
        leftovers: locks.rows,
        messages: (await owner.query("select id, call, paraph.millis(at)::float8 as at from paraph.message"))
          .rows,
        gates: await readGates(owner),
        ...(await readObserved(owner)),
        ...more,
        ...(more.freezes && { written: await readWrittenEvents(owner) }),
      };
    });
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running].map((running) => running.end("SIGKILL")));
    await Promise.all([...this.nodes.map((node) => node.stop()), this.postgres.stop(), this.oracle.end()]);
    // The children of a killed server may still write for a short time, so the removal is retried.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  #open(): Promise<number> {
    return this.#asOwner(async (owner) =>
      Number((await owner.query("select count(*) from paraph.call where state <> 'closed'")).rows[0].count),
    );
  }

  async #asOwner<T>(body: (owner: Client) => Promise<T>): Promise<T> {
    const owner = new Client({ connectionString: this.ownerUrl });
    // A killed server also raises an error between queries. The next query reports it.
    owner.on("error", () => {});
    await owner.connect();
    try {
      return await body(owner);
    } finally {
      await owner.end();
    }
  }

  /** Returns how many effects were not observed yet, if the run polls for observations. */
  async #unheard(): Promise<number> {
    const { observed } = await this.#asOwner(readObserved);
    if (!observed) return 0;
    const happened = filterPerformed(await readRecords<OracleRecord>(this.#oracleFile()));
    return happened.length - observed.length;
  }

  #untold(): Promise<number> {
    return this.#asOwner(async (owner) => {
      const text = "select count(*) from paraph.webhook_delivery where delivered < wanted";
      return Number((await owner.query(text)).rows[0].count);
    });
  }

  #oracleFile(): string {
    return join(this.folder, "oracle.jsonl");
  }

  /** The connection URL of the database for the Paraph processes. */
  get loginUrl(): string {
    return Object.assign(new URL(this.ownerUrl), { username: "paraph", password: "paraph" }).href;
  }

  /** The connection URL of the database for the owner of its tables. */
  get ownerUrl(): string {
    return this.postgres.url.replace(/\/postgres$/, "/paraph");
  }
}

const hookSecret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
