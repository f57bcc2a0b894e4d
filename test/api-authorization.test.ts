// [TRUST 9] [TRUST 10] Sends the handles of other principals to every operation of the OpenAPI document. The list of
// operations comes from the document, so the test includes new operations automatically.
import { generateKeyPairSync, sign } from "node:crypto";
import { tmpdir } from "node:os";
import { defineCapability, roles, toPublicKey } from "@paraph/core";
import { defineConfig, startParaph } from "@paraph/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createOpenApiDocument } from "../packages/server/src/http/index.ts";
import { provision } from "../packages/server/src/postgres/index.ts";
import { createSealer, deriveSealSecret } from "../packages/server/src/system/sealer.ts";
import { createTestDatabase } from "./support/servers/database.ts";
import { readBody } from "./support/web/read-body.ts";

const secret = "canary-7f3a";
const vault = {
  version: 1,
  idempotency: "natural",
  input: z.object({ drawer: z.string() }),
  output: z.object({ content: z.string() }),
  apply: async () => ({ content: `${secret}-output` }),
} as const;
const config = defineConfig({
  capabilities: [
    defineCapability({ ...vault, name: "vault.read", summary: "Look into a drawer", effect: "read" }),
    defineCapability({
      ...vault,
      name: "vault.burn",
      summary: "Burn a drawer",
      effect: "destroy",
      risk: "high",
    }),
  ],
});

