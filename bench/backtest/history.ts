import { Client } from "pg";
import { backtestCapabilities } from "./policies.ts";

export const historyTenant = "acme";

/**
 * Inserts calls of the last month as the pipeline records them. The database itself generates ids, events and payloads.
 */
export async function seedHistory(ownerUrl: string, calls: number): Promise<void> {
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query("set synchronous_commit = off");
    await client.query("create temporary table kind (n int, capability text, digest text, previews boolean)");
    for (const [n, { contract, contractDigest }] of backtestCapabilities.entries())
      await client.query("insert into kind values ($1, $2, $3, $4)", [
        ...[n, contract.name, contractDigest, contract.previews],
      ]);
    await client.query(
      `create temporary table made as
       select i, k.*, now() - make_interval(secs => 86400.0 * 30 * (1 - i::float8 / $1)) as at, 'agent-' || i % 50 as principal
       from generate_series(1, $1::int) as i join kind k on k.n = i % $2`,
      [calls, backtestCapabilities.length],
    );
    await client.query("alter table made add column id text");
    await client.query(
      "update made set id = paraph.id_before('call', at + interval '1 hour') || lpad(i::text, 16, '0')",
    );
    for (const text of insertStatements) await client.query(text, text.includes("$1") ? [historyTenant] : []);
    await client.query("analyze");
  } finally {
    await client.end();
  }
}

const insertStatements = [
  `insert into paraph.call (tenant, id, principal, key, capability, version, contract_digest, request_digest, lock_keys, state, epoch, outcome, outcome_code, created_at, closed_at)
   select $1, id, principal, id, capability, 1, digest, 'r', '{}', 'closed', 3, 'succeeded', 'done', at, at from made`,
  `insert into paraph.event_row (tenant, call, seq, kind, at, data)
   select $1, id, 1, 'accepted', at, jsonb_build_object('capability', capability, 'principal', principal) from made
   union all select $1, id, 2, 'ruled', at, jsonb_build_object('ruling', 'allow', 'policies', '["changes-are-permitted"]'::jsonb, 'version', repeat('0', 64), 'request', repeat('0', 64)) from made
   union all select $1, id, 3, 'closed', at, '{"outcome":"succeeded","code":"done"}' from made`,
  `insert into paraph.payload (tenant, call, name, version, salt, body)
   select $1, id, 'input', 1, repeat('0', 32), json_build_object('cents', i % 5000, 'note', repeat('a note of some length ', 10), 'tags', array['one', 'two'],
          'to', 'user' || i % 97 || case when i % 50 = 0 then '@evil.example' else '@example.com' end)::text from made
   union all select $1, id, 'preview', 1, repeat('0', 32), json_build_object('basis', json_build_object('etag', i),
          'changes', (select json_agg(json_build_object('kind', 'update', 'target', 'row:' || c)) from generate_series(0, i % 5) as c))::text from made where previews
   union all select $1, id, 'request', 1, repeat('0', 32), json_build_object('version', repeat('0', 64), 'discharged', '{}'::text[], 'preview', previews,
          'principal', json_build_object('id', principal, 'kind', 'agent', 'owner', 'ana', 'groups', array['robots']),
          'env', json_build_object('at', (extract(epoch from at) * 1000)::bigint, 'callsLastHour', i % 100, 'callsLastDay', i % 1000, 'spentToday', 0, 'deniedLastHour', 0))::text from made`,
];
