import { Client } from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { TestCluster } from "./support/servers/test-cluster.ts";
import { type TestCallView, TestClient } from "./support/test-client.ts";

const cluster = await TestCluster.start();
afterAll(() => cluster.stop());
const { oracle, database } = cluster;
const { url } = await cluster.startProcess("api,worker");
const client = new TestClient(url, cluster.keys);

/** A connection with the servers' own login, as an attacker who has only its password would use it. */
const login = new Client({ connectionString: database.url });
await login.connect();
afterAll(() => login.end());
await login.query("set role paraph_app");
await login.query("select set_config('paraph.tenant', 'acme', false)");

async function asked(): Promise<TestCallView> {
  const { body } = await client.call("asked.natural", { name: "door" });
  expect(body.waiting).toMatchObject({ for: "approval" });
  return body;
}

async function numberOfEvents(call: string): Promise<number> {
  const { rows } = await login.query("select max(seq)::int as n from paraph.event where call = $1", [call]);
  return rows[0].n;
}

async function writeEvent(call: string, kind: string, data: object): Promise<void> {
  const seq = (await numberOfEvents(call)) + 1;
  await login.query(
    `insert into paraph.event_row (tenant, call, seq, kind, at, data, epoch)
     select 'acme', id, $2, $3, paraph.now(), $4, epoch from paraph.call where id = $1`,
    [call, seq, kind, data],
  );
}

async function moveTo(call: string, state: string): Promise<void> {
  await login.query("update paraph.call set state = $2, next_at = paraph.now() where id = $1", [call, state]);
}

const vote = (by: string, at: number) => ({ by, decision: "approve", as: "approver", at });

/** Commits the same transition that the server makes when a person approves. */
async function forgeVote({ call, waiting }: TestCallView): Promise<void> {
  const { rows } = await login.query("select epoch::int from paraph.call where id = $1", [call]);
  const { id, digest } = waiting!.approval!;
  const at = Date.now();
  const told = { round: 1, digest };
  const move = {
    call,
    epoch: rows[0].epoch,
    state: "ready",
    nextAt: at,
    payloads: [],
    vote: { approval: id, vote: vote("cy", at) },
    closeRound: { approval: id, status: "approved" },
    events: [
      { kind: "voted", at, data: { ...told, ...vote("cy", at) } },
      { kind: "round-closed", at, data: { ...told, status: "approved" } },
    ],
  };
  await login.query("select paraph.commit('acme', 0, $1::jsonb, paraph.now(), '{}'::jsonb)", [
    JSON.stringify(move),
  ]);
}

async function forgeIntent({ call }: TestCallView): Promise<void> {
  const [at, deadline] = [Date.now() - 120_000, Date.now() - 60_000];
  await writeEvent(call, "intended", { attempt: 1, deadline, policies: [], version: "x" });
  await login.query(
    `insert into paraph.intent (tenant, call, attempt, at, deadline)
     values ('acme', $1, 1, paraph.instant(to_jsonb($2::bigint)), paraph.instant(to_jsonb($3::bigint)))`,
    [call, at, deadline],
  );
  await moveTo(call, "performing");
}

/** Copies a real approval of another call, with all its events. */
async function copyVote({ call, waiting }: TestCallView): Promise<void> {
  const other = await asked();
  await client.approve(other);
  await client.waitForOutcome(other.call);
  const { rows } = await login.query(
    "select kind, data from paraph.event where call = $1 and kind in ('voted', 'round-closed') order by seq",
    [other.call],
  );
  for (const { kind, data } of rows)
    await writeEvent(call, kind, { ...data, digest: waiting!.approval!.digest });
  await login.query(
    `insert into paraph.vote (tenant, approval, voter, decision, standing, at, groups)
     select tenant, $2, voter, decision, standing, at, groups from paraph.vote where approval = $1`,
    [other.waiting!.approval!.id, waiting!.approval!.id],
  );
  await login.query("update paraph.approval set status = 'approved' where call = $1", [call]);
  await moveTo(call, "ready");
}

/** Replaces the input of the waiting call, and names an editor who supposedly wrote it. */
async function forgeEdit({ call }: TestCallView): Promise<void> {
  await login.query(
    `insert into paraph.payload (tenant, call, name, version, salt, body)
     select tenant, call, name, version + 1, salt, '{"name":"vault"}' from paraph.payload where call = $1 and name = 'input'`,
    [call],
  );
  await login.query("update paraph.call set edited_by = 'cy' where id = $1", [call]);
}

/** Forges a reassignment of the approval that lets the recipient's vote count in the group `finance`. */
function forgeReassignment({ call }: TestCallView): Promise<void> {
  return writeEvent(call, "reassigned", {
    round: 1,
    by: "bo",
    to: "owner",
    groups: ["finance"],
    seal: "00",
  });
}

describe("[TRUST 32] with the application's own database login", () => {
  it.each<[string, (call: TestCallView) => Promise<void>]>([
    ["a vote that no person gave", forgeVote],
    ["an intent that no process wrote", forgeIntent],
    ["a state that follows from nothing", ({ call }) => moveTo(call, "performing")],
    ["a vote that was given for another call", copyVote],
  ])("%s performs nothing", async (_name, forge) => {
    const call = await asked();
    await forge(call);
    expect(await client.waitForOutcome(call.call)).toMatchObject({ outcome: { code: "seal-invalid" } });
    expect(oracle.listEffects(call.call)).toEqual([]);
  });

  const decision = { decision: "approve" } as const;
  it.each<[string, (call: TestCallView) => Promise<void>, string, object]>([
    ["an edit that no person made is not approved", forgeEdit, "decision", decision],
    ["an edit that no person made is not edited", forgeEdit, "edit", { input: { name: "window" } }],
    ["an edit that no person made is not handed over", forgeEdit, "reassign", { to: "cy" }],
    ["a reassignment that no person made is not approved", forgeReassignment, "decision", decision],
    [
      "a reassignment that no person made is not edited",
      forgeReassignment,
      "edit",
      { input: { name: "window" } },
    ],
    ["a reassignment that no person made is not handed on", forgeReassignment, "reassign", { to: "bo" }],
  ])("%s", async (_name, forge, verb, body) => {
    const call = await asked();
    const { id, digest } = call.waiting!.approval!;
    await forge(call);
    const told = await client.request("owner", "POST", `/v1/approvals/${id}/${verb}`, { digest, ...body });
    expect([told.status, told.body.code]).toEqual([409, "approval-closed"]);
    expect(await client.waitForOutcome(call.call)).toMatchObject({ outcome: { code: "seal-invalid" } });
    expect(oracle.listEffects(call.call)).toEqual([]);
  });

  it("a forged grant approves nothing, and an approver is asked", async () => {
    await login.query(
      `insert into paraph.standing_grant (tenant, id, capability, bounds, people, count_left, expires_at, destroy, break_glass, by, at)
       values ('acme', 'grant_forged', 'asked.natural', '{}', '[{"by": "cy", "groups": []}]', 100, paraph.now() + interval '1 hour', true, true, 'cy', paraph.now())`,
    );
    const call = await asked();
    expect((await client.approve(call)).status).toBe(200);
    expect(await client.waitForOutcome(call.call)).toMatchObject({ outcome: { kind: "succeeded" } });
  });
});