const database = await createTestDatabase();
const keys = await provision(database.ownerUrl, async (p) => {
  for (const tenant of ["acme", "evil"]) {
    await p.addTenant(tenant);
    await p.addPrincipal({
      tenant,
      id: `${tenant}-ana`,
      kind: "person",
      groups: [roles.admins, `${tenant}-guild`],
    });
    await p.addPrincipal({ tenant, id: `${tenant}-bot`, kind: "agent", owner: `${tenant}-ana` });
  }
  await p.addPrincipal({ tenant: "acme", id: "acme-spy", kind: "agent", owner: "acme-ana" });
  return {
    owner: await p.createKey("acme", "acme-bot", { label: `${secret}-label` }),
    admin: await p.createKey("acme", "acme-ana"),
    "another agent of the tenant": await p.createKey("acme", "acme-spy"),
    "another tenant's administrator": await p.createKey("evil", "evil-ana"),
    "another tenant's agent": await p.createKey("evil", "evil-bot"),
  };
});
type Who = keyof typeof keys;

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const verifying = toPublicKey(Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url"));
/**
 * This Paraph has no worker. Calls that need an approval wait, and the API process performs reads itself.
 */
const paraph = await startParaph({
  config,
  folder: tmpdir(),
  databaseUrl: database.url,
  signer: {
    ...createSealer([deriveSealSecret(privateKey)]),
    keyId: verifying.kid,
    sign: async (bytes) => new Uint8Array(sign(null, bytes, privateKey)),
  },
  publicKeys: [verifying],
  roles: ["api"],
  log: () => {},
  version: "0.0.0",
  // The test expects the approval in the response to a new call, even if the machine delays a preview for seconds.
  wrapPorts: (parts) => {
    const settings = { ...parts.ports.settings, previewPatienceMs: 60_000 };
    return { ...parts, ports: { ...parts.ports, settings } };
  },
});
afterAll(() => paraph.stop());

async function ask(who: Who | undefined, method: string, path: string, body?: unknown) {
  const response = await fetch(paraph.url + path, {
    method,
    headers: {
      ...(who && { authorization: `Bearer ${keys[who]}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await readBody(response) };
}

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly open: boolean;
  readonly query: readonly string[];
  readonly body: Schema | undefined;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

const document = JSON.parse(JSON.stringify(createOpenApiDocument()));
const operations: Operation[] = Object.entries<Record<string, Record<string, never>>>(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries<Record<string, never>>(methods).map(([method, described]) => {
      const {
        operationId,
        security,
        parameters = [],
        requestBody,
      } = described as never as {
        operationId: string;
        security?: unknown[];
        parameters?: { in: string; name: string }[];
        requestBody?: { content: Record<string, { schema: Schema }> };
      };
      return {
        id: operationId,
        method: method.toUpperCase(),
        path,
        open: security === undefined,
        query: parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name),
        body: requestBody?.content["application/json"]?.schema,
      };
    }),
);

const foreign = { calls: [] as string[], approval: "", digest: "" };
const handles = () => [...foreign.calls, foreign.approval];
beforeAll(async () => {
  const input = { drawer: `${secret}-input` };
  const asked = [
    { capability: "vault.read", input },
    {
      capability: "plan.apply",
      input: { version: 1, steps: [{ id: "one", capability: "vault.burn", input }] },
    },
    { capability: "vault.burn", input, purpose: `${secret}-purpose` },
  ];
  for (const request of asked) {
    const { text } = await ask("owner", "POST", "/v1/calls", request);
    const call = JSON.parse(text);
    foreign.calls.push(call.call);
    if (call.waiting)
      Object.assign(foreign, { approval: call.waiting.approval.id, digest: call.waiting.approval.digest });
  }
  expect(handles()).toEqual([
    expect.stringMatching(/^call_/),
    expect.stringMatching(/^call_/),
    expect.stringMatching(/^call_/),
    expect.stringMatching(/^ask_/),
  ]);
});

/** Returns the addresses of the operation, with each handle in its path and in each of its query parameters. */
function addresses({ path, query }: Operation): string[] {
  const paths = path.includes("{") ? handles().map((handle) => path.replaceAll(/\{\w+\}/g, handle)) : [path];
  const queries = query.flatMap((name) => handles().map((handle) => `?${name}=${handle}`));
  return [...paths, ...queries.map((text) => paths[0] + text)];
}

/** Builds a body that matches the schema, with the handles of other principals in every text field. */
function bodyOf(schema: Schema): unknown {
  if (schema.$ref) return bodyOf(document.components.schemas[schema.$ref.split("/").at(-1)!]);
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return bodyOf(choice);
  if (schema.enum) return schema.enum[0];
  if (schema.type === "object") {
    const needed = Object.entries(schema.properties ?? {}).filter(([name]) =>
      schema.required?.includes(name),
    );
    return Object.fromEntries(needed.map(([name, member]) => [name, bodyOf(member)]));
  }
  if (schema.type === "array") return schema.items ? [bodyOf(schema.items)] : [];
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 1;
  if (schema.type === "boolean") return true;
  // This pattern belongs to the requester's own name for a step, which error messages repeat.
  if (schema.pattern?.includes("{0,63}")) return "one";
  return schema.pattern?.includes("{64}") ? foreign.digest : foreign.approval;
}

const everybodyElse = Object.keys(keys).slice(2) as Who[];
const secured = operations.filter(({ open }) => !open);

describe.each(secured.map((operation) => [operation.id, operation] as const))("%s", (_, operation) => {
  const { method, path, body } = operation;
  const sent = () => (body ? bodyOf(body) : undefined);

  it("rejects a request without a key with 401", async () => {
    for (const address of addresses(operation)) {
      const { status, text } = await ask(undefined, method, address, sent());
      expect([status, text.includes(secret)]).toEqual([401, false]);
    }
  });

  it.each(everybodyElse)("[TRUST 9] [TRUST 10] shows %s no data of other principals", async (who) => {
    for (const address of addresses(operation)) {
      const { status, text } = await ask(who, method, address, sent());
      expect(status, address).toBeLessThan(500);
      // The API treats another principal's handle like one that does not exist.
      if (path.includes("{")) expect([400, 403, 404, 422], address).toContain(status);
      const hidden = [
        secret,
        ...handles(),
        foreign.digest,
        ...(who === "another agent of the tenant" ? ["acme-bot"] : ["acme"]),
      ];
      for (const word of hidden) expect(text, `${who} at ${method} ${address}`).not.toContain(word);
    }
  });
});

it("the requester and an administrator of the tenant can read the data that others cannot", async () => {
  const [read, plan, burn] = foreign.calls;
  for (const path of [
    `/v1/calls/${read}`,
    `/v1/calls/${read}/receipt`,
    `/v1/calls/${burn}/events`,
    `/v1/plans/${plan}`,
    `/v1/plans/${plan}/events`,
    `/v1/approvals/${foreign.approval}`,
    "/v1/calls",
    "/v1/activity",
    "/v1/activity?format=csv",
  ]) {
    const { status, text } = await ask(path === "/v1/calls" ? "admin" : "owner", "GET", path);
    expect([path, status < 300, [secret, read, plan, burn].some((word) => text.includes(word!))]).toEqual([
      path,
      true,
      true,
    ]);
  }
  expect((await ask("admin", "GET", "/v1/api-keys")).text).toContain(`${secret}-label`);
  expect((await ask("admin", "GET", "/v1/groups")).text).toContain("acme-guild");
});

it("[TRUST 21] a person's key without `read` gets no statistics of other principals", async () => {
  const narrow = await provision(database.ownerUrl, (p) =>
    p.createKey("acme", "acme-ana", { scopes: ["calls"] }),
  );
  const statistics = async (key: string, query = "") => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${paraph.url}/v1/statistics?by=both${query}`, { headers });
    return { status: response.status, text: await response.text() };
  };
  expect((await statistics(keys.admin)).text).toContain("acme-bot");
  expect((await statistics(narrow)).text).toContain('"statistics":[]');
  expect((await statistics(narrow, "&principal=acme-ana")).status).toBe(200);
  expect(await statistics(narrow, "&principal=acme-bot")).toMatchObject({ status: 403 });
});

it("[TRUST 9] a decision on another principal's approval gets 404 and records no vote", async () => {
  const decision = { decision: "deny", digest: foreign.digest };
  for (const who of everybodyElse) {
    expect((await ask(who, "POST", `/v1/approvals/${foreign.approval}/decision`, decision)).status).toBe(404);
  }
  expect(JSON.parse((await ask("owner", "GET", `/v1/approvals/${foreign.approval}`)).text)).toMatchObject({
    status: "open",
    votes: [],
  });
  const [{ count } = { count: 0 }] = await database.query(
    "select count(*)::int as count from paraph.call where tenant = 'acme' and principal = 'acme-bot'",
  );
  expect(count).toBe(foreign.calls.length);
});
