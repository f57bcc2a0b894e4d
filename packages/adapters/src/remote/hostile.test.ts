import { defineCapability, type Json, type ServedContract } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readFault } from "../testing.ts";
import { toUnsignedFault } from "./service-fault.ts";
import { createKeyPair, createTestContext, findServedCapability, openRemote } from "./testing/fixture.ts";
import { type ImpostorRequest, signAnswer, startImpostor } from "./testing/impostor.ts";

const { contract } = defineCapability({
  name: "shop.order",
  version: 1,
  summary: "Order something",
  effect: "write",
  idempotency: "none",
  input: z.object({ what: z.string() }),
  output: z.object({ order: z.string() }),
  preview: async () => ({ changes: [], basis: null }),
  apply: async () => ({ order: "" }),
});
const other = await createKeyPair();
const done = { kind: "applied", effect: { output: { order: "o-1" } } };

/** Calls an impostor's apply or preview, and returns the fault or the output. */
async function asking(
  answer: (request: ImpostorRequest) => unknown,
  what: "apply" | "preview" = "apply",
  context = createTestContext(),
) {
  await using service = await startImpostor([{ contract, undoes: true }], answer);
  const { open } = await openRemote({ url: service.url });
  try {
    const capability = findServedCapability(await open.capabilities(), "shop.order");
    let output: unknown;
    const asked = capability[what]!({ what: "tea" }, context).then((came) => {
      output = came;
    });
    const fault = await readFault(asked);
    return fault === "no fault" ? { capability, output } : fault;
  } finally {
    await open.close?.();
  }
}

