import fc from "fast-check";
import { Pool } from "pg";
import { provision } from "../../../packages/server/src/postgres/index.ts";
import { TestCluster, type TestClusterOptions } from "./test-cluster.ts";
import type { TestOracle } from "./test-oracle.ts";

/** The address and the current time of the servers. Both change while a sequence runs. */
export interface TestServers {
  readonly oracle: TestOracle;
  /** A connection pool with the rights of the database's owner. */
  readonly rows: Pool;
  readonly keys: Readonly<Record<"ana" | "bo" | "owner", string>>;
  url(): string;
  now(): number;
  /** Describes a call in an unexpected state by its rows. */
  about(call: string): Promise<string>;
}

/** The requester of a sequence. Each sequence has its own. */
export interface TestAgent {
  readonly id: string;
  readonly key: string;
}

/** The response to a request. The client repeats the request until a response arrives, however many processes die. */
export interface TestAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  /** Whether the first attempt was lost with its process. */
  readonly repeated: boolean;
}

const hourMs = 3_600_000;

/**
 * Real servers with an API process and a worker that are killed and restarted, a clock that jumps, and a number of
 * agents.
 */
export class RealServers implements TestServers {
  readonly oracle: TestOracle;
  readonly rows: Pool;
  readonly keys: TestServers["keys"];
  readonly agents: readonly TestAgent[];
  readonly #cluster: TestCluster;
  readonly #processes: Record<"api" | "worker", Awaited<ReturnType<TestCluster["startProcess"]>>>;
  #leapt = 0;

  private constructor(
    cluster: TestCluster,
    given: Pick<RealServers, "keys" | "agents">,
    processes: Record<"api" | "worker", Awaited<ReturnType<TestCluster["startProcess"]>>>,
  ) {
    this.oracle = cluster.oracle;
    this.rows = new Pool({ connectionString: cluster.database.ownerUrl, max: 8 });
    this.keys = given.keys;
    this.agents = given.agents;
    this.#cluster = cluster;
    this.#processes = processes;
  }

  static async start(
    count: number,
    engine: NonNullable<TestClusterOptions["engine"]> = "postgres",
  ): Promise<RealServers> {
    const cluster = await TestCluster.start({ engine });
    cluster.environment = { MOST_DENIALS: "1000000", NORMAL_EXPIRES: "24h", HERE: "0" };
    const { keys, agents } = await provision(cluster.database.ownerUrl, async (p) => {
      for (const id of ["ana", "bo"]) await p.addPrincipal({ tenant: "acme", id, kind: "person" });
      const agents: TestAgent[] = [];
      for (let n = 0; n < count; n += 1) {
        const id = `bot${n}`;
        await p.addPrincipal({ tenant: "acme", id, kind: "agent", owner: "owner" });
        agents.push({ id, key: await p.createKey("acme", id) });
      }
      return { agents, keys: { ana: await p.createKey("acme", "ana"), bo: await p.createKey("acme", "bo") } };
    });
    const processes = {
      api: await cluster.startProcess("api"),
      worker: await cluster.startProcess("worker"),
    };
    return new RealServers(cluster, { agents, keys: { ...keys, owner: cluster.keys.owner } }, processes);
  }

  url = (): string => this.#processes.api.url;

  now = (): number => Date.now() + this.#leapt;

  async restart(role: "api" | "worker"): Promise<void> {
    await this.#processes[role].kill();
    this.#processes[role] = await this.#cluster.startProcess(role);
  }

  /**
   * Advances the clock, and resolves once both processes know the new time. The events of an extra call show each
   * process's time.
   */
  async advanceClock(ms: number): Promise<void> {
    this.#leapt += ms;
    await this.rows.query(
      `create or replace function paraph.now() returns timestamptz language sql volatile as 'select clock_timestamp() + interval ''${this.#leapt} ms'''`,
    );
    while (!(await this.#isKnown()));
  }

  async #isKnown(): Promise<boolean> {
    const { body } = await postUntilAnswered(
      this,
      this.#cluster.keys.agent,
      "/v1/calls",
      {
        capability: "free.natural",
        input: { name: "clock" },
      },
      { prefer: "wait=10" },
    );
    const {
      rows: [times],
    } = await this.rows.query(
      "select count(*)::int from paraph.event where call = $1 and kind in ('accepted', 'intended') and at > $2",
      [body.call, new Date(this.now() - hourMs / 2)],
    );
    return Number(times?.count) === 2;
  }

  async about(call: string): Promise<string> {
    const { rows } = await this.rows.query(
      `select c.epoch, c.next_at - paraph.now() as due, (select array_agg(kind || ' ' || (paraph.now() - at)::text order by seq) from paraph.event e where e.tenant = c.tenant and e.call = c.id) as events,
         (select array_agg(s.step || ' ' || s.state || coalesce(' ' || (paraph.now() - s.closed_at)::text, '')) from paraph.call s where s.tenant = c.tenant and s.parent = c.id) as steps
       from paraph.call c where c.tenant = 'acme' and c.id = $1`,
      [call],
    );
    return JSON.stringify(rows[0]);
  }

  async stop(): Promise<void> {
    await this.rows.end();
    await this.#cluster.stop();
  }
}

/** Repeats the request until a response arrives. A process that died before its response has acknowledged nothing. */
export async function postUntilAnswered(
  servers: TestServers,
  key: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  for (let tries = 0; ; tries += 1) {
    try {
      const response = await fetch(servers.url() + path, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      const told = (await response.json()) as TestAnswer["body"];
      if (response.status < 500) return { status: response.status, body: told, repeated: tries > 0 };
    } catch {
      // The process died.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Draws the faults that affect all sequences, one for each turn. */
export const turnArbitrary = (steps: number) =>
  fc.array(
    fc.record({
      dies: fc.constantFrom(undefined, undefined, undefined, undefined, "api" as const, "worker" as const),
      passes: fc.constantFrom(0, 0, 0, 0, 2 * hourMs, 2 * hourMs, 30 * hourMs),
    }),
    { minLength: steps, maxLength: steps },
  );
