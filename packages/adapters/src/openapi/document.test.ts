import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json, JsonObject } from "@paraph/core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { respondJson, TestHttpServer } from "../egress/testing/http-server.ts";
import { openTestAdapter, type TestAdapter } from "../egress/testing/open-adapter.ts";
import { readFault } from "../testing.ts";
import { openapi } from "./index.ts";

const site = await new TestHttpServer().open();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-openapi-"));
});
afterAll(async () => {
  await site.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  site.requests.length = 0;
  site.respond = (_visit, response) => respondJson(response, 200, {});
});

const secrets = { KEY: "hunter2", USER: "me:secret" };
const documentOf = (paths: JsonObject, over: JsonObject = {}): JsonObject => ({
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  servers: [{ url: `${site.origin}/base/` }],
  paths,
  ...over,
});

async function apiOf(document: Json | string, config: object = {}): Promise<TestAdapter> {
  await writeFile(join(folder, "it"), typeof document === "string" ? document : JSON.stringify(document));
  return openTestAdapter(openapi({ document: "it", allow: [site.host], ...config }), folder, secrets);
}

/** Returns the path that the host received from one operation with these parameters. */
async function asked(parameters: readonly Json[], input: JsonObject, path = "/a"): Promise<string> {
  await using api = await apiOf(documentOf({ [path]: { get: { operationId: "it", parameters } } }));
  await api.perform("it", input);
  return site.requests.at(-1)!.path;
}

describe("parameters", () => {
  const list = { type: "array", items: { type: "string" } };
  it.each<[string, object, Json, string]>([
    ["text", {}, "a&b=c#d é", "q=a%26b%3Dc%23d%20%C3%A9"],
    ["number", {}, 1.5, "q=1.5"],
    ["list", { schema: list }, ["a", "b,c"], "q=a&q=b%2Cc"],
    ["list on one line", { schema: list, explode: false }, ["a", "b"], "q=a%2Cb"],
    ["list between bars", { schema: list, style: "pipeDelimited" }, ["a", "b"], "q=a%7Cb"],
    ["object", {}, { a: 1, b: "x" }, "a=1&b=x"],
    ["deep object", { style: "deepObject" }, { a: 1 }, "q%5Ba%5D=1"],
    ["JSON", { content: { "application/json": { schema: {} } } }, { a: [1] }, "q=%7B%22a%22%3A%5B1%5D%7D"],
  ])("are serialized in the query: %s", async (_name, over, value, expected) => {
    expect(await asked([{ name: "q", in: "query", ...over }], { q: value })).toBe(`/base/a?${expected}`);
  });

  it("[TRUST 30] an object in the query cannot set a parameter that has its own field, nor the secret's parameter", async () => {
    const parameters = [
      { name: "filter", in: "query", schema: { type: "object" } },
      { name: "limit", in: "query" },
    ];
    const sent = (filter: JsonObject) => readFault(asked(parameters, { limit: 1, filter }));
    expect(await sent({ limit: 1_000 })).toBe("permanent query-invalid");
    const key = {
      components: { securitySchemes: { key: { type: "apiKey", in: "query", name: "api_key" } } },
    };
    const paths = { "/a": { get: { operationId: "it", parameters, security: [{ key: [] }] } } };
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
    await using api = await apiOf(documentOf(paths, key), { credential: "${KEY}" });
    expect(await readFault(api.perform("it", { filter: { api_key: "mine" } }))).toBe(
      "permanent query-invalid",
    );
    expect(site.requests).toEqual([]);
    expect(await sent({ colour: "red" })).toBe("no fault");
    expect(site.requests.at(-1)!.path).toBe("/base/a?colour=red&limit=1");
  });

  const path = [{ name: "p", in: "path", required: true }];
  it.each([
    ["a/b", "a%2Fb"],
    ["@scope/name", "%40scope%2Fname"],
    ["?x=1#y", "%3Fx%3D1%23y"],
    ["a..b", "a..b"],
    ["...", "..."],
    ["%41", "%2541"],
    ["a'(b)*!", "a%27%28b%29%2A%21"],
  ])("the path value %j is sent as one segment", async (value, expected) => {
    expect(await asked(path, { p: value }, "/x/{p}/y")).toBe(`/base/x/${expected}/y`);
  });

  it.each([
    ...["..", ".", "", "../admin", "a/../b", "..\\admin", "%2e%2e", "%2E%2e/admin", "%252e%252e%252fadmin"],
    ...["..;/admin", "a/./b", "..%2fadmin", "..%5cadmin", "a\0b", "a\r\nb", "%00", "a/%2e%2e/b"],
  ])("[TRUST 18] the path value %j is rejected, and nothing is sent", async (value) => {
    expect(await readFault(asked(path, { p: value }, "/x/{p}/y"))).toBe("permanent path-invalid");
    expect(site.requests).toEqual([]);
  });

  it("are sent as headers, except headers that agents must not set and values with line breaks", async () => {
    const names = [
      "X-Note",
      "Authorization",
      "Cookie",
      "Host",
      "Accept",
      "X-HTTP-Method-Override",
      "If-Match",
    ];
    const parameters = names.map((name) => ({ name, in: "header", schema: { type: "string" } }));
    await using api = await apiOf(documentOf({ "/a": { get: { operationId: "it", parameters } } }));
    const { properties } = api.capability("it").contract.input as { properties: object };
    expect(Object.keys(properties)).toEqual(["X-Note"]);
    expect(await readFault(api.perform("it", { "X-Note": "a\r\nCookie: b" }))).toBe(
      "permanent header-invalid",
    );
    await api.perform("it", { "X-Note": "hi" });
    expect(site.requests[0]!.headers["x-note"]).toBe("hi");
  });

  it("with one name in two places become two input fields", async () => {
    const id = (place: string) => ({ name: "id", in: place, required: true, schema: { type: "string" } });
    expect(await asked([id("path"), id("query")], { id_path: "1", id_query: "2" }, "/a/{id}")).toBe(
      "/base/a/1?id=2",
    );
  });

  it.each<[string, object, string | undefined]>([
    ["a form", { "application/x-www-form-urlencoded": {} }, "a=1%262&b=x&b=y"],
    ["JSON of a kind", { "application/vnd.api+json": {} }, '{"a":"1&2","b":["x","y"]}'],
  ])("the body is sent as %s", async (_name, content, expected) => {
    await using api = await apiOf(
      documentOf({
        "/a": { post: { operationId: "it", requestBody: { required: true, content } } },
      } as JsonObject),
    );
    await api.perform("it", { body: { a: "1&2", b: ["x", "y"] } });
    expect(site.requests[0]!.body).toBe(expected);
    expect(site.requests[0]!.headers["content-type"]).toBe(Object.keys(content)[0]);
  });
});

// biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
const [key, user] = ["${KEY}", "${USER}"];

describe("credentials by security scheme", () => {
  const called = async (scheme: JsonObject, config: object, security: Json = [{ s: [] }]) => {
    const document = documentOf(
      { "/a": { get: { operationId: "it" } } },
      { security, components: { securitySchemes: { s: scheme } } },
    );
    await using api = await apiOf(document, config);
    await api.perform("it", {});
    const { path, headers } = site.requests.at(-1)!;
    return { path, authorization: headers.authorization, cookie: headers.cookie, key: headers["x-key"] };
  };

  it.each<[string, JsonObject, string, object]>([
    ["a key in a header", { type: "apiKey", in: "header", name: "X-Key" }, key!, { key: "hunter2" }],
    ["a key in the query", { type: "apiKey", in: "query", name: "k" }, key!, { path: "/base/a?k=hunter2" }],
    ["a key in a cookie", { type: "apiKey", in: "cookie", name: "c" }, key!, { cookie: "c=hunter2" }],
    ["bearer", { type: "http", scheme: "Bearer" }, key!, { authorization: "Bearer hunter2" }],
    ["basic", { type: "http", scheme: "basic" }, user!, { authorization: `Basic ${btoa("me:secret")}` }],
    ["oauth2", { type: "oauth2", flows: {} }, key!, { authorization: "Bearer hunter2" }],
  ])("%s", async (_name, scheme, credential, expected) => {
    expect(await called(scheme, { credential })).toMatchObject(expected);
    expect(await called(scheme, { credential: { s: credential } })).toMatchObject(expected);
  });

  it("are not sent where the document requires none, nor to another scheme", async () => {
    const bearer = { type: "http", scheme: "bearer" };
    expect(await called(bearer, { credential: key }, [])).toMatchObject({ authorization: undefined });
    expect(await called(bearer, { credential: { other: key } })).toMatchObject({ authorization: undefined });
  });
});

