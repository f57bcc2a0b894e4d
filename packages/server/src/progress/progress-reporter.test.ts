import { expect, it } from "vitest";
import { createProgressReporter, type ProgressRecord } from "./progress-reporter.ts";

const call = { tenant: "acme", call: "call_1" };

/** Creates a writer whose writes end on demand. */
function desk() {
  const written: ProgressRecord[] = [];
  const ends: (() => void)[] = [];
  const came: (() => void)[] = [];
  return {
    written,
    end: () => ends.shift()?.(),
    /** Resolves when this many writes have begun. */
    async count(min: number) {
      while (written.length < min) await new Promise<void>((resolve) => void came.push(resolve));
    },
    write: (_: object, one: ProgressRecord) => {
      written.push(one);
      for (const look of came.splice(0)) look();
      return new Promise<void>((resolve) => void ends.push(resolve));
    },
  };
}

it("writes the first report at once, then the accumulated reports, one write at a time", async () => {
  const { write, written, end, count } = desk();
  const reporter = createProgressReporter({ write, minIntervalMs: 1 });
  reporter.report(call, 1, { fraction: 0.1, message: "begun", output: "a" });
  reporter.report(call, 1, { fraction: 0.2, output: "b" });
  reporter.report(call, 1, { fraction: 0.3, output: "c" });
  expect(written).toEqual([{ attempt: 1, fraction: 0.1, message: "begun", output: "a", putOut: 1 }]);
  end();
  await count(2);
  expect(written[1]).toEqual({ attempt: 1, fraction: 0.3, message: "begun", output: "abc", putOut: 3 });
  end();
  await reporter.stop();
  expect(written).toHaveLength(2);
});

it("waits between two writes of one call, but not between writes of two calls", async () => {
  const { written, write, end } = desk();
  const reporter = createProgressReporter({ write, minIntervalMs: 60_000 });
  reporter.report(call, 1, { message: "one" });
  reporter.report({ ...call, call: "call_2" }, 1, { message: "two" });
  expect(written.map(({ message }) => message)).toEqual(["one", "two"]);
  end();
  end();
  reporter.report(call, 1, { message: "three" });
  await reporter.stop();
  expect(written).toHaveLength(2);
});

it("keeps the last 8192 characters of output, counts all of it, and starts over with each attempt", async () => {
  const { written, write, end, count } = desk();
  const reporter = createProgressReporter({ write, minIntervalMs: 1 });
  reporter.report(call, 1, { output: `${"x".repeat(10_000)}end` });
  expect([written[0]?.output.length, written[0]?.output.slice(-4), written[0]?.putOut]).toEqual([
    8_192,
    "xend",
    10_003,
  ]);
  end();
  reporter.report(call, 2, { output: "again" });
  await count(2);
  expect(written[1]).toEqual({ attempt: 2, output: "again", putOut: 5 });
  end();
  await reporter.stop();
});

it("[P9] never throws, whether a report is invalid or a write fails", async () => {
  const said: ProgressRecord[] = [];
  const reporter = createProgressReporter({
    write: async (_, one) => {
      said.push(one);
      throw new Error("the database is away");
    },
    minIntervalMs: 1,
  });
  reporter.report(call, 1, { fraction: 7, message: 5, output: {} } as never);
  reporter.report({ ...call, call: "call_2" }, 1, { message: `a\0${"b".repeat(1_000)}` });
  await reporter.stop();
  expect(said[0]).toEqual({ attempt: 1, output: "", putOut: 0 });
  expect([said[1]?.message?.slice(0, 3), said[1]?.message?.length]).toEqual(["a\ufffdb", 300]);
});
