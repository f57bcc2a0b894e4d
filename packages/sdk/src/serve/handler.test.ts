import {
  defineCapability,
  type Json,
  openMessage,
  parsePublicKey,
  parseSigningKey,
  type ServingAnswer,
  sealMessage,
} from "@paraph/core";
import { expect, it } from "vitest";
import { z } from "zod";
import { createServingHandler } from "./handler.ts";
import { hostCapabilities } from "./hosted-capability.ts";
import { createKeyPair } from "./key-pair.ts";

const [paraph, service, stranger] = await Promise.all([createKeyPair(), createKeyPair(), createKeyPair()]);
const serviceKey = parsePublicKey(service.publicKey)!;
const done: string[] = [];
const order = defineCapability({
  name: "shop.order",
  version: 1,
  summary: "Order",
  effect: "write",
  idempotency: "none",
  input: z.object({ what: z.string(), cents: z.int().default(0) }),
  output: z.object({}),
  locks: ({ what }) => (what === "gold" ? ["vault"] : []),
  cost: ({ cents }) => cents,
  apply: async ({ what }) => {
    done.push(what);
    return {};
  },
});
const hosting = [{ capability: order, locks: ["shelf:{what}"], cost: "cents" }];
const digest = hostCapabilities(hosting).get("shop.order")!.digest;
const hour = 3_600_000;

interface Over {
  readonly key?: string;
  readonly path?: string;
  readonly payload?: Record<string, Json>;
}

async function request({
  key = paraph.privateKey,
  path = "apply",
  payload = {},
}: Over = {}): Promise<Request> {
  const signer = (await parseSigningKey(key))!;
  const asked = {
    operation: "apply",
    to: [serviceKey.kid],
    at: 1_000 * hour,
    nonce: crypto.randomUUID(),
    capability: "shop.order",
    digest,
    input: { what: "tea" },
    locks: ["shelf:tea"],
    cost: 0,
    world: {
      tenant: "acme",
      principal: { tenant: "acme", id: "agent", kind: "agent" },
      approvers: [],
      call: "c",
      key: "c",
      attempt: 1,
    },
    ...payload,
  };
  const { text } = await sealMessage("request", asked, signer);
  return new Request(`https://shop.example/below/paraph/v1/${path}`, { method: "POST", body: text });
}

const handling = (now = () => 1_000 * hour) =>
  createServingHandler({ capabilities: hosting, key: service.privateKey, callers: [paraph.publicKey], now });

/** Returns the status and either the signed answer or the code of the problem. */
async function told(response: Response): Promise<[number, string]> {
  const text = await response.text();
  const signed = (await openMessage("answer", text, [serviceKey]))?.payload as unknown as ServingAnswer;
  if (!signed) return [response.status, JSON.parse(text).code];
  return [
    response.status,
    signed.kind === "fault" ? `${signed.fault.kind} ${signed.fault.code}` : signed.kind,
  ];
}

it("answers the signed `apply` and `discover` requests of a configured caller", async () => {
  const handle = await handling();
  expect(await told(await handle(await request()))).toEqual([200, "applied"]);
  expect(
    await told(await handle(await request({ path: "discover", payload: { operation: "discover" } }))),
  ).toEqual([200, "discovered"]);
});

it.each<[string, Over, [number, string]]>([
  ["a stranger", { key: stranger.privateKey }, [401, "signature-invalid"]],
  ["another path", { path: "preview" }, [403, "permanent request-invalid"]],
  ["no path there is", { path: "everything" }, [404, "not-found"]],
  ["a request for another service", { payload: { to: ["another"] } }, [403, "permanent request-misdirected"]],
  ["an old request", { payload: { at: 999 * hour } }, [403, "not-performed clock-apart"]],
  ["one from the future", { payload: { at: 1_001 * hour } }, [403, "not-performed clock-apart"]],
  [
    "one from before it began",
    { payload: { at: 1_000 * hour - 1 } },
    [403, "not-performed service-starting"],
  ],
  ["another contract", { payload: { digest: "0".repeat(64) } }, [409, "not-performed contract-changed"]],
  [
    "no capability there is",
    { payload: { capability: "shop.sell" } },
    [409, "not-performed contract-changed"],
  ],
  ["an input that does not fit", { payload: { input: { what: 1 } } }, [200, "permanent input-invalid"]],
  [
    "a cost beyond what is reserved",
    { payload: { input: { what: "tea", cents: 1 } } },
    [200, "permanent cost-undeclared"],
  ],
  ["locks that are not held", { payload: { input: { what: "gold" } } }, [200, "permanent locks-undeclared"]],
])("%s is rejected, and no capability runs", async (_, over, expected) => {
  const handle = await handling();
  const before = done.length;
  expect(await told(await handle(await request(over)))).toEqual(expected);
  expect(done.length).toBe(before);
});

it("a replayed request is rejected, even by a process that restarted", async () => {
  let now = 1_000 * hour;
  const handle = await handling(() => now);
  const asked = await request();
  const again = asked.clone();
  const third = asked.clone();
  expect(await told(await handle(asked))).toEqual([200, "applied"]);
  const before = done.length;
  expect(await told(await handle(again))).toEqual([403, "permanent request-replayed"]);
  now += 1;
  const restarted = await handling(() => now);
  expect(await told(await restarted(third))).toEqual([403, "not-performed service-starting"]);
  expect(done.length).toBe(before);
});

it("processes with a shared `rememberNonce` reject a request that one of them has handled", async () => {
  const seen = new Set<string>();
  const first = async (nonce: string) => seen.size < seen.add(nonce).size;
  const options = {
    capabilities: hosting,
    key: service.privateKey,
    callers: [paraph.publicKey],
    rememberNonce: first,
  };
  const [one, two] = await Promise.all(
    [0, 1].map(() => createServingHandler({ ...options, now: () => 1_000 * hour })),
  );
  const asked = await request();
  const again = asked.clone();
  expect(await told(await one!(asked))).toEqual([200, "applied"]);
  expect(await told(await two!(again))).toEqual([403, "permanent request-replayed"]);
});

it("[TRUST 24] an endless request body is rejected with 413 before 12 MiB are read", async () => {
  const handle = await handling();
  let pulled = 0;
  const body = new ReadableStream({
    pull: (controller) => {
      pulled += 1;
      controller.enqueue(new Uint8Array(1024 * 1024));
    },
  });
  const endless = new Request("https://s/paraph/v1/apply", {
    method: "POST",
    body,
    duplex: "half",
  } as RequestInit);
  expect((await handle(endless)).status).toBe(413);
  expect(pulled).toBeLessThan(12);
});

it.each([
  ["no private key", { key: "nonsense" }, "`key`"],
  ["no caller", { callers: [] }, "`callers`"],
  ["a caller without a key", { callers: ["bob"] }, "`callers`"],
])("creating a handler with %s fails", async (_, over, fault) => {
  const options = { capabilities: [], key: service.privateKey, callers: [paraph.publicKey], ...over };
  await expect(createServingHandler(options)).rejects.toThrow(fault);
});