describe("terms", () => {
  const search = {
    post: {
      operationId: "searchAll",
      "x-paraph": { effect: "read" },
      requestBody: { content: { "application/json": {} } },
    },
    delete: { operationId: "wipe", "x-paraph": { risk: "critical", locks: ["all:{what}"], timeout: "5s" } },
  };

  it("of a local document apply, and the configuration overrides them", async () => {
    await using api = await apiOf(documentOf({ "/a": search } as JsonObject), {
      overrides: { wipe: { timeout: "7s" } },
    });
    expect(api.capability("search_all").contract).toMatchObject({ effect: "read", idempotency: "natural" });
    expect(api.capability("wipe").contract).toMatchObject({ risk: "critical", timeoutMs: 7_000 });
    expect(api.capability("wipe").locks({ what: "x y" })).toEqual(["api:all:x%20y"]);
  });

  it("[TRUST 7] of a fetched document are ignored, because a host must not declare its own risk", async () => {
    const document = documentOf({ "/a": search } as JsonObject, { servers: [{ url: "/v1" }] });
    site.respond = ({ path }, response) =>
      respondJson(response, 200, path === "/openapi.json" ? document : {});
    await using api = await openTestAdapter(
      openapi({ document: `${site.origin}/openapi.json`, allow: [site.host] }),
    );
    expect(api.capability("search_all").contract).toMatchObject({ effect: "write", idempotency: "none" });
    await api.perform("search_all", { body: 1 });
    expect(site.requests.at(-1)!.path).toBe("/v1/a");
  });

  it("[TRUST 17] a document is fetched only from an allowed address", async () => {
    expect(await readFault(openTestAdapter(openapi({ document: `${site.origin}/openapi.json` })))).toBe(
      "permanent address-not-allowed",
    );
  });

  it("[TRUST 24] a fetched document with many long names takes less than 20 s of CPU time", async () => {
    const names = Array.from({ length: 50_000 }, (_, number) => `  n${number}: {}`).join("\n");
    const operation = { get: { operationId: "N".repeat(150_000) } };
    const document = `${stringify(documentOf({ "/a": operation }))}\nx-names:\n${names}`;
    site.respond = (_visit, response) => void response.end(document);
    const from = process.cpuUsage();
    await using api = await openTestAdapter(
      openapi({ document: `${site.origin}/openapi.yaml`, allow: [site.host] }),
    );
    const { user, system } = process.cpuUsage(from);
    expect((user + system) / 1_000).toBeLessThan(20_000);
    expect(api.names).toHaveLength(1);
  });

  it.each<[string, object, string, string | undefined]>([
    ["nothing", {}, "none", undefined],
    ["a header for all", { idempotencyKey: "X-Once" }, "keyed", "x-once"],
    ["the usual header for all", { idempotencyKey: true }, "keyed", "idempotency-key"],
    ["keyed for this one", { overrides: { post_a: { idempotency: "keyed" } } }, "keyed", "idempotency-key"],
  ])(
    "with %s configured, a POST sends the idempotency key that its contract promises",
    async (_name, config, idempotency, header) => {
      await using api = await apiOf(documentOf({ "/a": { post: {} } }), config);
      expect(api.capability("post_a").contract.idempotency).toBe(idempotency);
      await api.perform("post_a", {});
      const sent = Object.entries(site.requests[0]!.headers).find(([, value]) => value === "0198c0de-call");
      expect(sent?.[0]).toBe(header);
    },
  );

  it("for an operation that does not exist are rejected", async () => {
    await expect(
      apiOf(documentOf({ "/a": search } as JsonObject), { overrides: { wip: {} } }),
    ).rejects.toThrow(/`wip`/);
  });

  it("can name the operation that reads for the preview, or disable the preview", async () => {
    const id = [{ name: "id", in: "path", required: true }];
    const paths = {
      "/a/{id}": { parameters: id, get: { operationId: "getA" }, put: { "x-paraph": { preview: false } } },
      "/a/{id}/cancel": { parameters: id, post: { operationId: "cancelA", "x-paraph": { preview: "getA" } } },
    };
    await using api = await apiOf(documentOf(paths as JsonObject));
    expect(api.capability("put_a_id").contract).toMatchObject({ previews: false, idempotency: "natural" });
    expect(api.capability("cancel_a").contract).toMatchObject({ previews: true, idempotency: "none" });
  });

  it("include and exclude select by name, id, or method and path, and a reader outside them still serves previews", async () => {
    const id = [{ name: "id", in: "path", required: true }];
    const paths = {
      "/a/{id}": { parameters: id, get: {}, put: {}, delete: { operationId: "dropIt" } },
      "/b": { get: {} },
    };
    const names = async (config: object) => {
      await using api = await apiOf(documentOf(paths as JsonObject), config);
      return api.names;
    };
    expect(await names({ include: ["put_*"] })).toEqual(["put_a_id"]);
    expect(await names({ include: ["* /a/*"], exclude: ["dropIt"] })).toEqual(["get_a_id", "put_a_id"]);
    await using api = await apiOf(documentOf(paths as JsonObject), { include: ["put_*"] });
    expect(api.capability("put_a_id").contract.previews).toBe(true);
  });
});

