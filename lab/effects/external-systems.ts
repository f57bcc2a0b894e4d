import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import type { LabCluster } from "../lab-cluster.ts";
import { effectPaths } from "./config.ts";

const runFile = promisify(execFile);

/** The number of times that each effect happened for one name. */
export interface EffectCounts {
  readonly push: number;
  readonly insert: number;
  readonly append: number;
  readonly note: number;
}

/** The external systems of the experiment, which it inspects without any code of Paraph. */
export class ExternalSystems {
  readonly folder: string;
  readonly #shop: () => string;

  private constructor(folder: string, shop: () => string) {
    this.folder = folder;
    this.#shop = shop;
  }

  static async create(cluster: LabCluster): Promise<ExternalSystems> {
    const folder = join(cluster.folder, "effects");
    const outside = new ExternalSystems(folder, () => buildShopUrl(cluster));
    await mkdir(folder);
    await createRepositories(folder);
    await createTools(folder);
    await cluster.query("create database shop");
    await outside.#asked([
      "create table orders (id bigserial primary key, name text not null)",
      "create table paraph_applied (call_id text primary key, result jsonb, at timestamptz not null default now())",
    ]);
    return outside;
  }

  env(): Record<string, string> {
    return { EFFECTS_FOLDER: this.folder, SHOP_DB: this.#shop() };
  }

  /** Creates a branch with one commit of its own, ready to be pushed. */
  async createBranch(name: string): Promise<void> {
    const { work } = effectPaths(this.folder);
    const tree = (await runGit(work, "rev-parse", "main^{tree}")).trim();
    const commit = (await runGit(work, "commit-tree", tree, "-p", "main", "-m", name)).trim();
    await runGit(work, "update-ref", `refs/heads/${name}`, commit);
  }

  async countEffects(names: readonly string[]): Promise<ReadonlyMap<string, EffectCounts>> {
    const { remote, written } = effectPaths(this.folder);
    const [rows] = await this.#asked<{ name: string; n: string }>([
      "select name, count(*) as n from orders group by name",
    ]);
    const orders = new Map(rows!.map(({ name, n }) => [name, Number(n)]));
    const lines = (await readFile(join(written, "lines"), "utf8").catch(() => "")).split("\n");
    const notes = new Set(await readdir(written));
    const updates = async (name: string) =>
      (await readFile(join(remote, "logs/refs/heads", name), "utf8").catch(() => ""))
        .split("\n")
        .filter((line) => line !== "").length;
    const each = async (name: string): Promise<[string, EffectCounts]> => [
      name,
      {
        push: await updates(name),
        insert: orders.get(name) ?? 0,
        append: lines.filter((line) => line === name).length,
        note: notes.has(name) ? 1 : 0,
      },
    ];
    return new Map(await Promise.all(names.map(each)));
  }

  async #asked<T>(texts: readonly string[]): Promise<T[][]> {
    const client = new Client({ connectionString: this.#shop() });
    await client.connect();
    try {
      const all: T[][] = [];
      for (const text of texts) all.push((await client.query(text)).rows as T[]);
      return all;
    } finally {
      await client.end();
    }
  }
}

function buildShopUrl(cluster: LabCluster): string {
  const url = new URL(cluster.ownerUrl);
  url.pathname = "/shop";
  return url.href;
}

async function runGit(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await runFile("git", ["-C", folder, ...args], {
    env: {
      PATH: process.env.PATH,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "lab",
      GIT_AUTHOR_EMAIL: "lab@localhost",
      GIT_COMMITTER_NAME: "lab",
      GIT_COMMITTER_EMAIL: "lab@localhost",
    },
  });
  return stdout;
}

/** Creates both repositories. The remote logs every update of its branches. */
async function createRepositories(folder: string): Promise<void> {
  const { work, remote } = effectPaths(folder);
  for (const each of [work, remote]) await mkdir(each);
  await runGit(remote, "init", "-q", "--bare", "-b", "main");
  await runGit(remote, "config", "core.logAllRefUpdates", "always");
  await runGit(work, "init", "-q", "-b", "main");
  await writeFile(join(work, "README"), "The laboratory's.\n");
  await runGit(work, "add", "README");
  await runGit(work, "commit", "-qm", "first");
}

/**
 * Creates one tool that is not safe to repeat and one that is. Both run long enough for a process to die during the
 * effect.
 */
async function createTools(folder: string): Promise<void> {
  const { tools, written } = effectPaths(folder);
  await mkdir(tools);
  await mkdir(written);
  const script = (name: string, body: string) =>
    writeFile(join(tools, name), `#!/bin/sh\nsleep 0.03\n${body}\nsleep 0.03\n`);
  await script("append.sh", `printf '%s\\n' "$1" >> '${written}/lines'`);
  await script("note.sh", `printf '%s\\n' "$1" > '${written}/'"$1"`);
  for (const name of ["append.sh", "note.sh"]) await chmod(join(tools, name), 0o755);
  const tool = (name: string, idempotency: string) => `
  ${name}:
    binary: ${join(tools, `${name}.sh`)}
    summary: Write a name down
    args: ["{name}"]
    input: { name: { type: string } }
    effect: write
    idempotency: ${idempotency}
    timeout: 8s
`;
  await writeFile(join(tools, "ops.yaml"), `tools:${tool("append", "none")}${tool("note", "natural")}`);
}
