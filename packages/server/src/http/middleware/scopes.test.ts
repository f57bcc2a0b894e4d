import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOperations } from "../api-operations.ts";
import { TestServer } from "../testing/server.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

/** Runs the body while the key of `as` has only these scopes. */
async function withScopes<T>(as: string, scopes: readonly string[], body: () => Promise<T>): Promise<T> {
  server.service.narrow(`key-${as}`, scopes);
  try {
    return await body();
  } finally {
    server.service.narrow(`key-${as}`, undefined);
  }
}

const secured = apiOperations.filter((operation) => "security" in operation);

describe("[TRUST 21] a narrowed key does what its scopes name", () => {
  it.each(secured.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    "%s is refused to a key without its scopes, and the error names them",
    async (_, operation) => {
      const taken = "security" in operation ? operation.security.flatMap(({ key }) => key) : [];
      const answer = await withScopes("bo", ["nothing"], async () => {
        const response = await server.fetch(operation.path.replaceAll(/[{}]/g, ""), {
          as: "bo",
          method: operation.method,
          ...(operation.method === "post" && { headers: { "content-type": "application/json" }, body: "{}" }),
        });
        return { status: response.status, body: (await response.json()) as { detail: string } };
      });
      expect(answer).toMatchObject({ status: 403, body: { code: "scope-missing", scopes: taken } });
      for (const scope of taken) expect(answer.body.detail).toContain(`\`${scope}\``);
    },
  );

  it("calls only capabilities that match its scopes, and administration only with the scope `admin`", async () => {
    const call = (scopes: string[], capability: string) =>
      withScopes("bot", scopes, async () => {
        const { status, body } = await server.call(capability, {});
        return body.code === "scope-missing" ? body.scopes : status;
      });
    expect(await call(["calls:notes.*"], "notes.list")).toBe(200);
    expect(await call(["calls"], "notes.list")).toBe(200);
    expect(await call(["calls:notes.*"], "billing.refund")).toEqual(["calls:billing.refund"]);
    expect(await call(["calls"], "admin.freeze")).toEqual(["admin"]);
    expect(await call(["admin"], "notes.list")).toEqual(["calls:notes.list"]);
    expect(await call(["read"], "notes.list")).toEqual(["calls", "admin"]);
  });

  it("without `read` shows only the principal's own calls", async () => {
    const { body: others } = await server.call("notes.list", {});
    const { body: response } = await server.call("notes.list", {}, {}, "bo");
    for (const path of ["", "/events", "/receipt"]) {
      const status = async (call: string) => (await server.get(`/v1/calls/${call}${path}`, "bo")).status;
      expect(await withScopes("bo", ["calls"], () => status(response.call))).toBe(200);
      expect(await withScopes("bo", ["calls"], () => status(others.call))).toBe(404);
      expect(await withScopes("bo", ["read"], () => status(others.call))).toBe(200);
    }
    expect(await withScopes("bo", ["calls"], async () => (await server.get("/v1/calls", "bo")).status)).toBe(
      403,
    );
  });

  it("can read its scopes at `/v1/me`, whatever they are", async () => {
    const { body } = await withScopes("bot", ["calls:notes.*"], () => server.get("/v1/me", "bot"));
    expect(body).toMatchObject({ id: "bot", scopes: ["calls:notes.*"] });
  });
});

it("only administrators and auditors can list the principals, groups and API keys of their tenant", async () => {
  for (const path of ["/v1/principals", "/v1/groups", "/v1/api-keys"]) {
    for (const as of ["bot", "ana"]) {
      expect((await server.get(path, as)).body).toMatchObject({ status: 403, code: "role-missing" });
    }
    expect((await server.get(path, "audit")).status).toBe(200);
  }
  expect((await server.get("/v1/principals/bot", "ana")).body).toMatchObject({ code: "role-missing" });
  expect((await server.get("/v1/principals/ghost", "audit")).body).toMatchObject({ code: "not-found" });
  const { body } = await server.get("/v1/principals", "audit");
  expect(body.principals.map(({ id }: { id: string }) => id)).not.toContain("eve");
});

it("people can list freezes, which explain why calls wait, and agents cannot", async () => {
  expect((await server.get("/v1/freezes", "ana")).body).toEqual({ freezes: [] });
  expect((await server.get("/v1/freezes", "bot")).body).toMatchObject({ status: 403, code: "role-missing" });
});
