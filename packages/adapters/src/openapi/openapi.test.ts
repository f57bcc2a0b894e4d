import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExecutionContext, JsonObject } from "@paraph/core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  createCredentialContext,
  openTestAdapter,
  type TestAdapter,
} from "../egress/testing/open-adapter.ts";
import { readFault } from "../testing.ts";
import { openapi } from "./index.ts";
import { generateDocument } from "./testing/generated-document.ts";
import { TestShop } from "./testing/shop.ts";

// biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
const credential = "${SHOP_TOKEN}";
const secrets = { SHOP_TOKEN: "shop-token" };
const shop = new TestShop();
let folder: string;
let api: TestAdapter;

async function shopOf(document: JsonObject, config: object = {}): Promise<TestAdapter> {
  await writeFile(join(folder, "shop.json"), JSON.stringify(document));
  const configured = {
    document: "shop.json",
    server: shop.origin,
    credential,
    allow: [shop.host],
    ...config,
  };
  return openTestAdapter(openapi(configured), folder, secrets);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-openapi-"));
  await shop.open();
  api = await shopOf(generateDocument(50));
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await shop.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  shop.things.clear();
  shop.requests.length = 0;
  shop.effects = 0;
  shop.etags = true;
  shop.fault = undefined;
});

const world = (context: Partial<ExecutionContext> = {}): ExecutionContext => ({
  ...createCredentialContext(async () => "shop-token"),
  ...context,
});

describe("a document of 300 operations", () => {
  it("becomes 300 capabilities, each with the effect and idempotency of its method", () => {
    expect(api.names).toHaveLength(300);
    const terms = ["list", "create", "get", "replace", "change", "remove"].map((verb) => {
      const { effect, risk, idempotency, previews, sensitive } = api.capability(`${verb}_thing7`).contract;
      return [verb, effect, risk, idempotency, previews, sensitive.length > 0];
    });
    expect(terms).toEqual([
      ["list", "read", "low", "natural", false, true],
      ["create", "write", "medium", "keyed", false, true],
      ["get", "read", "low", "natural", false, true],
      ["replace", "write", "medium", "probe", true, true],
      ["change", "write", "medium", "probe", true, true],
      ["remove", "destroy", "high", "probe", true, true],
    ]);
  });

  it("each capability performs the operation that it is named after", async () => {
    for (const kind of [0, 17, 49]) {
      const thing = `thing${kind}`;
      const made = await api.perform(`create_${thing}`, { body: { name: "a" } }, { key: `key-${kind}` });
      expect(made).toMatchObject({ status: 201, body: { name: "a" } });
      const { id } = made.body;
      expect(await api.perform(`list_${thing}`, { limit: 5 })).toMatchObject({ body: [{ id }] });
      expect(await api.perform(`get_${thing}`, { id })).toMatchObject({ status: 200, body: { id } });
      await api.perform(`replace_${thing}`, { id, body: { name: "b", cents: 3 } });
      await api.perform(`change_${thing}`, { id, body: { cents: 4 } });
      expect(shop.things.get(`${thing}/${id}`)).toEqual({ id, name: "b", cents: 4 });
      expect(await api.perform(`remove_${thing}`, { id })).toMatchObject({ status: 204, body: null });
      expect(shop.things.size).toBe(0);
    }
  });

  it.each([
    ["a required field", { body: { cents: 1 } }, "body.name: is missing"],
    ["a wrong type", { body: { name: "a", cents: "1" } }, "body.cents: has to be of type integer"],
    ["an unknown field", { body: { name: "a" }, more: 1 }, "more: is not allowed here"],
    ["a pattern", { body: { name: "a", tags: ["A"] } }, "body.tags.0: does not match its pattern"],
  ])("[P11] an input that violates the document is rejected: %s", (_name, input, fault) => {
    expect(api.capability("create_thing0").parseInput(input)).toEqual({ kind: "invalid", faults: [fault] });
  });

  it("the contract contains the schema, with its references expanded unless they are recursive", () => {
    const { input } = api.capability("create_thing0").contract as unknown as { input: JsonObject };
    expect(input).toMatchObject({
      properties: { body: { type: "object", required: ["name"], properties: { label: { type: "object" } } } },
      $defs: { components_schemas_Label: { type: "object" } },
      additionalProperties: false,
    });
  });
});

