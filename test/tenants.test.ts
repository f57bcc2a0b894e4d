// Tests two tenants of one deployment. No surface may show one tenant's data to the other.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { files } from "@paraph/adapters/files";
import { type Composer, defineCapability } from "@paraph/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { TestParaph } from "./support/servers/test-paraph.ts";

const canary = "RED-CANARY";
let paraph: TestParaph;

/** A composite of the deployment that any tenant may call. Each of its steps is a call of its own. */
const relay = defineCapability({
  name: "own.relay",
  version: 1,
  summary: "Read a file",
  effect: "write",
  idempotency: "natural",
  input: z.strictObject({}),
  output: z.unknown(),
  compose: (_: unknown, call: Composer) => call("red.read", { path: "secret.txt" }),
} as never);

beforeAll(async () => {
  paraph = await TestParaph.start(
    {
      adapters: {
        red: files({ root: "red", tenants: ["red"] }),
        unsaid: files({ root: "red" }),
        both: files({ root: "both", tenants: ["red", "blue"] }),
      },
      unattended: ["own.relay"],
      poll: { red: { every: "1s" }, unsaid: { every: "1s" }, both: { every: "1s" } },
      capabilities: [relay],
    },
    [
      { tenant: "red", id: "rana", kind: "person", groups: ["paraph:admins"] },
      { tenant: "red", id: "rbot", kind: "agent", owner: "rana" },
      { tenant: "blue", id: "bana", kind: "person", groups: ["paraph:admins"] },
      { tenant: "blue", id: "bbo", kind: "person" },
      { tenant: "blue", id: "bbot", kind: "agent", owner: "bana" },
    ],
    {},
    async (folder) => {
      for (const name of ["red", "both"]) {
        await mkdir(join(folder, name));
        await writeFile(join(folder, name, "secret.txt"), name === "red" ? canary : "for both");
      }
    },
  );
}, 180_000);
afterAll(() => paraph?.stop());

const foreign = ["red", "unsaid"];
const read = (as: string, adapter: string) =>
  paraph.request(as, "POST", "/v1/calls", { capability: `${adapter}.read`, input: { path: "secret.txt" } });

describe("[TRUST 10] an adapter of another tenant, or one that names no tenant although there are two", () => {
  it("can be neither called nor previewed", async () => {
    for (const adapter of foreign) {
      expect(await read("bbot", adapter)).toMatchObject({
        status: 404,
        body: { code: "capability-unknown" },
      });
      const preview = await paraph.request("bbot", "POST", "/v1/previews", {
        capability: `${adapter}.write`,
        input: { path: "a", content: "b" },
      });
      expect(preview).toMatchObject({ status: 404, body: { code: "capability-unknown" } });
    }
    // An adapter that names no tenant is closed to all tenants.
    expect(await read("rbot", "unsaid")).toMatchObject({ status: 404 });
  });

  it("is missing from the lists of capabilities and adapters", async () => {
    for (const as of ["bbot", "bana"]) {
      for (const path of ["/v1/capabilities?limit=100", "/v1/adapters"]) {
        const { status, body } = await paraph.request(as, "GET", path);
        expect(status).toBe(200);
        expect(JSON.stringify(body)).toContain("both");
        for (const adapter of foreign) expect(JSON.stringify(body)).not.toContain(`"${adapter}`);
      }
      expect(await paraph.request(as, "GET", "/v1/capabilities/red.read")).toMatchObject({ status: 404 });
    }
    const definitions = (adapter: string) =>
      paraph.request("bana", "GET", `/v1/adapters/${adapter}/definitions`);
    for (const adapter of [...foreign, "constructor"])
      expect(await definitions(adapter)).toMatchObject({ status: 404, body: { code: "not-found" } });
    // [TRUST 7] Definitions of a shared server concern the other tenant too.
    expect((await definitions("both")).body).toEqual({ definitions: [], approvable: false });
  });

  it("cannot be a step of a plan or a child of a composite", async () => {
    const plan = await paraph.request("bbot", "POST", "/v1/plans", {
      plan: { version: 1, steps: [{ id: "s", capability: "red.read", input: { path: "secret.txt" } }] },
    });
    expect(plan.status).toBeGreaterThanOrEqual(400);
    const direct = await paraph.request("bbot", "POST", "/v1/calls", {
      capability: "plan.apply",
      input: { version: 1, steps: [{ id: "s", capability: "red.read", input: { path: "secret.txt" } }] },
    });
    expect(direct).toMatchObject({ status: 404, body: { code: "capability-unknown" } });
    const relayed = await paraph
      .agent("bbot")
      .call("own.relay", {})
      .catch((error: unknown) => error);
    expect(JSON.stringify(relayed)).not.toContain(canary);
  });

  it("has no tools and no endpoint over MCP", async () => {
    const rpc = async (path: string, method: string, params: object = {}) => {
      const response = await fetch(paraph.url + path, {
        method: "POST",
        headers: {
          authorization: `Bearer ${paraph.key("bbot")}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2025-06-18",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      return { status: response.status, text: await response.text() };
    };
    const listed = await rpc("/mcp", "tools/list");
    expect(listed.text).toContain("both_read");
    expect(listed.text).not.toMatch(/red_read|unsaid_read/);
    expect(
      (await rpc("/mcp", "tools/call", { name: "red_read", arguments: { path: "secret.txt" } })).text,
    ).not.toContain(canary);
    for (const adapter of foreign) expect((await rpc(`/mcp/${adapter}`, "tools/list")).status).toBe(404);
    expect((await rpc("/mcp/both", "tools/list")).status).toBe(200);
  });

  it("is not listed by the command line, and cannot be frozen or granted", async () => {
    const listed = await paraph.cli({ agent: "bbot" }, "capabilities", "--json");
    expect(listed.stdout).toContain("both.read");
    expect(listed.stdout).not.toMatch(/red\.read|unsaid\.read/);
    for (const adapter of [...foreign, "both"]) {
      for (const [capability, input, code] of [
        ["admin.freeze", { kind: "adapter", subject: adapter }, "subject-unknown"],
        ["admin.freeze", { kind: "capability", subject: `${adapter}.read` }, "subject-unknown"],
        ["admin.grant", { capability: `${adapter}.write`, count: 1 }, "capability-unknown"],
      ] as const) {
        const { body } = await paraph.request("bana", "POST", "/v1/previews", { capability, input });
        const said = JSON.stringify(body);
        // The same request about an adapter that is open to this tenant succeeds. Paraph therefore refuses the other
        // requests because of their adapter.
        if (adapter === "both") expect(said).toContain('"changes":[{');
        else expect(said, capability).toMatch(new RegExp(`${code}|There is no`));
      }
    }
  });

  it("is not polled for the tenant", async () => {
    // Paraph polls an open adapter for each of its tenants. The rows of the open adapters show that Paraph also had time
    // to poll the others.
    const open = ["blue/both", "red/both", "red/red"];
    const rows = async () => {
      const found = await paraph.database.query("select tenant, adapter from paraph.poll");
      return found.map(({ tenant, adapter }) => `${tenant}/${adapter}`).sort();
    };
    await expect.poll(rows).toEqual(expect.arrayContaining(open));
    expect(await rows()).toEqual(open);
  });

  it("can be used by the tenants that it names", async () => {
    const own = await read("rbot", "red");
    expect(own.status).toBeLessThan(300);
    expect(
      JSON.stringify((await paraph.agent("rbot").call("red.read", { path: "secret.txt" })) as object),
    ).toContain(canary);
    for (const as of ["rbot", "bbot"]) expect((await read(as, "both")).status).toBeLessThan(300);
  });
});
