// Tests how a tenant grows from one person to two without a lockout, and how an operator recovers a locked tenant.

import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { files } from "@paraph/adapters/files";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recoverTenant } from "../packages/server/src/postgres/index.ts";
import { eventually } from "./support/eventually.ts";
import { TestParaph } from "./support/servers/test-paraph.ts";
import { PlainBrowser } from "./support/web/plain-browser.ts";

let paraph: TestParaph;
beforeAll(async () => {
  paraph = await TestParaph.start({ adapters: { files: files({ root: "." }) } }, [
    { tenant: "acme", id: "ana", kind: "person", groups: ["paraph:admins"] },
    { tenant: "acme", id: "bot", kind: "agent", owner: "ana" },
  ]);
}, 180_000);
afterAll(() => paraph?.stop());

/** Requests a call as ana, approves it as ana, and returns the response to the vote. */
async function confirmed(capability: string, input: object) {
  const { body } = await paraph.request("ana", "POST", "/v1/calls", { capability, input });
  expect(body).toMatchObject({ state: "asking" });
  return approve(body.call);
}

async function approve(call: string) {
  const { id } = (await paraph.request("ana", "GET", `/v1/calls/${call}`)).body.approval;
  const { digest } = (await paraph.request("ana", "GET", `/v1/approvals/${id}`)).body;
  return paraph.request("ana", "POST", `/v1/approvals/${id}/decision`, { decision: "approve", digest });
}

const ended = async (call: string) =>
  (await paraph.request("ana", "GET", `/v1/calls/${call}`)).body.outcome?.kind;

describe("the first colleague", () => {
  let link: string;
  let approved: { status: number };

  let early: { status: number; text: string };

  beforeAll(async () => {
    const invited = await paraph.cli({ person: "ana" }, "invite", "bo", "--json", "--wait", "0s");
    const told = JSON.parse(invited.stdout);
    link = told.link;
    const browser = new PlainBrowser();
    early = await browser.submit(await browser.open(link));
    approved = await approve(told.call.call);
    await eventually(async () => expect(await ended(told.call.call)).toBe("succeeded"));
  });

  it("is invited in one call, which the only person confirms", () => {
    expect(link).toContain("/login/local?token=acme.");
    expect(approved).toMatchObject({ status: 200 });
  });

  it("cannot sign in before the invitation is approved, and the page names this cause", () => {
    expect(early.status).toBe(403);
    expect(early.text).toContain("belongs to an invitation that is not approved yet");
  });

  it("does not count as another person before the first sign-in, so the tenant is not locked", async () => {
    const { status, body } = await confirmed("admin.principal_add", { id: "helper", kind: "service" });
    expect({ status, code: body.code }).toEqual({ status: 200, code: undefined });
  });

  it("cannot become the only administrator before the first sign-in", async () => {
    const add = {
      capability: "admin.group_change",
      input: { group: "paraph:admins", add: ["bo"], remove: ["ana"] },
    };
    const asked = await paraph.request("ana", "POST", "/v1/previews", add);
    expect(JSON.stringify(asked.body)).toContain("last-administrator");
  });

  const stateOfBo = async () =>
    (await paraph.request("ana", "GET", "/v1/principals/bo")).body.state as string;

  it("is listed as invited until the first sign-in, in the API and on the command line", async () => {
    expect(await stateOfBo()).toBe("invited");
    expect((await paraph.cli({ person: "ana" }, "principals")).stdout).toMatch(/^bo .* invited /m);
  });

  it("counts as another person after the first sign-in, and cannot be invited again", async () => {
    const browser = new PlainBrowser();
    await browser.submit(await browser.open(link));
    const me = await browser.fetch(new URL("/v1/me", link).href);
    expect(await me.json()).toMatchObject({ id: "bo" });
    expect(await stateOfBo()).toBe("active");
    const { status, body } = await confirmed("admin.principal_add", { id: "other", kind: "service" });
    expect({ status, code: body.code }).toEqual({ status: 403, code: "approver-not-allowed" });
    const again = await paraph.cli({ person: "ana" }, "invite", "bo", "--json", "--wait", "20s");
    expect(again.stdout).toContain("The id `bo` belongs to a principal");
    expect(again.stdout).toContain("`paraph recover bo --login-only --reason TEXT`");
  });
});

