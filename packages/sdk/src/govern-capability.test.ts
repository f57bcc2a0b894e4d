import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestServer } from "../../server/src/http/testing/server.ts";
import { createClient, type Execution, governCapability, NotPerformed, verify } from "./index.ts";

const server = new TestServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

const client = (given: { fetch?: typeof fetch } = {}) =>
  createClient({ url: server.http.url, key: "key-bot", ...given });

/** Creates a tool of the agent's own process, and records its effects. */
function poster(
  capability: "own.post" | "own.publish",
  execute: (text: string, execution: Execution) => unknown = (text) => ({ posted: text }),
  by = client(),
) {
  const done: string[] = [];
  const tool = governCapability<{ text: string }, { posted: string }>(by, {
    capability,
    async execute({ text }, execution) {
      done.push(text);
      return (await execute(text, execution)) as { posted: string };
    },
  });
  return { ...tool, done };
}

async function decide(call: string, decision: string, more: object = {}): Promise<void> {
  const { body } = await server.get(`/v1/calls/${call}`, "bo");
  const { id, digest } = body.waiting.approval;
  const path = decision === "edit" ? "edit" : "decision";
  const said = decision === "edit" ? more : { decision, ...more };
  // An editor's vote does not count for their own edit.
  const by = decision === "edit" ? "ana" : "bo";
  const answer = await server.post(`/v1/approvals/${id}/${path}`, by, { digest, ...said });
  expect(answer.status).toBe(200);
}

/** Requests a call that needs an approval, and returns its id. */
async function asked(of: { readonly key: string }): Promise<string> {
  const { call } = await client().call("own.publish", { text: of.key }, { key: of.key });
  return call;
}

describe("a governed capability", () => {
  it("performs an allowed call once in this process, and the receipt names the agent as performer", async () => {
    const post = poster("own.post");
    const result = await post.call({ text: "hello" }, { key: "post-1" });
    expect(result).toMatchObject({ kind: "succeeded", output: { posted: "hello" }, performer: "agent" });
    expect(await post.call({ text: "hello" }, { key: "post-1" })).toEqual(result);
    expect(post.done).toEqual(["hello"]);
    const { story } = await verify(await client().receipt(result.call), await client().keys());
    expect(story.performer).toBe("agent");
  });

  it("[P4] waits for approvers, performs an approved call, and does not perform a denied call", async () => {
    const publish = poster("own.publish");
    const yes = publish.call({ text: "yes" }, { key: "yes" });
    await decide(await asked({ key: "yes" }), "approve");
    expect(await yes).toMatchObject({ kind: "succeeded" });
    const no = publish.call({ text: "no" }, { key: "no" });
    await decide(await asked({ key: "no" }), "deny", { reason: "Not that." });
    expect(await no).toMatchObject({ kind: "denied", reason: "Not that." });
    expect(publish.done).toEqual(["yes"]);
  });

  it("[P6] performs the edited input, and reports the original call, the editor and the reason", async () => {
    const publish = poster("own.publish");
    const running = publish.call({ text: "first" }, { key: "first" });
    const first = await asked({ key: "first" });
    await decide(first, "edit", { input: { text: "better" }, reason: "Nicer." });
    const { body } = await server.get(`/v1/calls/${first}`, "bo");
    await decide(body.successor, "approve");
    const result = await running;
    expect(result).toMatchObject({
      kind: "succeeded",
      input: { text: "better" },
      instead: { of: first, editedBy: "ana", reason: "Nicer." },
    });
    expect(publish.done).toEqual(["better"]);
  });

  it("returns pending after the wait time, and any process with the code can resume the call by its id", async () => {
    const pending = await poster("own.publish").call({ text: "later" }, { waitMs: 0 });
    expect(pending).toMatchObject({ kind: "pending", performer: "agent", awaiting: { what: "approval" } });
    const other = poster("own.publish");
    expect(await other.resume(pending.call, { timeoutMs: 0 })).toMatchObject({ kind: "pending" });
    await decide(pending.call, "approve");
    expect(await other.resume(pending.call)).toMatchObject({ kind: "succeeded" });
    expect(other.done).toEqual(["later"]);
  });

  it("two processes that resume one call perform it once, and both get its result", async () => {
    const pending = await poster("own.publish").call({ text: "both" }, { waitMs: 0 });
    await decide(pending.call, "approve");
    const both = [poster("own.publish"), poster("own.publish")];
    const results = await Promise.all(both.map((one) => one.resume(pending.call)));
    expect(results.map(({ kind }) => kind)).toEqual(["succeeded", "succeeded"]);
    expect(both.flatMap(({ done }) => done)).toEqual(["both"]);
  });
});

describe("an error in the tool", () => {
  it("leads to an unknown outcome, unless the tool throws `NotPerformed` or the connection was refused", async () => {
    const throwing = (error: unknown) =>
      poster("own.post", () => {
        throw error;
      }).call({ text: "x" });
    expect(await throwing(new Error("half way"))).toMatchObject({ kind: "unknown", code: "error" });
    expect(await throwing(new NotPerformed("no paper", "no-paper"))).toMatchObject({
      kind: "failed",
      code: "no-paper",
      error: "no paper",
    });
    const unreached = Object.assign(new Error("nobody there"), { code: "ECONNREFUSED" });
    expect(await throwing(unreached)).toMatchObject({ kind: "failed", code: "econnrefused" });
  });

  it("[P9] an output that breaks the schema or cannot be serialized is withheld, and the call succeeds", async () => {
    for (const output of [{ other: 1 }, 1n, undefined])
      expect(await poster("own.post", () => output).call({ text: "x" })).toMatchObject({
        kind: "succeeded",
        code: "output-invalid",
      });
  });

  it("an abort before the tool starts rejects the call, and a later abort leaves an unknown outcome", async () => {
    const before = AbortSignal.abort(new Error("gone"));
    await expect(poster("own.post").call({ text: "x" }, { signal: before })).rejects.toThrow("gone");
    const stop = new AbortController();
    const post = poster("own.post", (_, { signal }) => {
      stop.abort(new Error("gone"));
      signal.throwIfAborted();
    });
    expect(await post.call({ text: "x" }, { signal: stop.signal })).toMatchObject({ kind: "unknown" });
  });
});

describe("a lost response", () => {
  /** Drops the first response to requests to this path, after the server has acted on the request. */
  const losing = (path: string) => {
    let lost = 0;
    const given: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (!String(url).endsWith(path) || lost++ > 0) return response;
      await response.arrayBuffer();
      throw new TypeError("socket hang up");
    };
    return { by: client({ fetch: given }), times: () => lost };
  };

  it.each(["claim", "report"])(
    "the client repeats a %s request whose response was lost, and the tool runs once",
    async (path) => {
      const { by, times } = losing(path);
      const post = poster("own.post", undefined, by);
      expect(await post.call({ text: path })).toMatchObject({ kind: "succeeded" });
      expect([post.done, times()]).toEqual([[path], 2]);
    },
  );
});
