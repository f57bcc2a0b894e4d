// Tests what the adapters for git, SQL and HTTP observe, against real systems.
import type { ObservationPage, OpenAdapter } from "@paraph/core";
import { expect, inject, it } from "vitest";
import { respondJson, TestHttpServer } from "./egress/testing/http-server.ts";
import { createFixtureWithSide } from "./git/testing.ts";
import { http } from "./http/index.ts";
import { createSqlFixture, openAdapterAs } from "./sql/testing.ts";

const poll = (adapter: OpenAdapter, cursor?: string): Promise<ObservationPage> =>
  adapter.observe!(cursor, {
    tenant: "acme",
    signal: AbortSignal.timeout(60_000),
    credential: async () => "site-token",
  });
const told = ({ observations }: ObservationPage) =>
  observations.map(({ kind, subject }) => `${kind} ${subject}`);

it("git reports branches and tags that were created, moved and deleted, each movement once", async () => {
  await using fixture = await createFixtureWithSide();
  const { git, adapter } = fixture;
  const start = await poll(adapter);
  expect(start.observations).toEqual([]);
  expect(await poll(adapter, start.cursor)).toEqual({ observations: [], cursor: start.cursor });
  const [main, side] = [git("rev-parse", "main"), git("rev-parse", "side")];
  git("tag", "v1");
  git("branch", "new", "side");
  git("update-ref", "refs/heads/main", side);
  const first = await poll(adapter, start.cursor);
  expect(told(first)).toEqual([
    ...["ref.moved refs/heads/main", "ref.created refs/heads/new", "ref.created refs/tags/v1"],
  ]);
  expect(first.observations[0]?.data).toEqual({ from: main, to: side });
  expect(await poll(adapter, start.cursor)).toEqual(first);
  git("update-ref", "refs/heads/main", main);
  git("tag", "--delete", "v1");
  const second = await poll(adapter, first.cursor);
  expect(told(second)).toEqual(["ref.moved refs/heads/main", "ref.deleted refs/tags/v1"]);
  // [O1] The same movement happens again, which is a new observation with an id of its own.
  git("update-ref", "refs/heads/main", side);
  const third = await poll(adapter, second.cursor);
  expect(told(third)).toEqual(["ref.moved refs/heads/main"]);
  expect(third.observations[0]?.id).not.toBe(first.observations[0]?.id);
  await expect(poll(adapter, "2:else")).rejects.toMatchObject({ code: "cursor-invalid" });
});

it("SQL reports the new rows of a watched query in the order of its cursor, page by page", async () => {
  await using db = await createSqlFixture(inject("postgres"));
  await db.sql("create table orders (id int generated always as identity primary key, total numeric)");
  await db.sql("create table log (at timestamptz, line text)");
  await db.sql("insert into orders (total) values (1.50)");
  const watching = await db.with({
    watch: {
      orders: { query: "select id, total from orders where total > 1 -- large", cursor: "id" },
      log: { query: "table log", cursor: "at" },
    },
  });
  const { adapter } = watching;
  const start = await poll(adapter);
  expect(start.observations).toEqual([]);
  await db.sql("insert into log values ('2026-01-01T00:00:00.123456Z', 'began')");
  await db.sql("insert into orders (total) select 2 + n % 1 from generate_series(1, 203) n");
  await db.sql("insert into orders (total) values (0.10)");
  const first = await poll(adapter, start.cursor);
  expect([first.observations.length, first.more]).toEqual([201, true]);
  expect(first.observations[0]).toEqual({
    ...{ id: "orders:2", kind: "row.added", subject: "orders/2", data: { id: 2, total: "2" } },
  });
  expect(first.observations.at(-1)).toMatchObject({ subject: expect.stringMatching(/^log\/.*\.123456/) });
  expect(await poll(adapter, start.cursor)).toEqual(first);
  const second = await poll(adapter, first.cursor);
  expect([told(second).at(-1), second.observations.length, second.more]).toEqual([
    ...["row.added orders/204", 3, false],
  ]);
  expect((await poll(adapter, second.cursor)).observations).toEqual([]);
});

it("[P3] SQL watches only queries that read", async () => {
  await using db = await createSqlFixture(inject("postgres"));
  for (const query of ["delete from t", "select 1; select 2", "select $1::int as id"])
    await expect(db.with({ watch: { t: { query, cursor: "id" } } })).rejects.toMatchObject({
      code: "adapter-invalid",
    });
  await db.sql("create table t (id int)");
  await db.sql("create function meddle() returns int language sql volatile as 'select 1'");
  const watching = await db.with({ watch: { t: { query: "select meddle() as id from t", cursor: "id" } } });
  await expect(poll(watching.adapter)).rejects.toMatchObject({ kind: "permanent" });
});

it("HTTP reports changed, deleted and created URLs, and asks the host only for what changed", async () => {
  await using site = new TestHttpServer();
  await site.open();
  let content: string | undefined = "one";
  site.respond = ({ headers }, response) => {
    if (content === undefined) return respondJson(response, 404, {});
    response.setHeader("etag", `"${content}"`);
    if (headers["if-none-match"] === `"${content}"`) {
      response.statusCode = 304;
      response.end();
    } else respondJson(response, 200, content);
  };
  const url = `${site.origin}/prices`;
  const open = (watch: string[]) =>
    openAdapterAs(
      "web",
      http({
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
        hosts: { [site.origin]: { credential: { header: "x-token", value: "${T}" } } },
        allow: [site.host],
        watch,
      }),
      { T: "site-token" },
    );
  const adapter = await open([url]);
  const start = await poll(adapter);
  expect(start.observations).toEqual([]);
  expect(await poll(adapter, start.cursor)).toEqual({ ...start, observations: [] });
  expect(site.requests.map(({ headers }) => [headers["if-none-match"], headers["x-token"]])).toEqual([
    [undefined, "site-token"],
    ['"one"', "site-token"],
  ]);
  const ids: string[] = [];
  let { cursor } = start;
  for (const [next, kind] of [
    ["two", "resource.changed"],
    ["one", "resource.changed"],
    ["two", "resource.changed"],
    [undefined, "resource.deleted"],
    ["two", "resource.created"],
  ] as const) {
    content = next;
    const page = await poll(adapter, cursor);
    expect(told(page)).toEqual([`${kind} ${url}`]);
    expect((await poll(adapter, cursor)).observations).toEqual(page.observations);
    ids.push(page.observations[0]!.id);
    cursor = page.cursor;
  }
  expect(new Set(ids).size).toBe(ids.length);
  site.respond = (_request, response) => respondJson(response, 503, {});
  await expect(poll(adapter, cursor)).rejects.toMatchObject({ code: "http-503" });
  await adapter.close?.();
  await expect(open(["https://elsewhere.example/"])).rejects.toMatchObject({ code: "adapter-invalid" });
});