it("an operator with database access recovers a locked tenant, and Paraph records the recovery", async () => {
  const recovery = { tenant: "acme", person: "ops", reason: "bo left" };
  const recovered = await recoverTenant(paraph.database.ownerUrl, recovery);
  expect(recovered).toMatchObject({ created: true, madeAdmin: true });
  const browser = new PlainBrowser();
  await browser.submit(await browser.open(`${paraph.url}/login/local?token=${recovered!.token}`));
  const me = await browser.fetch(`${paraph.url}/v1/me`);
  expect(await me.json()).toMatchObject({ id: "ops", groups: ["paraph:admins"] });
  expect(await paraph.database.query("select tenant, person, created, reason from paraph.recovery")).toEqual([
    { ...recovery, created: true },
  ]);
  expect(await recoverTenant(paraph.database.ownerUrl, { ...recovery, tenant: "nowhere" })).toBeUndefined();
  const lookalike = recoverTenant(paraph.database.ownerUrl, { ...recovery, person: "оps" });
  await expect(lookalike).rejects.toThrow(
    "the id of a new person must have 1 to 255 visible ASCII characters",
  );
  // The application itself can neither write nor change a recovery record.
  const rights = await paraph.database.query(
    "select privilege_type as it from information_schema.role_table_grants where table_schema = 'paraph' and table_name = 'recovery' and grantee = 'paraph_app'",
  );
  expect(rights).toEqual([{ it: "SELECT" }]);
});

it("[TRUST 33] `paraph recover --login-only` gives a person a new login link, and no further right", async () => {
  const database = ["--database", paraph.database.ownerUrl, "--tenant", "acme"];
  const recover = (person: string) =>
    paraph.cli({}, "recover", person, "--reason", "session ended", "--login-only", ...database);
  const { code, stdout } = await recover("bo");
  expect(code).toBe(0);
  const browser = new PlainBrowser();
  expect((await browser.open(`${paraph.url}/login`)).text).toContain(
    "<code>paraph recover PERSON --login-only --reason TEXT</code>",
  );
  await browser.submit(await browser.open(new URL(stdout.trim(), paraph.url).href));
  const me = await browser.fetch(`${paraph.url}/v1/me`);
  expect(await me.json()).toMatchObject({ id: "bo", groups: [] });
  expect(
    await paraph.database.query(
      "select person, created, made_admin, reason from paraph.recovery where person = 'bo'",
    ),
  ).toEqual([{ person: "bo", created: false, made_admin: false, reason: "session ended" }]);
  expect(await recover("nobody")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The tenant has no person `nobody`."),
  });
});

it("a form without a body, or in chunks without a length, gets no internal error", async () => {
  const { hostname, port, origin } = new URL(paraph.url);
  const post = async (path: string, headers: string, body = "") => {
    const socket = connect(Number(port), hostname);
    socket.end(
      `POST ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nOrigin: ${origin}\r\nConnection: close\r\n${headers}\r\n${body}`,
    );
    return Number((await text(socket)).split(" ")[1]);
  };
  const form = "Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n";
  expect(await post("/logout", "")).toBe(303);
  expect(await post("/login/local", "")).toBe(403);
  expect(await post("/login/local", form, "7\r\ntoken=x\r\n0\r\n\r\n")).toBe(403);
  expect(await post("/login/local", form, `1388\r\n${"x".repeat(5_000)}\r\n0\r\n\r\n`)).toBe(413);
});

it("`paraph recover` recovers a locked tenant, and reports missing options and an unknown tenant", async () => {
  const recover = (...args: string[]) => paraph.cli({}, "recover", "ops2", "--reason", "bo left", ...args);
  const database = ["--database", paraph.database.ownerUrl];
  const { code, stdout, stderr } = await recover(...database, "--tenant", "acme");
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining("ops2 is a new person and is now an administrator of acme."),
  ]);
  const browser = new PlainBrowser();
  await browser.submit(await browser.open(new URL(stdout.trim(), paraph.url).href));
  const me = await browser.fetch(`${paraph.url}/v1/me`);
  expect(await me.json()).toMatchObject({ id: "ops2", groups: ["paraph:admins"] });
  const record = await paraph.database.query("select reason from paraph.recovery where person = 'ops2'");
  expect(record).toEqual([{ reason: "bo left" }]);

  const again = JSON.parse((await recover(...database, "--tenant", "acme", "--json")).stdout);
  expect(again).toMatchObject({ tenant: "acme", person: "ops2", created: false, madeAdmin: false });
  expect((await recover(...database)).stderr).toContain("--tenant NAME");
  expect((await recover(...database, "--tenant", "nowhere")).stderr).toContain(
    "There is no tenant `nowhere`",
  );
  expect((await recover("--tenant", "acme")).stderr).toContain("DATABASE_OWNER_URL");
  const asApp = await recover("--database", paraph.database.url, "--tenant", "acme");
  expect(asApp).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("its login may not do this. Pass the login of the database's owner."),
  });
}, 180_000);

it("[TRUST 33] the list of principals shows which ones are disabled", async () => {
  await paraph.database.query("update paraph.principal set disabled_at = now() where id = 'bot'");
  const { body } = await paraph.request("ana", "GET", "/v1/principals");
  const found = (id: string) => body.principals.find((one: { id: string }) => one.id === id);
  expect(found("bot")).toHaveProperty("disabledAt", expect.stringMatching(/^\d{4}-/));
  expect(found("ana")).not.toHaveProperty("disabledAt");
  const { stdout } = await paraph.cli({ person: "ana" }, "principals");
  expect(stdout).toMatch(/^bot +agent +disabled/m);
  expect(stdout).toMatch(/^ana +person +active/m);
});
