import {
  type Adapter,
  adapterInterfaceVersion,
  type Contract,
  createUnavailableCapability,
  defineAdapter,
  defineCapability,
  ParaphError,
} from "@paraph/core";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { eventually } from "../../../../test/support/eventually.ts";
import { openAdapters } from "./open-adapters.ts";

const capability = (name: string, version = 1) =>
  defineCapability({
    name,
    version,
    summary: "Does",
    effect: "write",
    idempotency: "natural",
    input: z.object({}),
    output: z.object({}),
    apply: async () => ({}),
  });

/** Creates an adapter that fails the given number of times, and counts its openings and closings. */
function fickle(failures: number, error: unknown = new ParaphError("adapter-invalid", "The shop is shut.")) {
  const seen = { opened: 0, closed: 0, announceChange: () => {} };
  const adapter = defineAdapter({
    kind: "fickle",
    config: z.strictObject({}),
    open: (_, { name, announceChange }) => {
      seen.opened += 1;
      seen.announceChange = announceChange;
      if (seen.opened <= failures) throw error;
      return {
        capabilities: async () => [capability(`${name}.do`, seen.opened)],
        close: async () => {
          seen.closed += 1;
        },
      };
    },
  })({});
  return { adapter, seen };
}

async function opened(
  adapters: Record<string, Adapter>,
  remembered: Record<string, readonly Contract[]> = {},
  timeouts: { readonly startTimeoutMs?: number; readonly openTimeoutMs?: number } = {},
) {
  const kept = new Map(Object.entries(remembered));
  const [changed, problems]: [string[], string[]] = [[], []];
  const open = await openAdapters({
    adapters,
    folder: "/",
    ...timeouts,
    credential: async () => "secret",
    contractCache: {
      recall: async () => new Map(kept),
      keep: async ({ name, contracts }) => void kept.set(name, contracts),
    },
    onChange: async (name) => void changed.push(name),
    onProblem: (code, name) => void problems.push(`${name}: ${code}`),
  });
  onTestFinished(() => open.close());
  const states = async () =>
    (await open.list(AbortSignal.timeout(60_000))).map(({ name, state, message }) => ({
      name,
      state,
      message,
    }));
  return { open, kept, changed, problems, states };
}

it("a fault at start makes only that adapter unavailable, and its state reports the reason", async () => {
  const { open, states, problems } = await opened({ shut: fickle(9).adapter, well: fickle(0).adapter });
  expect(await states()).toEqual([
    { name: "shut", state: "unavailable", message: "The shop is shut." },
    { name: "well", state: "ready", message: undefined },
  ]);
  expect(open.listCapabilities().get("well")).toHaveLength(1);
  expect(open.listCapabilities().get("shut")).toEqual([]);
  expect(problems).toEqual(["shut: adapter-invalid"]);
});

it("the last known capabilities of an unavailable adapter are listed but cannot be used", async () => {
  const { open } = await opened({ shut: fickle(9).adapter }, { shut: [capability("shut.do").contract] });
  const [known] = open.listCapabilities().get("shut")!;
  expect(known).toMatchObject({
    contract: { name: "shut.do" },
    contractDigest: capability("shut.do").contractDigest,
    unavailable: { message: "The shop is shut." },
  });
  await expect(known!.apply({}, {} as never)).rejects.toMatchObject({ kind: "not-performed" });
});

it("Paraph detects an adapter that recovers, and caches its contracts for the next start", async () => {
  const { adapter } = fickle(1);
  const { open, changed, kept, states } = await opened({ shop: adapter });
  await eventually(() => expect(changed).toEqual(["shop"]));
  expect(await states()).toMatchObject([{ state: "ready" }]);
  expect(open.listCapabilities().get("shop")?.[0]?.unavailable).toBeUndefined();
  expect(kept.get("shop")).toMatchObject([{ name: "shop.do" }]);
});

it("[P10] Paraph reports only the code of a foreign error, not its message", async () => {
  const error = Object.assign(new Error("password=hunter2 at db.internal"), { code: "ECONNREFUSED" });
  const { states } = await opened({ db: fickle(9, error).adapter });
  const [{ message } = { message: "" }] = await states();
  expect(message).toContain("`ECONNREFUSED`");
  expect(message).not.toContain("hunter2");
});

/** Creates an adapter that opens when `open` is called. */
function slow() {
  const opening = Promise.withResolvers<void>();
  const seen = { opened: 0, aborted: false, closed: 0 };
  const adapter = defineAdapter({
    kind: "slow",
    config: z.strictObject({}),
    open: async (_, { name, signal }) => {
      seen.opened++;
      await opening.promise;
      seen.aborted = signal.aborted;
      return {
        capabilities: async () => [capability(`${name}.do`)],
        close: async () => void seen.closed++,
      };
    },
  })({});
  return { adapter, seen, open: opening.resolve };
}

