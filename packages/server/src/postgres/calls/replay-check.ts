import {
  callCommitment,
  type Guard,
  type Json,
  type JsonObject,
  type PublicKey,
  type RebuiltCall,
  type ReplayedEvent,
  replayCall,
  sha256Hex,
} from "@paraph/core";
import { Client } from "pg";
import { checkArchives } from "./replay-archives.ts";
import { findCallGaps, findEventGaps } from "./replay-gaps.ts";
import { findPayloadGaps } from "./replay-payloads.ts";
import { checkReceipts } from "./replay-receipts.ts";

/**
 * A difference between a stored row and the events of its call. It holds ids, codes, numbers and times, and digests of
 * longer values.
 */
export interface ReplayDifference {
  readonly call: string;
  readonly table: string;
  /**
   * The key that identifies the row, for example by its round, attempt or voter, if the call has several rows in the
   * table. Empty if the call has only one such row.
   */
  readonly row: string;
  /** The column that differs. Undefined if the whole row is missing on one side. */
  readonly column?: string;
  readonly told: string;
  readonly found: string;
}

/** The result of a replay check: how much it compared, and every difference it found. */
export interface ReplayCheck {
  readonly calls: number;
  readonly events: number;
  /** The number of calls whose payloads an operator erased. */
  readonly erased: number;
  /** The number of calls in archives whose manifest verifies. */
  readonly archived: number;
  readonly differences: readonly ReplayDifference[];
}

/** Options of `checkReplay`. */
export interface CheckReplayOptions {
  readonly tenant: string;
  /** Restricts the check to this call and the calls it made. By default the check covers every call of the tenant. */
  readonly call?: string;
  readonly progress?: (calls: number) => void;
  /** The keys that may sign the manifests of archives. Without them, archived calls count as missing. */
  readonly trusted?: readonly PublicKey[];
  /** The folder with the archives, to check that the archived calls are really in them. */
  readonly archiveFolder?: string;
}

/**
 * Rebuilds the rows of calls from their events alone and compares them with the stored rows. It reads from one
 * snapshot, so it can run on a live system. It runs as the application role inside one tenant, creates only a temporary
 * table, and changes no stored data.
 */
export async function checkReplay(url: string, options: CheckReplayOptions): Promise<ReplayCheck> {
  const client = new Client({ connectionString: url, application_name: "paraph replay" });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("begin isolation level repeatable read");
    await client.query("set local role paraph_app");
    await client.query("select set_config('paraph.tenant', $1, true)", [options.tenant]);
    await client.query(
      "create temp table rebuilt (call text, relation text, key text, told jsonb) on commit drop",
    );
    return await compareAll(client, options);
  } finally {
    await client.query("rollback").catch(() => {});
    await client.end();
  }
}

async function compareAll(client: Client, options: CheckReplayOptions): Promise<ReplayCheck> {
  const { tenant, call, progress } = options;
  const archives = await checkArchives(client, options);
  const differences = [
    ...archives.differences,
    ...(await findCallGaps(client, tenant, call, archives.calls)),
  ];
  let calls = 0;
  let events = 0;
  let erased = 0;
  for await (const page of readPages(client, tenant, call)) {
    differences.push(...(await comparePage(client, tenant, page)));
    calls += page.length;
    events += page.reduce((sum, one) => sum + one.events.length, 0);
    erased += page.filter((one) => one.events.some(({ kind }) => kind === "erased")).length;
    progress?.(calls);
  }
  return { calls, events, erased, archived: archives.calls.size, differences };
}

/** The events of a call, and the facts that its `accepted` event commits to. */
interface CallEvents {
  readonly call: string;
  readonly events: readonly ReplayedEvent[];
  readonly facts: Parameters<typeof callCommitment>[1];
  /** The salt of the commitment. Null once the input is erased. The commitment can then no longer be checked. */
  readonly salt: string | null;
}

const pageSize = 500;

