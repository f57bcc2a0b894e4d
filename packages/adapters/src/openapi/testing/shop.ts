import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { JsonObject } from "@paraph/core";
import { z } from "zod";
import { type ReceivedRequest, respondJson, TestHttpServer } from "../../egress/testing/http-server.ts";
import { mergePatch } from "../changes.ts";

/** A host that implements the generated document exactly, and fails as configured. */
export class TestShop extends TestHttpServer {
  readonly things = new Map<string, JsonObject>();
  readonly keys = new Map<string, { status: number; body: unknown; headers: object }>();
  effects = 0;
  etags = true;
  /** The fault of the next request: a status, no response, or a connection closed before or after the effect. */
  fault: { status: number; headers?: object } | "cut-before" | "cut-after" | "silence" | undefined;
  #next = 1;

  readonly token = "shop-token";

  constructor() {
    super();
    this.respond = (request, response) => this.#serve(request, response);
  }

  #serve(request: ReceivedRequest, response: ServerResponse): void {
    const { fault } = this;
    if (request.method !== "HEAD") this.fault = undefined;
    if (typeof fault === "object") respondJson(response, fault.status, { error: "as told" }, fault.headers);
    else if (fault === "silence") return;
    else if (fault === "cut-before") response.socket?.destroy();
    else {
      const { status, body, headers } = this.#once(request);
      if (fault === "cut-after") response.socket?.destroy();
      else if (status === 204) response.writeHead(204).end();
      else respondJson(response, status, body, headers);
    }
  }

  /** Answers a request. For a known idempotency key, it returns the first answer again. */
  #once(request: ReceivedRequest): ShopAnswer {
    const key = request.headers["idempotency-key"];
    if (typeof key !== "string") return this.#handle(request);
    const known = this.keys.get(key);
    if (known) return known;
    const answer = this.#handle(request);
    this.keys.set(key, answer);
    return answer;
  }

  #handle(request: ReceivedRequest): ShopAnswer {
    if (request.headers.authorization !== `Bearer ${this.token}`) return toErrorAnswer(401, "who are you?");
    const url = new URL(request.path, this.origin);
    const [, kind, id, ...rest] = url.pathname.split("/");
    if (!/^thing\d+$/.test(kind ?? "") || rest.length > 0) return toErrorAnswer(404, "no such path");
    return id === undefined
      ? this.#collection(request, kind!, url)
      : this.#single(request, `${kind}/${decodeURIComponent(id)}`);
  }

  #collection({ method, body }: ReceivedRequest, kind: string, url: URL): ShopAnswer {
    if (method === "GET") {
      const limit = z.coerce
        .number()
        .int()
        .min(1)
        .max(100)
        .safeParse(url.searchParams.get("limit") ?? 100);
      if (!limit.success) return toErrorAnswer(400, "limit");
      const all = [...this.things].filter(([name]) => name.startsWith(`${kind}/`));
      return { status: 200, body: all.slice(0, limit.data).map(([, thing]) => thing), headers: {} };
    }
    if (method !== "POST") return toErrorAnswer(405, "no such method");
    const read = parseThing(body);
    if (!read) return toErrorAnswer(422, "not a thing");
    return this.#keep(`${kind}/${this.#next++}`, read, 201);
  }

  #single({ method, body, headers }: ReceivedRequest, name: string): ShopAnswer {
    const current = this.things.get(name);
    if (method === "GET") return current ? this.#shown(current, 200) : toErrorAnswer(404, "no such thing");
    const wanted = headers["if-match"];
    if (wanted !== undefined && (!current || wanted !== toEtag(current))) return toErrorAnswer(412, "moved");
    if (headers["if-none-match"] === "*" && current) return toErrorAnswer(412, "there already");
    if (method === "PUT") {
      const read = parseThing(body);
      return read ? this.#keep(name, read, current ? 200 : 201) : toErrorAnswer(422, "not a thing");
    }
    if (!current) return toErrorAnswer(404, "no such thing");
    if (method === "PATCH") return this.#keep(name, mergePatch(current, JSON.parse(body)) as JsonObject, 200);
    if (method !== "DELETE") return toErrorAnswer(405, "no such method");
    this.effects++;
    this.things.delete(name);
    return { status: 204, body: null, headers: {} };
  }

  #keep(name: string, thing: JsonObject, status: number): ShopAnswer {
    this.effects++;
    const kept = { ...thing, id: name.split("/")[1]! };
    this.things.set(name, kept);
    return this.#shown(kept, status);
  }

  #shown(thing: JsonObject, status: number): ShopAnswer {
    return { status, body: thing, headers: this.etags ? { etag: toEtag(thing) } : {} };
  }
}

interface ShopAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: object;
}

/** The shape of a thing. It is deliberately written differently from the adapter's own schema. */
const thingShape = z.strictObject({
  id: z.string().optional(),
  name: z.string().min(1).max(50),
  cents: z.int().min(0).optional(),
  tags: z.array(z.string().regex(/^[a-z]+$/)).optional(),
  pin: z.string().optional(),
  label: z.looseObject({ text: z.string().optional() }).optional(),
});

function parseThing(body: string): JsonObject | undefined {
  const read = thingShape.safeParse(JSON.parse(body));
  return read.success ? (JSON.parse(body) as JsonObject) : undefined;
}

function toErrorAnswer(status: number, error: string): ShopAnswer {
  return { status, body: { error }, headers: {} };
}

function toEtag(thing: JsonObject): string {
  return `"${createHash("sha256").update(JSON.stringify(thing)).digest("hex").slice(0, 16)}"`;
}