it("the start does not wait for a slow adapter, which goes on opening and is then announced", async () => {
  const { adapter, seen, open } = slow();
  const server = await opened(
    { shop: adapter },
    { shop: [capability("shop.do").contract] },
    { startTimeoutMs: 50 },
  );
  expect(await server.states()).toMatchObject([
    { state: "unavailable", message: expect.stringContaining("still starting") },
  ]);
  expect(server.open.listCapabilities().get("shop")?.[0]?.unavailable?.code).toBe("adapter-starting");
  expect(server.problems).toEqual(["shop: adapter-starting"]);
  open();
  await eventually(() => expect(server.changed).toEqual(["shop"]));
  expect(await server.states()).toMatchObject([{ state: "ready" }]);
  expect(server.open.listCapabilities().get("shop")?.[0]?.unavailable).toBeUndefined();
  expect(seen).toEqual({ opened: 1, aborted: false, closed: 0 });
});

it("an adapter that opens after its attempt timed out is closed", async () => {
  const { adapter, seen, open } = slow();
  const { states, problems } = await opened({ shop: adapter }, {}, { openTimeoutMs: 50 });
  expect(await states()).toMatchObject([
    { state: "unavailable", message: expect.stringContaining("in time") },
  ]);
  expect(problems).toEqual(["shop: adapter-slow"]);
  open();
  // Paraph tries again after a second, so a second attempt may have timed out meanwhile.
  await eventually(() => expect(seen.closed).toBeGreaterThan(0));
});

it("[TRUST 25] an adapter with a capability under another adapter's name or a duplicate name is unavailable", async () => {
  const offering = (...names: string[]) =>
    defineAdapter({
      kind: "sly",
      config: z.strictObject({}),
      open: () => ({ capabilities: async () => names.map((name) => capability(name)) }),
    })({});
  const { states } = await opened({ sly: offering("admin.freeze"), twin: offering("twin.do", "twin.do") });
  expect(await states()).toMatchObject([
    { state: "unavailable", message: expect.stringContaining("must begin with `sly.`") },
    { state: "unavailable", message: expect.stringContaining("called `twin.do`") },
  ]);
});

it("opening an adapter reports every fault of an invalid configuration", async () => {
  const strict = defineAdapter({
    kind: "strict",
    config: z.strictObject({ url: z.url(), max: z.int() }),
    open: () => ({ capabilities: async () => [] }),
  });
  const { states } = await opened({ shop: strict({ url: "nowhere", max: 1.5 }) });
  const [{ message = "" } = {}] = await states();
  expect(message).toContain("- `url`:");
  expect(message).toContain("- `max`:");
});

it("Paraph reads capabilities again after an announced change, and closes the adapter when it stops", async () => {
  const offered = [["shop.a"], ["shop.a", "shop.b"]];
  let say = () => {};
  const adapter = defineAdapter({
    kind: "growing",
    config: z.strictObject({}),
    open: (_, adapterContext) => {
      say = adapterContext.announceChange;
      return { capabilities: async () => offered.shift()!.map((name) => capability(name)) };
    },
  })({});
  const { open, changed } = await opened({ shop: adapter });
  say();
  await eventually(() => expect(changed).toEqual(["shop"]));
  expect(open.listCapabilities().get("shop")).toHaveLength(2);
  const { adapter: other, seen } = fickle(0);
  const second = await opened({ other });
  await second.open.close();
  expect(seen.closed).toBe(1);
});

it("[TRUST 7] an unchanged contract that becomes unavailable counts as a change, and only open adapters have facades", async () => {
  const whole = capability("shop.do");
  const gone = createUnavailableCapability(whole.contract, {
    code: "mcp-definition-changed",
    message: "It changed.",
  });
  const now = { offers: whole, announceChange: () => {} };
  const adapter: Adapter = {
    interfaceVersion: adapterInterfaceVersion,
    kind: "mcp",
    open: async (adapterContext) => {
      now.announceChange = adapterContext.announceChange;
      return { capabilities: async () => [now.offers], facade: () => ({ tools: [] }) };
    },
  };
  const { open, changed } = await opened({ shop: adapter, shut: fickle(9).adapter });
  expect(["shop", "shut"].map((name) => open.getFacades().get(name))).toEqual([{ tools: [] }, undefined]);
  expect([...open.getFacades().values()]).toEqual([{ tools: [] }]);
  now.offers = gone;
  now.announceChange();
  await eventually(() => expect(changed).toEqual(["shop"]));
  expect(open.listCapabilities().get("shop")![0]!.unavailable?.code).toBe("mcp-definition-changed");
});