async function* readPages(
  client: Client,
  tenant: string,
  only: string | undefined,
): AsyncGenerator<CallEvents[]> {
  for (let after = ""; ; ) {
    const { rows } = await client.query<CallEvents>(
      `select c.id as call, i.salt,
              json_build_object('key', c.key, 'contractDigest', c.contract_digest, 'requestDigest', c.request_digest,
                'session', json_strip_nulls(json_build_object('session', c.session, 'thread', c.thread)), 'trace', c.trace,
                'lockKeys', c.lock_keys, 'requirements', c.requirements) as facts,
              (select coalesce(json_agg(json_build_object('seq', e.seq, 'kind', e.kind, 'at', paraph.exact_millis(e.at), 'data', e.data, 'epoch', e.epoch) order by e.seq), '[]')
               from paraph.event e where e.tenant = c.tenant and e.call = c.id) as events
       from paraph.call c
       left join paraph.payload i on i.tenant = c.tenant and i.call = c.id and i.name = 'input' and i.version = 1
       where c.tenant = $1 and c.id > $2 and ($3::text is null or c.id in (
         with recursive tree (id) as (
           select $3 union select k.id from tree join paraph.call k on k.tenant = $1 and k.parent = tree.id)
         select id from tree))
       order by c.id limit $4`,
      [tenant, after, only ?? null, pageSize],
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.call;
  }
}

async function comparePage(
  client: Client,
  tenant: string,
  page: readonly CallEvents[],
): Promise<ReplayDifference[]> {
  const replayed = page.map(({ call, events }) => ({ call, events, told: replayCall(events) }));
  const rebuilt = replayed.flatMap(({ call, told }) =>
    told ? toExpectedRows(told).map((row) => ({ call, ...row })) : [],
  );
  await client.query(
    "insert into rebuilt select * from jsonb_to_recordset($1) as x (call text, relation text, key text, told jsonb)",
    [JSON.stringify(rebuilt)],
  );
  const { rows } = await client.query<ComparedRow>(
    `select coalesce(r.call, f.call) as call, coalesce(r.relation, f.relation) as relation, coalesce(r.key, f.key) as key, d.*
     from rebuilt r full join paraph.projections($1, $2) f on f.call = r.call and f.relation = r.relation and f.key = r.key
     cross join lateral (
       select t.name as column, t.value as told, f.found->t.name as found
       from jsonb_each(r.told) t (name, value) where f.call is not null and t.value is distinct from f.found->t.name
       union all
       select null, to_jsonb(case when r.call is null then 'missing' else 'there' end), to_jsonb(case when f.call is null then 'missing' else 'there' end)
       where r.call is null or f.call is null
     ) d
     order by 1, 2, 3, 4`,
    [tenant, page.map(({ call }) => call)],
  );
  await client.query("truncate rebuilt");
  const receipts = await checkReceipts(
    client,
    tenant,
    replayed.map(({ call, events, told }) => ({ call, events, outcome: told?.outcome })),
  );
  return [
    ...rows.map(toReplayDifference),
    ...page.flatMap(findAlteredFacts),
    ...page.flatMap(findEventGaps),
    ...receipts.differences,
    ...(await findPayloadGaps(client, tenant, page, receipts.commitments)),
  ];
}

interface ComparedRow {
  readonly call: string;
  readonly relation: string;
  readonly key: string;
  readonly column: string | null;
  readonly told: Json;
  readonly found: Json;
}

function toReplayDifference({ call, relation, key, column, told, found }: ComparedRow): ReplayDifference {
  return {
    call,
    table: relation,
    row: key,
    ...(column !== null && { column }),
    told: formatValue(told),
    found: formatValue(found),
  };
}

/** Returns short values as they are, and the digest of an object or array. */
function formatValue(value: Json): string {
  if (value === null) return "none";
  if (typeof value !== "object") return String(value);
  return `sha256:${sha256Hex(JSON.stringify(value)).slice(0, 12)}`;
}

/**
 * Recomputes the commitment from the facts that were fixed when the call was opened. Compares it with the commitment in
 * the call's `accepted` event.
 */
function findAlteredFacts({ call, events, facts, salt }: CallEvents): ReplayDifference[] {
  const told = replayCall(events)?.facts;
  // A missing input is reported as such, or was erased with its salt.
  if (told === undefined || salt === null) return [];
  const found = callCommitment(salt, facts);
  if (found === told) return [];
  return [
    { call, table: "call", row: "", column: "facts", told: told.slice(0, 12), found: found.slice(0, 12) },
  ];
}

interface ExpectedRow {
  readonly relation: string;
  readonly key: string;
  readonly told: JsonObject;
}

/**
 * Returns the rows that must exist, in the form of `paraph.projections`. A column that is not listed is not compared.
 */
function toExpectedRows(told: RebuiltCall): ExpectedRow[] {
  const { held, queued, resolution } = told;
  const one = (relation: string, row: JsonObject): ExpectedRow => ({ relation, key: "", told: row });
  return [
    one("call", toCallRow(told)),
    ...told.rounds.flatMap(toRoundRows),
    ...told.attempts.map(({ attempt, at, deadline, grant, ended }) => ({
      relation: "intent",
      key: `attempt ${attempt}`,
      told: { at, deadline, grant: grant ?? null, ended: ended ?? null },
    })),
    ...(held > 0 ? [one("lock", { keys: held })] : []),
    ...(queued ? [one("lock_waiter", { ...queued, last: queued.position })] : []),
    ...told.messages.map(({ message, by, as }) => ({
      relation: "message",
      key: message,
      told: { by, kind: as },
    })),
    ...(resolution ? [one("resolution", toResolutionRow(resolution))] : []),
  ];
}

function toCallRow(told: RebuiltCall): JsonObject {
  const { principal, onBehalfOf, capability, version, createdAt, supersedes, editedBy, parent } = told;
  const { state, epoch, deadline, outcome, facts } = told;
  return {
    principal,
    onBehalfOf: onBehalfOf ?? null,
    capability,
    version,
    createdAt,
    supersedes: supersedes ?? null,
    editedBy: editedBy ?? null,
    parent: parent?.call ?? null,
    step: parent?.step ?? null,
    depth: parent?.depth ?? null,
    outcome: outcome?.kind ?? null,
    outcomeCode: outcome?.code ?? null,
    ...(typeof epoch === "number" && { epoch }),
    state,
    // Compares the deadline only if the events record it. An `accepted` event with facts also records an inherited
    // deadline, but an older event does not.
    ...((deadline !== undefined || facts !== undefined) && { deadline: deadline ?? null }),
  };
}

function toRoundRows({
  approval,
  round,
  digest,
  status,
  guards,
  expiresAt,
  votes,
}: RebuiltCall["rounds"][number]) {
  return [
    {
      relation: "approval",
      key: `round ${round}`,
      told: {
        digest,
        status,
        expiresAt,
        // Older events do not record the approval's id, and hold only a part of each guard. For such events, the id and
        // the guards are not compared.
        ...(approval !== undefined && { id: approval, guards: guards as unknown as (Guard & Json)[] }),
      },
    },
    ...votes.map(({ by, decision, as, at, groups }) => ({
      relation: "vote",
      key: `round ${round}, ${by}`,
      told: { decision, standing: as, at, groups: groups ?? null },
    })),
  ];
}

function toResolutionRow({
  finding,
  by,
  how,
  at,
  statement,
}: NonNullable<RebuiltCall["resolution"]>): JsonObject {
  return { finding, by, how, at, digest: statement, envelope: statement };
}