describe("documents", () => {
  it("can be YAML and OpenAPI 3.0, with `nullable` and a boolean `exclusiveMinimum`", async () => {
    const schema = {
      type: "object",
      properties: { a: { type: "integer", nullable: true, minimum: 1, exclusiveMinimum: true } },
    };
    const body = { content: { "application/json": { schema } } };
    const document = documentOf({ "/a": { post: { requestBody: body } } } as JsonObject, {
      openapi: "3.0.3",
    });
    await using api = await apiOf(stringify(document));
    const fits = (a: Json) => api.capability("post_a").parseInput({ body: { a, other: 1 } }).kind;
    expect([fits(null), fits(2), fits(1), fits("2")]).toEqual(["valid", "valid", "invalid", "invalid"]);
  });

  it("an operation that cannot be used is left out and reported, and the others are offered", async () => {
    const paths = {
      "/ok": { get: {} },
      "/ref": { get: { parameters: [{ $ref: "https://example.com/p.json" }] } },
      "/file": { post: { requestBody: { required: true, content: { "multipart/form-data": {} } } } },
      "/look": {
        get: { parameters: [{ name: "a", in: "query", schema: { type: "string", pattern: "(?=a)" } }] },
      },
    };
    await using api = await apiOf(documentOf(paths as JsonObject));
    expect(api.names).toEqual(["get_ok"]);
    const { message } = (await api.health()) as { message: string };
    expect(message).toMatch(
      /3 of 4 operations are left out: `GET \/ref` \(a `\$ref` in it points to another document/,
    );
    expect(message).toMatch(/`POST \/file` \(its body is neither/);
    expect(message).toMatch(
      /`GET \/look` \(`\/properties\/a\/pattern` is a pattern that RE2 does not support/,
    );
  });

  it.each<[string, Json | string, RegExp]>([
    ["Swagger 2", { swagger: "2.0", paths: {} }, /Swagger 2/],
    ["another version", { openapi: "4.0.0" }, /must contain/],
    ["no paths", { openapi: "3.1.0" }, /has no `paths`/],
    ["nothing that can be used", documentOf({}), /has no usable operations/],
    ["neither JSON nor YAML", "{", /neither JSON nor YAML/],
    ["no server", documentOf({ "/a": { get: {} } }, { servers: [] }), /configure `server`/],
    [
      "a YAML bomb",
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]`,
      /neither JSON nor YAML/,
    ],
  ])("[P11] a document with %s is rejected", async (_name, document, sentence) => {
    await expect(apiOf(document)).rejects.toThrow(sentence);
  });

  it("a sensitive response field is sensitive in the contract, by its format or by an override", async () => {
    const properties = { token: { type: "string", format: "password" }, iban: { type: "string" } };
    const responses = { "200": { content: { "application/json": { schema: { items: { properties } } } } } };
    const document = documentOf({ "/a": { get: { responses } }, "/b": { get: {} } } as JsonObject);
    const sensitive = async (marked: string[]) => {
      await using api = await apiOf(document, { overrides: { get_a: { sensitive: marked } } });
      return api.names.includes("get_a") ? api.capability("get_a").contract.sensitive : "left out";
    };
    expect(await sensitive([])).toEqual(["body.token"]);
    expect(await sensitive(["body.iban"])).toEqual(["body.token", "body.iban"]);
    expect(await sensitive(["body.ibna"])).toBe("left out");
  });

  it("a sensitive field inside `allOf` of the body is sensitive in the contract", async () => {
    const schema = { allOf: [{ properties: { password: { type: "string", format: "password" } } }] };
    const requestBody = { content: { "application/json": { schema } } };
    await using api = await apiOf(documentOf({ "/a": { post: { requestBody } } } as JsonObject));
    expect(api.capability("post_a").contract.sensitive).toEqual(["body.password"]);
  });

  it("of OpenAPI 3.2 can have a QUERY operation, which reads and has a body", async () => {
    const requestBody = { required: true, content: { "application/json": {} } };
    await using api = await apiOf(
      documentOf({ "/a": { query: { requestBody } } } as JsonObject, { openapi: "3.2.0" }),
    );
    expect(api.capability("query_a").contract.effect).toBe("read");
    await api.perform("query_a", { body: { a: 1 } });
    expect(site.requests).toMatchObject([{ method: "QUERY", body: '{"a":1}' }]);
  });
});
