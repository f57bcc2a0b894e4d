import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findJsonFault } from "./middleware/json-body.ts";
import { TestServer } from "./testing/server.ts";

const server = new TestServer();
let open: { id: string; digest: string };
beforeAll(async () => {
  await server.start();
  open = (await server.call("billing.refund", { payment: "pay_1", cents: 1 })).body.waiting.approval;
});
afterAll(() => server.stop());

const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

const corpus = [
  "",
  "null",
  "[]",
  "0",
  '"text"',
  "{",
  '{"capability":"notes.list","input":1e999}',
  '{"capability":"notes.list","input":"\\ud800"}',
  '{"capability":"notes.list","input":{"\\udc00":1}}',
  '{"capability":"notes.list","input":{"prefix":"\\u0000"}}',
  '{"capability":"notes.list","input":{"__proto__":{"admin":true}}}',
  '{"capability":"notes.list","input":{"\\u005f_proto__":1}}',
  '{"__proto__":{"capability":"notes.list"},"input":{}}',
  '{"capability":"notes.list","input":{"constructor":{"prototype":{"x":1}}}}',
  '{"capability":"notes.list","input":{},"input":7}',
  '{"capability":"notes.list","input":{},"session":{"session":"\\u0000"}}',
  '{"capability":"constructor","input":{}}',
  '{"capability":"__proto__","input":{}}',
  `{"capability":"notes.list","input":${deep(65)}}`,
  `{"capability":"notes.list","input":${deep(200_000)}}`,
  `{"capability":"${"a".repeat(100_000)}","input":{}}`,
  `{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":0`).join()}}`,
  `{"capability":"notes.append","input":{"text":${"9".repeat(500_000)}}}`,
  '{"decision":"approve","digest":{"$ne":null}}',
  '\ufeff{"capability":"notes.list","input":{}}',
  "\u0000\u0001",
];

const shaped = fc.record(
  {
    capability: fc.oneof(
      fc.constantFrom("notes.list", "notes.append", "billing.refund", "notes.burn"),
      fc.string(),
    ),
    input: fc.oneof(
      fc.record(
        { text: fc.jsonValue(), payment: fc.jsonValue(), cents: fc.jsonValue() },
        { requiredKeys: [] },
      ),
      fc.jsonValue({ maxDepth: 6 }),
    ),
    session: fc.oneof(fc.jsonValue(), fc.record({ session: fc.string({ unit: "binary" }) })),
    purpose: fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue()),
    decision: fc.oneof(fc.constantFrom("approve", "deny"), fc.jsonValue()),
    digest: fc.oneof(fc.stringMatching(/^[0-9a-f]{64}$/), fc.jsonValue()),
    reason: fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const value = fc.oneof(
  fc.record({
    $from: fc.constantFrom("a", "b"),
    path: fc.constantFrom("", "/place", "/__proto__", "~", "/~2"),
  }),
  fc.record({ $literal: fc.jsonValue() }),
  fc.jsonValue(),
);
const planned = fc.record({
  plan: fc.record({
    version: fc.constantFrom(1, 1, 1, 2, "1"),
    onFailure: fc.constantFrom("stop", "continue", "compensate", "x"),
    steps: fc.array(
      fc.record(
        {
          id: fc.constantFrom("a", "b", "c", "constructor", "$compensation"),
          capability: fc.constantFrom("notes.pin", "notes.list", "plan.apply", "no.such"),
          input: fc.oneof(value, fc.record({ place: value, text: value })),
          after: fc.array(fc.constantFrom("a", "b", "__proto__")),
          visibility: fc.constantFrom("everyone", "approvers"),
        },
        { requiredKeys: ["id", "capability", "input"] },
      ),
      { maxLength: 3 },
    ),
  }),
});
const bodies = fc.oneof(
  { weight: 2, arbitrary: planned.map((value) => JSON.stringify(value)) },
  { weight: 4, arbitrary: shaped.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  { weight: 1, arbitrary: fc.constantFrom(...corpus) },
);

const operations: [path: string, as: string, known: number[]][] = [
  ["/v1/calls", "bot", [200, 202, 400, 404, 422]],
  ["/v1/plans", "bot", [200, 202, 400, 404, 422]],
  ["/v1/previews", "bot", [200, 400, 404, 422]],
  ["/v1/approvals/{approval}/decision", "bo", [400, 409, 422]],
];

for (const [path, as, known] of operations) {
  const post = (body: string) => server.post(path.replace("{approval}", open.id), as, body);

  it(`[TRUST 24] the corpus at ${path}: no 5xx`, async () => {
    for (const body of corpus) {
      const { status } = await post(body);
      expect([body.slice(0, 80), known.includes(status) || status]).toEqual([body.slice(0, 80), true]);
    }
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });

  it(`[TRUST 24] 200 random bodies at ${path}: no 5xx`, async () => {
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const { status } = await post(body);
        expect(known).toContain(status);
      }),
      { numRuns: 200 },
    );
  });
}

it("[TRUST 24] no part of an address contains a zero byte", async () => {
  for (const path of ["/v1/calls?q=%00", "/v1/activity?principal=a%00", "/v1/calls/%00", "/calls/%00"])
    expect((await server.get(path, "ana")).body).toMatchObject({ code: "parameter-invalid" });
});

it("[TRUST 24] no id of a principal in a body contains a zero byte", async () => {
  const digest = "0".repeat(64);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const requests: [string, object][] = [
    ["/v1/approvals/ask_1/reassign", { digest, to: "b\0" }],
    ["/v1/delegations", { delegate: "b\0", until }],
    ["/v1/policy/what-if", { principal: "b\0", capability: "notes.list", input: {} }],
  ];
  for (const [path, body] of requests)
    expect([path, (await server.post(path, "ana", body)).body.code]).toEqual([path, "body-invalid"]);
});

it("[TRUST 24] a PUT request has the limits of a POST request", async () => {
  const put = async (body: string, type = "application/json") => {
    const headers = { "content-type": type };
    const path = "/v1/me/notifications";
    return (await server.fetch(path, { as: "bo", method: "PUT", headers, body })).status;
  };
  expect(await put(JSON.stringify({ channels: ["x".repeat(1024 * 1024)] }))).toBe(413);
  expect(await put("{}", "text/plain")).toBe(415);
  expect(await put(deep(65))).toBe(400);
  expect(await put('{"__proto__":{"channels":[]}}')).toBe(400);
  expect(await put("{}")).toBe(200);
});

it("a body that is not valid UTF-8 gets a 400", async () => {
  const response = await server.fetch("/v1/calls", {
    as: "bot",
    method: "POST",
    headers: { "content-type": "application/json" },
    body: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]),
  });
  expect(response.status).toBe(400);
});

it("200 random queries and headers: no 5xx", async () => {
  const paths = ["/v1/calls", "/v1/approvals", "/v1/calls/x/events", "/v1/capabilities/x", "/v1/x", "/docs"];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.webQueryParameters(),
      fc.constantFrom("prefer", "idempotency-key", "last-event-id", "traceparent", "accept", "origin"),
      fc.stringMatching(/^[\x20-\x7e]*$/),
      async (path, query, name, value) => {
        const { status } = await server.get(`${path}?${query}&limit=${encodeURIComponent(value)}`, "bo", {
          [name]: value,
        });
        expect(status).toBeLessThan(500);
      },
    ),
    { numRuns: 200 },
  );
});

it("[TRUST 24] the error for a rejected body names the kind of fault, never the content", async () => {
  const faults: [json: string, fault: string | undefined][] = [
    [deep(64), undefined],
    [deep(65), "it has more than 64 levels"],
    ['{"a":[{"__proto__":1}]}', "a member's name is reserved"],
    ['{"\\u005f_proto__":1}', "a member's name is reserved"],
    ['{"constructor":{"prototype":1}}', "a member's name is reserved"],
    ['{"constructor":"a text","prototype":1}', undefined],
    ['["\\ud800"]', "a string contains half of a surrogate pair"],
    ['{"\\udc00":1}', "a name contains half of a surrogate pair"],
    ["[-1e999]", "a number is too large"],
    ['{"a":"\\u0000","b":[null,true,-0]}', undefined],
  ];
  for (const [json, fault] of faults) {
    expect([json, findJsonFault(JSON.parse(json))]).toEqual([json, fault]);
    if (fault === undefined) continue;
    const { status, body } = await server.post("/v1/calls", "bot", json);
    expect([status, body.code, body.detail]).toEqual([400, "not-json", `The body was rejected: ${fault}.`]);
  }
});
