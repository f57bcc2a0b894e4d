import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { respondJson, TestHttpServer } from "../egress/testing/http-server.ts";
import {
  createCredentialContext,
  openTestAdapter,
  type TestAdapter,
} from "../egress/testing/open-adapter.ts";
import { readFault } from "../testing.ts";
import { http } from "./index.ts";

const site = new TestHttpServer();
const stranger = new TestHttpServer();
let api: TestAdapter;
beforeAll(async () => {
  await Promise.all([site.open(), stranger.open()]);
  api = await openTestAdapter(http(configured()), "/", { SHOP_TOKEN: "hunter2-token" });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await Promise.all([site.close(), stranger.close()]);
});
beforeEach(() => {
  site.requests.length = 0;
  stranger.requests.length = 0;
  site.respond = (_visit, response) => respondJson(response, 200, { fine: true });
});

function configured(over: object = {}) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a configuration names a secret.
  const credential = { header: "Authorization", value: "Bearer ${SHOP_TOKEN}" };
  return {
    hosts: { [site.origin]: { credential, idempotencyKey: true as const } },
    // The other server is reachable. The only barrier is that its host is not configured.
    allow: [site.host, stranger.host],
    headers: ["accept", "content-type", "x-note"],
    maxBytes: 1_000,
    ...over,
  };
}

it("offers a read, a destroy, and a write that is keyed if every host accepts an idempotency key", async () => {
  const terms = (from: TestAdapter) =>
    from.names.map((name) => {
      const { effect, risk, idempotency } = from.capability(name).contract;
      return [name, effect, risk, idempotency];
    });
  expect(terms(api)).toEqual([
    ["get", "read", "low", "natural"],
    ["request", "write", "medium", "keyed"],
    ["delete", "destroy", "high", "natural"],
  ]);
  const hosts = { [site.origin]: { idempotencyKey: true as const }, "https://example.com": {} };
  await using mixed = await openTestAdapter(http(configured({ hosts })));
  expect(terms(mixed)[1]).toEqual(["request", "write", "medium", "none"]);
});

it("sends the requested method, URL, headers and body with the host's credential and the call's key", async () => {
  const output = await api.perform("request", {
    method: "POST",
    url: `${site.origin}/orders?x=1`,
    headers: { "Content-Type": "application/json", "X-Note": "hi" },
    body: '{"a":1}',
  });
  expect(output).toMatchObject({ status: 200, body: { fine: true }, encoding: "json", cut: false });
  expect(site.requests).toMatchObject([{ method: "POST", path: "/orders?x=1", body: '{"a":1}' }]);
  expect(site.requests[0]!.headers).toMatchObject({
    authorization: "Bearer hunter2-token",
    "idempotency-key": "0198c0de-call",
    "x-note": "hi",
  });
  await api.perform("get", { url: site.origin });
  expect(site.requests[1]!.headers).not.toHaveProperty("idempotency-key");
});

describe("[TRUST 17] hosts that are not configured", () => {
  it.each([
    "http://STRANGER/",
    "http://SITE@STRANGER/",
    "http://STRANGER#SITE",
    "http://STRANGER\\@SITE/",
    "http:\\\\STRANGER/",
    "//STRANGER/",
    "https://SITE/",
    "\thttp://STRANGER/",
    "http://user:password@SITE/",
    "http://SITE\r\nHost: STRANGER/",
    "file:///etc/passwd",
    "data:text/plain,x",
    "/relative",
    "",
  ])("%j is refused", async (template) => {
    const url = template.replaceAll("STRANGER", stranger.host).replaceAll("SITE", site.host);
    const parsed = api.capability("get").parseInput({ url });
    // The URL is rejected by the schema, or before it is sent.
    if (parsed.kind === "valid")
      expect(await readFault(api.perform("get", { url }))).toBe("permanent host-not-allowed");
    expect([...stranger.requests, ...site.requests]).toEqual([]);
  });

  it("are not reached by a redirect", async () => {
    site.respond = (_visit, response) => void response.writeHead(302, { location: stranger.origin }).end();
    expect(await readFault(api.perform("get", { url: site.origin }))).toBe("permanent redirected");
    expect(stranger.requests).toEqual([]);
  });
});

describe("[TRUST 30] the adapter sends exactly the request that policy ruled on", () => {
  const paths = ["/safe/../admin", "/safe/%2e%2e/admin-delete-everything", "/./forbidden", "/x/../forbidden"];
  it.each([
    ...paths,
    ...[
      "//forbidden",
      "/%66orbidden",
      "/safe/ok",
      "",
      "/a?b=%63",
      "/a?",
      "/é",
      "/a#b",
      "/safe/%2e%2e%2fadmin",
    ],
  ])("%j is sent exactly as policy ruled on it, or not at all", async (path) => {
    const raw = { method: "POST", url: site.origin + path, body: "x" };
    const parsed = api.capability("request").parseInput(raw);
    const ruledOn = parsed.kind === "valid" ? (parsed.value as { url: string }).url : undefined;
    if (ruledOn !== undefined) await api.perform("request", raw);
    expect(site.requests.map((visit) => site.origin + visit.path)).toEqual(
      ruledOn === undefined ? [] : [ruledOn],
    );
    expect(ruledOn ?? "").not.toMatch(/admin/);
  });

  it("a URL that was accepted without its canonical spelling is not sent", async () => {
    const { apply } = api.capability("get");
    for (const url of [`${site.origin}/safe/%2e%2e/admin`, site.origin.toUpperCase(), `${site.origin}/%66`]) {
      const context = createCredentialContext(async () => "hunter2-token");
      expect(await readFault(apply({ url, method: "GET" }, context))).toBe("permanent url-invalid");
    }
    expect(site.requests).toEqual([]);
  });

  it("headers have the name and value that are sent, and a name that occurs twice is rejected", () => {
    const { parseInput } = api.capability("get");
    const url = `${site.origin}/`;
    expect(parseInput({ url, headers: { Accept: " a/b ", "X-Note": "c" } })).toEqual({
      kind: "valid",
      value: { url, headers: { accept: "a/b", "x-note": "c" }, method: "GET" },
    });
    expect(parseInput({ url, headers: { Accept: "a", accept: "b" } })).toMatchObject({ kind: "invalid" });
  });

  it("a redirect within the host is not followed, because policy did not rule on its target", async () => {
    site.respond = (_visit, response) => void response.writeHead(302, { location: "/admin" }).end();
    const reading = api.perform("get", { url: `${site.origin}/safe/` });
    await expect(reading).rejects.toMatchObject({
      code: "redirected",
      message: expect.stringContaining("`/admin`"),
    });
    expect(site.requests.map(({ path }) => path)).toEqual(["/safe/"]);
  });
});

