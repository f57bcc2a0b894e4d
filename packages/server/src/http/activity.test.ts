import { afterAll, beforeAll, expect, it } from "vitest";
import type { Activity } from "../services/activity.ts";
import { activityColumns } from "./streams/activity-csv.ts";
import { toOcsfEvent } from "./streams/activity-ocsf.ts";
import { formatCsvHeader, formatCsvLine } from "./streams/csv.ts";
import { TestServer } from "./testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const secret = "canary-activity";
let refunded = "";
beforeAll(async () => {
  await server.call("notes.append", { text: secret }, { prefer: "wait=60" });
  const { body } = await server.call("billing.refund", { payment: secret, cents: 1250 });
  refunded = body.call;
  const { id, digest } = body.waiting.approval;
  await server.post(`/v1/approvals/${id}/decision`, "bo", { decision: "deny", digest, reason: secret });
});

const text = async (query: string, as = "audit") => {
  const response = await server.fetch(`/v1/activity${query}`, { as });
  return { response, text: await response.text() };
};

it("lists actions with their actors, newest first, page by page", async () => {
  const { status, body } = await server.get("/v1/activity?limit=3", "audit");
  expect(status).toBe(200);
  expect(body.activity.map(({ kind }: Activity) => kind)).toEqual(["end", "deny", "ask"]);
  expect(body.activity[1]).toMatchObject({ call: refunded, by: "bo", principal: "bot", as: "approver" });
  const rest = await server.get(`/v1/activity?limit=3&before=${body.next}`, "audit");
  expect(rest.body).toMatchObject({ activity: [{ kind: "apply", capability: "notes.append" }] });
  expect(rest.body.next).toBeUndefined();
});

it("[TRUST 9] shows other principals only their own requests and actions, and nothing to another tenant", async () => {
  const kinds = async (as: string) =>
    (await server.get("/v1/activity", as)).body.activity.map(({ kind }: Activity) => kind);
  expect(await kinds("bot")).toEqual(["end", "deny", "ask", "apply"]);
  expect(await kinds("bo")).toEqual(["deny"]);
  expect(await kinds("other")).toEqual([]);
  expect(await kinds("eve")).toEqual([]);
  expect((await server.get("/v1/activity")).status).toBe(401);
});

it.each(["before=x", "before=1.2", "limit=0", "kind=shout", "since=yesterday", "format=xml", "plan=a b"])(
  "rejects the query %s",
  async (query) => {
    expect((await server.get(`/v1/activity?${query}`, "audit")).body.code).toBe("parameter-invalid");
  },
);

it("[P10] [TRUST 16] exports all activity in every format, without any payload", async () => {
  for (const format of ["json", "jsonl", "csv", "ocsf"]) {
    const { response, text: body } = await text(`?format=${format}`);
    expect([format, response.status, body.includes(secret)]).toEqual([format, 200, false]);
    expect(body).toContain(refunded);
  }
  const { response, text: lines } = await text("?format=jsonl&limit=1");
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  expect(
    lines
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).kind),
  ).toEqual(["end", "deny", "ask", "apply"]);
  const { text: filtered } = await text(`?format=csv&call=${refunded}&kind=deny`);
  expect(filtered.split("\r\n")).toEqual([
    formatCsvHeader(activityColumns).trimEnd(),
    expect.stringMatching(
      new RegExp(
        `^${refunded}\\.\\d+,[^,]+,deny,${refunded},,,,billing\\.refund,bot,,bo,,approver,,1,,,,,,$`,
      ),
    ),
    "",
  ]);
});

const entry: Activity = {
  id: "call_1.4",
  at: 1_772_357_531_000,
  kind: "apply",
  call: "call_1",
  plan: "call_0",
  step: "a",
  capability: "files.write",
  principal: "bot",
  outcome: "failed",
  code: "disk-full",
};

it("CSV follows RFC 4180, and no cell is a formula", () => {
  const cells = (line: string) => line.replace(/\r\n$/, "").split(",");
  expect(cells(formatCsvHeader(activityColumns))).toHaveLength(
    cells(formatCsvLine(activityColumns, entry)).length,
  );
  for (const id of ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "＝1"]) {
    expect(formatCsvLine(activityColumns, { ...entry, principal: id })).toMatch(/,"?'/);
  }
  const inside = formatCsvLine(activityColumns, { ...entry, principal: " =1;=2; -3\n@4" });
  expect(inside).toContain(`," '=1;'=2; '-3\n'@4",`);
  expect(formatCsvLine(activityColumns, { ...entry, principal: 'a "b", c' })).toContain(',"a ""b"", c",');
  expect(formatCsvLine(activityColumns, { ...entry, principal: '=HYPERLINK("x")' })).toContain(
    `,"'=HYPERLINK(""x"")",`,
  );
});

it("an OCSF event is an API Activity of version 1.8.0 with every required member", () => {
  const event = toOcsfEvent(entry, "acme", "write");
  expect(event).toMatchObject({
    category_uid: 6,
    class_uid: 6003,
    activity_id: 3,
    activity_name: "Update",
    type_uid: 600_303,
    severity_id: 1,
    time: entry.at,
    status_id: 2,
    status: "Failure",
    status_code: "disk-full",
    actor: { user: { uid: "bot" } },
    api: { operation: "files.write", request: { uid: "call_1" } },
    src_endpoint: { uid: "bot" },
    metadata: {
      version: "1.8.0",
      product: { name: "Paraph" },
      uid: "call_1.4",
      tenant_uid: "acme",
      correlation_uid: "call_0",
    },
  });
  const approved = toOcsfEvent({ ...entry, kind: "approve", by: "bo" }, "acme", "write");
  expect(approved).toMatchObject({ activity_id: 99, activity_name: "approve", type_uid: 600_399 });
  expect(approved.actor.user.uid).toBe("bo");
  expect(toOcsfEvent({ ...entry, outcome: "unknown" }, "acme", undefined)).toMatchObject({
    severity_id: 3,
    status_id: 0,
    activity_id: 99,
  });
});
