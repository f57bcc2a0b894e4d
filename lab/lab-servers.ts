import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalPostgres, type LocalRestate, startPostgres, startRestate } from "@paraph/dev-servers";
import { Client } from "pg";

/** Starts PostgreSQL. With `network`, it also serves the hosts of that network. */
export async function startDatabase(
  folder: string,
  network: { readonly address: string; readonly range: string } | undefined,
): Promise<LocalPostgres> {
  if (!network) return startPostgres({ folder });
  const settings = { listen_addresses: `127.0.0.1,${network.address}` };
  const postgres = await startPostgres({ folder, settings });
  await appendFile(
    join(folder, "postgres/data/pg_hba.conf"),
    `host all all ${network.range} scram-sha-256\n`,
  );
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query("select pg_reload_conf()");
  await client.end();
  return postgres;
}

/** Creates Paraph's database and returns its URL. */
export async function createDatabase(postgres: LocalPostgres): Promise<string> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query("create database paraph");
  await client.end();
  return postgres.url.replace(/\/postgres$/, "/paraph");
}

export const toNodeFolder = (folder: string, index: number): string => join(folder, `node${index + 1}`);

export function startNodes(folder: string, count: number): Promise<LocalRestate[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => startNode(folder, index, count)));
}

/**
 * Starts one node. Each of three nodes holds a part of the replicated log and metadata, and any one of them may be
 * down.
 */
export function startNode(folder: string, index: number, count: number): Promise<LocalRestate> {
  const alone = count === 1;
  const name = (node: number) => `n${node + 1}`;
  const addresses = Array.from(
    { length: count },
    (_, node) => `unix:${toNodeFolder(folder, node)}/restate/${name(node)}/fabric.sock`,
  );
  return startRestate({
    folder: toNodeFolder(folder, index),
    nodeName: name(index),
    env: alone
      ? {}
      : {
          RESTATE_AUTO_PROVISION: String(index === 0),
          RESTATE_DEFAULT_REPLICATION: "2",
          RESTATE_BIFROST__DEFAULT_PROVIDER: "replicated",
          RESTATE_METADATA_CLIENT__ADDRESSES: `[${addresses.map((address) => `"${address}"`).join(",")}]`,
          RESTATE_DEFAULT_NUM_PARTITIONS: "4",
        },
  });
}
