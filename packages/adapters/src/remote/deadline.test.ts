import { defineCapability } from "@paraph/core";
import { expect, it } from "vitest";
import { z } from "zod";
import { readFault } from "../testing.ts";
import { createRemoteFixture, createTestContext } from "./testing/fixture.ts";

const heard = { begun: Promise.withResolvers<void>(), stopped: Promise.withResolvers<void>() };
const waits = (name: string, timeout: "50ms" | "30s", obeys: boolean) =>
  defineCapability({
    name: `shop.${name}`,
    version: 1,
    summary: "Wait until it is stopped",
    effect: "write",
    idempotency: "none",
    input: z.object({}),
    output: z.object({}),
    timeout,
    apply: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        heard.begun.resolve();
        if (!obeys) return;
        signal.addEventListener("abort", () => {
          heard.stopped.resolve();
          reject(signal.reason);
        });
      }),
  });

it("[P15] at the deadline Paraph aborts the request, and the service's code receives the abort signal", async () => {
  await using fixture = await createRemoteFixture({ capabilities: [waits("wait", "30s", true)] });
  const capability = await fixture.capability("shop.wait");
  const deadline = new AbortController();
  const attempt = capability.apply({}, createTestContext({ signal: deadline.signal }));
  const ended = expect(attempt).rejects.toThrow("aborted");
  await heard.begun.promise;
  deadline.abort();
  await ended;
  await heard.stopped.promise;
});

it.each([true, false])(
  "[P15] the service ends an attempt at its own deadline too (code obeys the abort signal: %s)",
  async (obeys) => {
    await using fixture = await createRemoteFixture({ capabilities: [waits("wait", "50ms", obeys)] });
    const capability = await fixture.capability("shop.wait");
    expect(await readFault(capability.apply({}, createTestContext()))).toBe("ambiguous timeout");
  },
);

it("[P9] progress that code reports after its result does not disturb the service", async () => {
  const [go, spoke] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const talker = defineCapability({
    name: "shop.talk",
    version: 1,
    summary: "Talk and talk",
    effect: "write",
    idempotency: "none",
    input: z.object({}),
    output: z.object({}),
    apply: async (_, { progress }) => {
      void go.promise.then(() => {
        progress({ message: "and another thing" });
        setImmediate(spoke.resolve);
      });
      return {};
    },
  });
  await using fixture = await createRemoteFixture({ capabilities: [talker] });
  const capability = await fixture.capability("shop.talk");
  expect(await capability.apply({}, createTestContext())).toEqual({});
  go.resolve();
  await spoke.promise;
  // An unhandled rejection would end the process, and so fail the test.
  expect(await capability.apply({}, createTestContext())).toEqual({});
});

it("[P7] a probe waits for the end of an abandoned attempt of its call; a probe of another call does not", async () => {
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const made: string[] = [];
  const stubborn = defineCapability({
    name: "shop.stubborn",
    version: 1,
    summary: "Go on although nobody waits",
    effect: "write",
    idempotency: "probe",
    input: z.object({}),
    output: z.object({}),
    apply: async (_, { key }) => {
      begun.resolve();
      await go.promise;
      made.push(key);
      return {};
    },
    probe: async (_, { key }) => (made.includes(key) ? { kind: "present", output: {} } : { kind: "absent" }),
  });
  await using fixture = await createRemoteFixture({ capabilities: [stubborn] });
  const capability = await fixture.capability("shop.stubborn");
  const deadline = new AbortController();
  const attempt = capability.apply({}, createTestContext({ signal: deadline.signal }));
  await begun.promise;
  deadline.abort();
  await expect(attempt).rejects.toThrow("aborted");
  const asked = capability.probe!({}, createTestContext());
  // A probe of another call does not wait.
  expect(await capability.probe!({}, createTestContext({ call: "another" }))).toEqual({ kind: "absent" });
  go.resolve();
  expect(await asked).toEqual({ kind: "present", output: {} });
});

it("a service that is stopped first finishes running attempts, and accepts no new ones", async () => {
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = defineCapability({
    name: "shop.slow",
    version: 1,
    summary: "Take its time",
    effect: "write",
    idempotency: "none",
    input: z.object({}),
    output: z.object({ done: z.boolean() }),
    apply: async () => {
      begun.resolve();
      await go.promise;
      return { done: true };
    },
  });
  await using fixture = await createRemoteFixture({ capabilities: [slow] });
  const capability = await fixture.capability("shop.slow");
  const attempt = capability.apply({}, createTestContext());
  await begun.promise;
  const stopped = fixture.service.stop();
  expect(await readFault(capability.apply({}, createTestContext()))).toBe(
    "not-performed service-unavailable",
  );
  go.resolve();
  expect(await attempt).toEqual({ done: true });
  await stopped;
});

it("an output that cannot be sent is withheld, although the attempt succeeded; a request that is too large fails", async () => {
  const odd = (name: string, output: () => unknown) =>
    defineCapability({
      name: `shop.${name}`,
      version: 1,
      summary: "Answer oddly",
      effect: "write",
      idempotency: "none",
      input: z.object({}),
      output: z.unknown(),
      apply: async () => output(),
    });
  const deep = () => JSON.parse(`${"[".repeat(70)}${"]".repeat(70)}`);
  const capabilities = [
    odd("large", () => "x".repeat(9 * 1024 * 1024)),
    odd("half", () => "\ud800"),
    odd("deep", deep),
  ];
  await using fixture = await createRemoteFixture({ capabilities });
  for (const name of ["large", "half", "deep"]) {
    const capability = await fixture.capability(`shop.${name}`);
    const output = await capability.apply({}, createTestContext());
    expect(capability.parseOutput(output)).toMatchObject({ kind: "invalid" });
  }
  const large = await fixture.capability("shop.large");
  const asked = large.apply({ text: "x".repeat(7 * 1024 * 1024) }, createTestContext());
  expect(await readFault(asked)).toBe("permanent request-too-large");
});
