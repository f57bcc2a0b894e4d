// Tests calls on the command line, against a complete Paraph.
import { defineCapability } from "@paraph/core";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { TestParaph } from "../../../../../test/support/servers/test-paraph.ts";
import { provision } from "../../../../server/src/postgres/index.ts";
import { runCli } from "../../testing/run-cli.ts";

const limits: number[] = [];
const setLimit = defineCapability({
  name: "ops.set_limit",
  version: 1,
  summary: "Set the limit",
  effect: "write",
  idempotency: "natural",
  input: z.object({ limit: z.number() }),
  output: z.object({}),
  apply: async ({ limit }) => {
    limits.push(limit);
    return {};
  },
});

const paraph = await TestParaph.start({ capabilities: [setLimit], unattended: ["ops.set_limit"] }, [
  { tenant: "acme", id: "owner", kind: "person" },
  { tenant: "acme", id: "bot", kind: "agent", owner: "owner" },
]);
afterAll(() => paraph.stop());
const run = (...args: string[]) => paraph.cli({ person: "owner", agent: "bot" }, ...args);

it("`calls` without a result says whether there are no calls or none that matches", async () => {
  const list = async (...filter: string[]) => (await run("calls", ...filter)).stderr;
  expect(await list()).toBe("There are no calls yet. Run `paraph call CAPABILITY` to make one.\n");
  expect(await list("--open")).toBe("No call is open.\n");
  expect(await list("--stuck")).toBe("No call is stuck.\n");
  expect(await list("--unknown")).toBe("No call has an unknown outcome.\n");
  expect(await list("--capability", "ops.set_limit")).toBe("No call matches.\n");
  expect(await list("--open", "--capability", "ops.set_limit")).toBe("No call matches.\n");
});

it("`session` shows the state of a session, and `calls` finds its calls by session and thread", async () => {
  const call = ["call", "ops.set_limit", "limit:=3", "--session", "night", "--thread", "t1"];
  expect(await run(...call, "--state", "one of two done")).toMatchObject({ code: 0 });
  limits.splice(0);
  const shown = await run("session", "night", "--tokens", "900");
  expect(shown.stdout).toMatch(
    /^Session "night", version [0-9a-f]{16}\nState in the agent's own words, not verified \(call_\w+\):\n> one of two done\nCalls, newest first:\n- call_\w+ \S+ ops\.set_limit "Set the limit .*": succeeded \(done\)\n$/,
  );
  const listed = JSON.parse((await run("calls", "--session", "night", "--thread", "t1", "--json")).stdout);
  expect(listed.calls).toHaveLength(1);
  expect((await run("calls", "--thread", "t2")).stderr).toBe("No call matches.\n");
  expect((await run("show", listed.calls[0].call)).stdout).toContain("state (unchecked)");
});

it("[P1] a repeated `call --key` says that it is the same call as before and is not performed again", async () => {
  const call = ["call", "ops.set_limit", "limit:=7", "--key", "one"];
  const first = await run(...call);
  expect(first).toMatchObject({ code: 0, stderr: expect.stringMatching(/^✔ succeeded/) });
  const again = await run(...call);
  expect(again).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /^An earlier request used the same idempotency key\. This is the same call as before, and Paraph does not perform it again\.\n✔ succeeded/,
    ),
  });
  const readId = ({ stderr }: typeof first) => /call_\w+/.exec(stderr)?.[0];
  expect(readId(again)).toBe(readId(first));
  expect(limits.splice(0)).toEqual([7]);
});

it("a text for a number field is rejected with the advice to write `limit:=7`", async () => {
  const { code, stderr } = await run("call", "ops.set_limit", "limit=7");
  expect(code).toBe(1);
  expect(stderr).toMatch(/expected number, received string/);
  expect(stderr).toContain("To pass a JSON value, write `limit:=7`.");
  expect(limits).toEqual([]);
});

it("`calls` and `call` show the same duration of a call", async () => {
  const { stdout } = await run("call", "ops.set_limit", "limit:=9", "--json");
  const { call } = JSON.parse(stdout);
  // Moves the time at which PostgreSQL stored the end of the call away from the time of the event.
  await paraph.database.query(
    `update paraph.call set closed_at = closed_at + interval '1 hour' where id = '${call}'`,
  );
  const { calls } = JSON.parse((await run("calls", "--json")).stdout);
  const listed = calls.find((each: { call: string }) => each.call === call);
  expect(listed.closedAt).toBe(JSON.parse(stdout).closedAt);
});

it("with a key that cannot list calls, `receipt last` asks for the id of the call, and the id works", async () => {
  const key = await provision(paraph.database.ownerUrl, (p) =>
    p.createKey("acme", "bot", { scopes: ["calls"] }),
  );
  const runNarrow = (...args: string[]) =>
    runCli(args, {
      folder: paraph.folder,
      environment: { PARAPH_URL: paraph.url, PARAPH_KEY: key },
    });
  const { call } = JSON.parse((await runNarrow("call", "ops.set_limit", "limit:=3", "--json")).stdout);
  const { code, stderr } = await runNarrow("receipt", "last");
  expect(stderr).toContain("`last` lists calls, and the API key lacks the scope `read` for that.");
  expect(code).not.toBe(0);
  expect(await runNarrow("receipt", call)).toMatchObject({ code: 0 });
});