describe("headers", () => {
  it.each([
    ...[
      "Authorization",
      "authorization",
      "Cookie",
      "Host",
      "Connection",
      "Transfer-Encoding",
      "Content-Length",
    ],
    ...[
      "X-HTTP-Method-Override",
      "Idempotency-Key",
      "X-Forwarded-For",
      "Proxy-Authorization",
      "Other",
      "x note",
    ],
  ])("agents cannot set %s", async (name) => {
    const input = { method: "POST", url: site.origin, headers: { [name]: "x" } };
    expect(await readFault(api.perform("request", input))).toBe("permanent header-not-allowed");
    expect(site.requests).toEqual([]);
  });

  it.each(["a\r\nAuthorization: x", "a\nb", "a\0b", "ä", "a\u2028b"])(
    "a value %j is refused",
    async (value) => {
      const input = { url: site.origin, headers: { "x-note": `x${value}x` } };
      expect(await readFault(api.perform("get", input))).toBe("permanent header-invalid");
      expect(site.requests).toEqual([]);
    },
  );

  it.each(["authorization", "Cookie", "x-http-method-override", "host", "a b"])(
    "%s cannot be configured as a header that agents may set",
    async (name) => {
      await expect(openTestAdapter(http(configured({ headers: [name] })))).rejects.toThrow(
        /agents may not set this header/,
      );
    },
  );
});

it("[P10] a credential that the host echoes appears neither in the output nor in a fault", async () => {
  site.respond = ({ headers }, response) =>
    respondJson(
      response,
      headers["x-note"] ? 400 : 200,
      { echo: headers.authorization },
      { location: `/${headers.authorization}` },
    );
  const output = await api.perform("get", { url: site.origin });
  expect(output).toMatchObject({ body: { echo: "Bearer •••" }, headers: { location: "/Bearer •••" } });
  const failing = api.perform("get", { url: site.origin, headers: { "x-note": "1" } });
  await expect(failing).rejects.toThrow(/answered 400: \{"echo":"Bearer •••"\}/);
});

it.each<[string, Record<string, string>, string | Buffer, object]>([
  ["text", { "content-type": "text/plain" }, "grüße", { body: "grüße", encoding: "text" }],
  ["bytes", { "content-type": "image/png" }, Buffer.from([255, 0]), { body: "/wA=", encoding: "base64" }],
  ["JSON that is none", { "content-type": "application/json" }, "{", { body: "{", encoding: "text" }],
  [
    "half a character",
    { "content-type": "application/json" },
    '"\\ud800"',
    { body: '"\\ud800"', encoding: "text" },
  ],
  ["a compressed body", { "content-encoding": "gzip" }, "x", { body: null, encoding: "none", cut: true }],
  ["nothing", {}, "", { body: null, encoding: "none" }],
  [
    "too much",
    { "content-type": "application/json" },
    `"${"ä".repeat(999)}"`,
    { encoding: "text", cut: true },
  ],
  [
    "only headers that are shown",
    { "set-cookie": "session=1", "x-request-id": "7" },
    "",
    { headers: { "x-request-id": "7" } },
  ],
])("represents an answer with %s in the output", async (_name, headers, body, expected) => {
  site.respond = (_visit, response) => void response.writeHead(200, headers).end(body);
  expect(await api.perform("get", { url: site.origin })).toMatchObject(expected);
});

it("does not send a secret with a line break, which could start another header", async () => {
  await using broken = await openTestAdapter(http(configured()), "/", { SHOP_TOKEN: "a\r\nb: c" });
  expect(await readFault(broken.perform("get", { url: site.origin }))).toBe("permanent credential-unusable");
  expect(site.requests).toEqual([]);
});

it.each<[object, RegExp]>([
  [{ hosts: {} }, /name at least one host/],
  [{ hosts: { "https://example.com/path": {} } }, /use origins/],
  [{ hosts: { "ftp://example.com": {} } }, /use origins/],
  [
    { hosts: { "https://example.com": { credential: { header: "Authorization", value: "abc" } } } },
    /refer to a secret/,
  ],
  [{ allow: ["nonsense/"] }, /is not a valid address/],
  [{ unknown: 1 }, /unknown/i],
])("a configuration with %j is refused", async (over, sentence) => {
  await expect(openTestAdapter(http(configured(over) as never))).rejects.toThrow(sentence);
});