describe("[P11] Paraph accepts only an answer that the service signed for this request", () => {
  it("accepts a correctly signed answer", async () => {
    const honest = await asking(async ({ response, sign }) => response.end(await sign(done)));
    expect(honest).toMatchObject({ output: { order: "o-1" } });
  });

  const deep = JSON.parse(`${"[".repeat(70)}${"]".repeat(70)}`) as Json;
  it.each<[string, (request: ImpostorRequest) => Promise<string> | string]>([
    ["no JSON", () => "done!\n"],
    ["no envelope", () => JSON.stringify(done)],
    ["another's signature", ({ request }) => signAnswer(other.privateKey, { ...done, request })],
    ["the answer to another request", ({ sign }) => sign(done, "0".repeat(64))],
    ["more depth than anybody's data has", ({ sign }) => sign({ ...done, effect: { output: deep } })],
    [
      "a changed byte",
      async ({ sign }) =>
        (await sign(done)).replace(/"payload":"(.)/, (_, c) => `"payload":"${c === "A" ? "B" : "A"}`),
    ],
  ])("rejects an answer with %s as untrusted, with an ambiguous fault", async (_, line) => {
    const fault = await asking(async (request) => request.response.end(await line(request)));
    expect(fault).toBe("ambiguous answer-untrusted");
  });

  it("rejects a signed answer of an unknown kind as invalid, with an ambiguous fault", async () => {
    const perhaps = (request: ImpostorRequest) => request.sign({ kind: "perhaps" });
    const fault = await asking(async (request) => request.response.end(await perhaps(request)));
    expect(fault).toBe("ambiguous answer-invalid");
  });

  it("treats a signed answer to another operation as missing, with an ambiguous fault", async () => {
    const absent = (request: ImpostorRequest) => request.sign({ kind: "absent" });
    expect(await asking(async (request) => request.response.end(await absent(request)))).toBe(
      "ambiguous answer-missing",
    );
  });
});

describe("[P8] the fault without a signed answer", () => {
  const status =
    (code: number, headers = {}) =>
    (request: ImpostorRequest) =>
      request.response.writeHead(code, headers).end("{}");

  it.each([
    [400, "permanent http-400"],
    [401, "permanent key-refused"],
    [404, "permanent nothing-served"],
    [302, "ambiguous redirected"],
    [307, "permanent redirected"],
    [408, "ambiguous http-408"],
    [429, "not-performed http-429"],
    [500, "ambiguous http-500"],
    [502, "ambiguous http-502"],
    [503, "ambiguous http-503"],
    [504, "ambiguous http-504"],
    [524, "ambiguous http-524"],
  ])("an unsigned status %i gives %s", async (code, fault) => {
    expect(await asking(status(code))).toBe(fault);
  });

  it("takes its retry delay from a valid Retry-After header", () => {
    expect(toUnsignedFault(503, "2", "an effect").retryAfterMs).toBe(2_000);
    expect(toUnsignedFault(429, "soon", "an effect").retryAfterMs).toBeUndefined();
  });

  it("is ambiguous if the connection ends before, during or without an answer", async () => {
    expect(await asking(({ response }) => response.destroy())).toBe("ambiguous connection-lost");
    const cut = async ({ response, sign }: ImpostorRequest) => {
      response.write((await sign(done)).slice(0, 40), () => response.destroy());
    };
    expect(await asking(cut)).toBe("ambiguous connection-lost");
    expect(await asking(({ response }) => response.end("\n\n"))).toBe("ambiguous answer-missing");
  });

  it("is not-performed for a preview", async () => {
    expect(await asking(({ response }) => response.destroy(), "preview")).toBe(
      "not-performed connection-lost",
    );
    expect(await asking(status(502), "preview")).toBe("not-performed http-502");
  });

  it("is permanent for a service without TLS, and Paraph does not fall back to plain HTTP", async () => {
    await using service = await startImpostor([], () => {});
    const { open } = await openRemote({ url: service.url.replace("http:", "https:") });
    await expect(open.capabilities()).rejects.toMatchObject({
      kind: "permanent",
      code: "certificate-refused",
    });
    expect(service.operations).toEqual([]);
    await open.close?.();
  });

  it("[TRUST 17] is permanent for a 307 redirect, and Paraph sends nothing to its target", async () => {
    await using elsewhere = await startImpostor([], () => {});
    const location = `${elsewhere.url}/paraph/v1/apply`;
    expect(await asking(status(307, { location }))).toBe("permanent redirected");
    expect(elsewhere.operations).toEqual([]);
  });
});

describe("[TRUST 24] a service that tries to exhaust resources", () => {
  it("Paraph stops reading an endless answer before 32 MiB", async () => {
    let sent = 0;
    const chunk = Buffer.alloc(256 * 1024, "x");
    const endless = ({ response }: ImpostorRequest) => {
      const more = () => {
        sent += chunk.length;
        response.write(chunk, (error) => error ?? setImmediate(more));
      };
      more();
    };
    expect(await asking(endless)).toBe("ambiguous answer-too-large");
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  it("[P15] Paraph aborts a slow answer when the attempt ends", async () => {
    const deadline = new AbortController();
    const drip = ({ response }: ImpostorRequest) => {
      response.write("{", () => deadline.abort());
    };
    const asked = asking(drip, "apply", createTestContext({ signal: deadline.signal }));
    await expect(asked).rejects.toThrow("aborted");
  });

  it("Paraph stops reading endless progress messages", async () => {
    const chatty = async ({ response, sign }: ImpostorRequest) => {
      const output = "x".repeat(500_000);
      const line = await sign({ kind: "progress", number: 1, said: { output } });
      const more = () => response.write(line, (error) => error ?? setImmediate(more));
      more();
    };
    expect(await asking(chatty)).toBe("ambiguous answer-too-large");
  });
});

describe("claims of a service", () => {
  it("an output that violates the contract is invalid, and an undo through another adapter is not offered", async () => {
    const claim = (effect: Json) => async (request: ImpostorRequest) =>
      request.response.end(await request.sign({ kind: "applied", effect }));
    const wrong = await asking(claim({ output: { order: 5 } }));
    if (typeof wrong === "string") throw new Error(wrong);
    expect(wrong.capability.parseOutput(wrong.output)).toMatchObject({ kind: "invalid" });
    const undo = { capability: "files.delete", input: { path: "everything" } };
    const own = { capability: "shop.cancel", input: { order: "o" } };
    const fair = await asking(claim({ output: "text", undo: own }));
    if (typeof fair === "string") throw new Error(fair);
    expect(fair.capability.undo?.({ what: "tea" }, "text")).toEqual(own);
    const sly = await asking(claim({ output: { order: "o" }, undo, spent: 3 }));
    if (typeof sly === "string") throw new Error(sly);
    const parsed = sly.capability.parseOutput(sly.output);
    if (parsed.kind === "invalid") throw new Error(parsed.faults.join());
    expect(sly.capability.undo?.({ what: "tea" }, parsed.value)).toBeUndefined();
    expect(sly.capability.spent?.({ what: "tea" }, parsed.value)).toBe(3);
  });

  const offering = (over: object, declared: Partial<ServedContract> = {}) => [
    { contract: { ...contract, ...over }, ...declared } as ServedContract,
  ];
  it.each<[string, readonly ServedContract[], string]>([
    [
      "a name of another adapter",
      offering({ name: "files.write" }),
      "does not begin with the name of the adapter, `shop`",
    ],
    ["one name twice", [{ contract }, { contract }], "two capabilities with the same name"],
    ["a schema that reaches out", offering({ input: { $ref: "http://127.0.0.1/schema" } }), "cannot be used"],
    ["no risk there is", offering({ risk: "none" }), "does not understand"],
    ["a read that is not natural", offering({ effect: "read" }), "does not understand"],
    ["an attempt for ever", offering({ timeoutMs: 1e9 }), "does not understand"],
    ["locks that are no templates", offering({}, { locks: ["{"] }), "does not understand"],
    ["more than anybody offers", Array.from({ length: 501 }, () => ({ contract })), "does not understand"],
  ])("rejects contracts with %s", async (_, contracts, message) => {
    await using service = await startImpostor(contracts, () => {});
    const { open } = await openRemote({ url: service.url });
    await expect(open.capabilities()).rejects.toThrow(message);
    await open.close?.();
  });

  it("a schema with 2^40 paths does not block Paraph", async () => {
    // Each level refers to the one below twice, which gives 2 to the power of 40 paths.
    const levels = Array.from({ length: 40 }, (_, n) => [
      `l${n + 1}`,
      { allOf: [{ $ref: `#/$defs/l${n}` }, { $ref: `#/$defs/l${n}` }] },
    ]);
    const input = { $defs: { l0: { type: "string" }, ...Object.fromEntries(levels) }, $ref: "#/$defs/l40" };
    await using service = await startImpostor(offering({ input }), () => {});
    const { open } = await openRemote({ url: service.url });
    const parsed = await open.capabilities().then(
      ([capability]) => capability?.parseInput("x").kind,
      () => "refused",
    );
    expect(["refused", "invalid"]).toContain(parsed);
    await open.close?.();
  });
});