describe("a change", () => {
  beforeEach(() => void shop.things.set("thing0/7", { id: "7", name: "old", pin: "1234" }));
  const input = { id: "7", body: { name: "new", pin: "9876" } };

  it("[P3] the preview is a diff without sensitive values, has the ETag as its basis, and changes nothing", async () => {
    const replace = api.capability("replace_thing0");
    const { changes, basis } = await replace.preview!(input, world());
    expect(changes).toMatchObject([{ kind: "update", target: "PUT /thing0/7" }]);
    expect(changes[0]!.diff).toContain('-  "name": "old"');
    expect(changes[0]!.diff).toContain('+  "name": "new"');
    expect(JSON.stringify(changes)).not.toMatch(/1234|9876/);
    expect(basis).toMatchObject({ kind: "etag", etag: expect.stringMatching(/^"[0-9a-f]+"$/) });
    expect(replace.contract.sensitive).toEqual(expect.arrayContaining(["body.pin"]));
    expect(shop.effects).toBe(0);
  });

  it("[P5] is rejected by the host if the basis changed", async () => {
    for (const verb of ["replace", "change", "remove"]) {
      const { basis } = await api.capability(`${verb}_thing0`).preview!(input, world());
      shop.things.set("thing0/7", { id: "7", name: verb });
      expect(
        await readFault(
          api.perform(`${verb}_thing0`, verb === "remove" ? { id: "7" } : input, { basis: basis! }),
        ),
      ).toBe("permanent basis-changed");
    }
    expect(shop.effects).toBe(0);
  });

  it("[P5] of an absent resource is rejected if the resource was created after the preview", async () => {
    const absent = { id: "8", body: { name: "new" } };
    const { basis, changes } = await api.capability("replace_thing0").preview!(absent, world());
    expect([basis, changes[0]!.kind]).toEqual([{ kind: "absent" }, "create"]);
    shop.things.set("thing0/8", { id: "8", name: "theirs" });
    expect(await readFault(api.perform("replace_thing0", absent, { basis }))).toBe("permanent basis-changed");
  });

  it("has a hash of the content as its basis if there is no ETag", async () => {
    shop.etags = false;
    const { basis } = await api.capability("replace_thing0").preview!(input, world());
    expect(basis).toEqual({ kind: "body", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    await api.perform("replace_thing0", input, { basis });
    expect(shop.requests.at(-1)!.headers).not.toHaveProperty("if-match");
  });

  it("[P7] is rejected without a basis", async () => {
    expect(await readFault(api.perform("replace_thing0", input, { basis: undefined }))).toBe(
      "permanent basis-missing",
    );
  });

  it.each<
    ["cut-before" | "cut-after", boolean, "absent" | "present" | "unsure", "absent" | "present" | "unsure"]
  >([
    ["cut-before", true, "absent", "absent"],
    ["cut-after", true, "present", "present"],
    ["cut-before", false, "absent", "unsure"],
    ["cut-after", false, "present", "present"],
  ])(
    "[P7] after %s (ETags: %s), the probe reports a PUT or DELETE as %s and a PATCH as %s",
    async (fault, etags, found, patch) => {
      shop.etags = etags;
      for (const [verb, expected] of [
        ["replace", found],
        ["change", patch],
        ["remove", found],
      ] as const) {
        shop.things.set("thing0/7", { id: "7", name: "old" });
        const capability = api.capability(`${verb}_thing0`);
        const sent = verb === "remove" ? { id: "7" } : { id: "7", body: { name: verb } };
        const { basis } = await capability.preview!(sent, world());
        shop.fault = fault;
        expect(await readFault(capability.apply(sent, world({ basis })))).toBe("ambiguous connection-lost");
        const probe = await capability.probe!(sent, world({ basis, attempt: 2 }));
        expect([verb, probe.kind]).toEqual([verb, expected]);
        if (probe.kind === "present") expect(capability.parseOutput(probe.output).kind).toBe("valid");
      }
    },
  );

  it("[P7] the change of another client makes the probe unsure", async () => {
    const replace = api.capability("replace_thing0");
    const { basis } = await replace.preview!(input, world());
    shop.things.set("thing0/7", { id: "7", name: "theirs" });
    expect(await replace.probe!(input, world({ basis }))).toEqual({ kind: "unsure" });
  });

  it("a write holds the lock of its resource, and a read holds none", () => {
    expect(api.capability("replace_thing0").locks(input)).toEqual(["api:/thing0/7"]);
    expect(api.capability("replace_thing0").locks({ id: "../x" })).toEqual(["api:/thing0/..%2Fx"]);
    expect(api.capability("get_thing0").locks({ id: "7" })).toEqual([]);
  });
});

describe("a creation with a key", () => {
  it("[P7] is performed once if it is sent twice", async () => {
    const create = api.capability("create_thing3");
    shop.fault = "cut-after";
    const input = { body: { name: "a" } };
    expect(await readFault(create.apply(input, world({ key: "the call" })))).toBe(
      "ambiguous connection-lost",
    );
    expect(await create.apply(input, world({ key: "the call", attempt: 2 }))).toMatchObject({ status: 201 });
    expect(shop.effects).toBe(1);
  });
});

it("[TRUST 30] a redirect within the origin is not followed, because policy did not rule on its target", async () => {
  shop.things.set("thing1/1", { id: "1", name: "other" });
  shop.fault = { status: 302, headers: { location: "/thing1/1" } };
  await expect(api.capability("get_thing0").apply({ id: "1" }, world())).rejects.toMatchObject({
    kind: "permanent",
    code: "redirected",
    message: expect.stringContaining("`/thing1/1`"),
  });
  expect(shop.requests.map(({ path }) => path)).toEqual(["/thing0/1"]);
});

describe("[P8] faults", () => {
  it.each([
    [429, "not-performed http-429"],
    [503, "not-performed http-503"],
    [500, "ambiguous http-500"],
    [404, "permanent http-404"],
  ])("status %i is %s, with the delay of `retry-after`", async (status, message) => {
    shop.fault = { status, headers: { "retry-after": "7" } };
    const failing = api.capability("get_thing0").apply({ id: "1" }, world());
    expect(await readFault(failing)).toBe(message);
    await expect(failing).rejects.toMatchObject({
      retryAfterMs: 7_000,
      message: expect.stringContaining("as told"),
    });
  });

  it("[P10] nothing is sent if the secret is missing", async () => {
    const credential = () => Promise.reject(new Error("no secret"));
    await expect(api.capability("get_thing0").apply({ id: "1" }, world({ credential }))).rejects.toThrow(
      "no secret",
    );
    expect(shop.requests).toEqual([]);
  });
});

it("1,000 operations are read and defined within 6 s of CPU time", async () => {
  const from = process.cpuUsage();
  await using large = await shopOf(generateDocument(167));
  expect(large.names).toHaveLength(1_002);
  // Measures CPU time, because the load of the machine must not affect the test.
  const { user, system } = process.cpuUsage(from);
  expect((user + system) / 1_000).toBeLessThan(6_000);
});
