import { createHash } from "node:crypto";
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** One request for an effect, as the oracle received it. */
export interface OracleRecord {
  readonly at: number;
  readonly kind: "natural" | "keyed" | "probe" | "none";
  readonly call: string;
  readonly key: string;
  readonly digest: string;
  /**
   * The result of the request. The oracle deduplicates a request by its key, and refuses a request if the basis has
   * changed. In both cases nothing changes.
   */
  readonly verdict: "performed" | "deduplicated" | "refused";
  /** The time of the request, if the effect took a while. */
  readonly began?: number;
  /** The amount that the oracle charged, if the effect costs something. */
  readonly spent?: number;
}

/** One webhook, as its receiver saw it. */
export interface WebhookRecord {
  readonly at: number;
  readonly id: string;
  readonly type: string;
  readonly digest: string;
  /**
   * Whether the receiver accepted the webhook. `refused` means that it responded with 503, so the sender must repeat
   * the webhook.
   */
  readonly verdict: "taken" | "refused";
}

/**
 * Starts the oracle, which plays the external system and knows nothing of the ledger. It writes every requested effect
 * to disk before it responds. Only the keyed endpoint deduplicates, and only the probe endpoint is conditional. The
 * prefix of a name requests a fault:
 * - `flaky-…` is rejected with 429 once.
 * - `reset-…` loses its response once after the effect.
 * - `cut-…` loses the request once before the effect.
 * - `foggy-…` loses its response and cannot be probed until it is cleared.
 * - `slow-…` takes a while.
 * - `cheap-…` costs half of the reserved amount.
 * The oracle also receives webhooks, and refuses each webhook about a withdrawal once.
 */
export async function startOracle(
  file: string,
  port = 0,
  host = "127.0.0.1",
): Promise<{ url: string; stop(): Promise<void> }> {
  const journal = openSync(file, "a");
  const hooks = openSync(toWebhookFile(file), "a");
  const keys = new Set<string>();
  const performed = new Map<string, number | undefined>();
  const versions = new Map<string, number>();
  const troubled = new Set<string>();
  const cleared = new Set<string>();
  /** The performed effects in the order in which they were written, for the adapter that polls. */
  const heard: { readonly call: string; readonly digest: string }[] = [];

  const writeTo = (descriptor: number, record: object) => {
    writeSync(descriptor, `${JSON.stringify(record)}\n`);
    fdatasyncSync(descriptor);
  };
  const write = (record: OracleRecord) => writeTo(journal, record);
  const once = (name: string) => !troubled.has(name) && Boolean(troubled.add(name));

  const applied = async (
    kind: OracleRecord["kind"],
    body: EffectRequest,
  ): Promise<"done" | "lost" | 412 | 429> => {
    const { call = "", key = "", name = "", digest = "" } = body;
    if (name.startsWith("flaky-") && once(name)) return 429;
    if (name.startsWith("cut-") && once(name)) return "lost";
    const began = Date.now();
    const isSlow = name.startsWith("slow-");
    if (isSlow) await sleep(150);
    const spent = computePrice(body);
    const said = {
      at: Date.now(),
      kind,
      call,
      key,
      digest,
      ...(isSlow && { began }),
      ...(spent !== undefined && { spent }),
    };
    if (kind === "keyed" && keys.has(key)) {
      write({ ...said, verdict: "deduplicated" });
      return "done";
    }
    if (kind === "probe" && JSON.stringify(body.basis) !== JSON.stringify(basisOf(name))) {
      write({ ...said, verdict: "refused" });
      return 412;
    }
    write({ ...said, verdict: "performed" });
    heard.push({ call, digest });
    keys.add(key);
    performed.set(call, spent);
    versions.set(name, (versions.get(name) ?? 0) + 1);
    return /^(reset|foggy)-/.test(name) && once(name) ? "lost" : "done";
  };
  const received = (id: string, body: string): 200 | 503 => {
    const { type } = JSON.parse(body) as { type: string };
    const refused = type === "dev.paraph.call.withdrawn.v1" && once(id);
    const digest = createHash("sha256").update(body).digest("hex");
    const verdict = refused ? "refused" : "taken";
    writeTo(hooks, { at: Date.now(), id, type, digest, verdict } satisfies WebhookRecord);
    return refused ? 503 : 200;
  };
  const basisOf = (name: string) => ({ version: versions.get(name) ?? 0 });

  const server = createServer(async (request, response) => {
    const whole = await readBody(request);
    const body = JSON.parse(whole);
    const [, verb, kind] = (request.url ?? "").split("/");
    const answer = (status: number, value: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (verb === "hook") return answer(received(String(request.headers["webhook-id"]), whole), {});
    if (verb === "preview") return answer(200, { basis: basisOf(body.name) });
    if (verb === "probe") {
      const unsure = String(body.name).startsWith("foggy-") && !cleared.has(body.name);
      return answer(200, { unsure, present: performed.has(body.call), spent: performed.get(body.call) });
    }
    if (verb === "heard")
      return answer(200, { heard: heard.slice(body.after, body.after + 3), last: heard.length });
    if (verb === "clear") {
      cleared.add(body.name);
      return answer(200, {});
    }
    if (verb === "touch") {
      versions.set(body.name, (versions.get(body.name) ?? 0) + 1);
      return answer(200, {});
    }
    const result = await applied(kind as OracleRecord["kind"], body);
    if (result === "lost") return response.destroy();
    return answer(result === "done" ? 200 : result, { spent: computePrice(body) });
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      closeSync(journal);
      closeSync(hooks);
    },
  };
}

/** Returns the file for received webhooks. */
export const toWebhookFile = (file: string) => `${file}.hooks`;

type EffectRequest = Readonly<Partial<Record<"call" | "key" | "name" | "digest", string>>> & {
  readonly basis: unknown;
  readonly cents?: number;
};

/** Returns the same price for every repetition of a request. */
function computePrice({ name = "", cents }: EffectRequest): number | undefined {
  return cents !== undefined && name.startsWith("cheap-") ? Math.floor(cents / 2) : cents;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
