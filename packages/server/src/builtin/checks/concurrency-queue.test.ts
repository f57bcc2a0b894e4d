import { describe, expect, it } from "vitest";
import { ConcurrencyQueue } from "./concurrency-queue.ts";
import { createTestChecks } from "./testing/run-check.ts";

const never = new AbortController().signal;

describe("ConcurrencyQueue", () => {
  it("runs at most two tasks at once, in the order of arrival", async () => {
    const turns = new ConcurrencyQueue(2);
    const log: string[] = [];
    const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const runs = gates.map((gate, index) =>
      turns.run(never, async () => {
        log.push(`in ${index}`);
        await gate.promise;
        log.push(`out ${index}`);
      }),
    );
    await waitForImmediates();
    expect(log).toEqual(["in 0", "in 1"]);
    gates[1]!.resolve();
    await runs[1];
    await waitForImmediates();
    expect(log).toEqual(["in 0", "in 1", "out 1", "in 2"]);
    for (const gate of gates) gate.resolve();
    await Promise.all(runs);
    expect(log.slice(4).sort()).toEqual(["in 3", "out 0", "out 2", "out 3"]);
  });

  it("frees the slot when a task throws", async () => {
    const turns = new ConcurrencyQueue(1);
    await expect(turns.run(never, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await turns.run(never, async () => "yes")).toBe("yes");
  });

  it("[P15] removes a task whose deadline passes in the queue, without running it", async () => {
    const turns = new ConcurrencyQueue(1);
    const gate = Promise.withResolvers<void>();
    const first = turns.run(never, () => gate.promise);
    const stop = new AbortController();
    let ran = false;
    const second = turns.run(stop.signal, async () => {
      ran = true;
    });
    const third = turns.run(never, async () => "third");
    stop.abort();
    await expect(second).rejects.toMatchObject({ code: "stopped" });
    gate.resolve();
    await first;
    expect(await third).toBe("third");
    expect(ran).toBe(false);
  });

  it("applies one limit to all checks of a process", async () => {
    let [running, max] = [0, 0];
    const gate = Promise.withResolvers<void>();
    const { judge } = createTestChecks({
      options: { concurrency: 3 },
      history: {
        of: async () => {
          running += 1;
          max = Math.max(max, running);
          await gate.promise;
          running -= 1;
          return { sizes: [], thisHour: 1, earlierHours: [] };
        },
      },
    });
    const runs = Array.from({ length: 10 }, (_, index) => judge(index % 2 === 0 ? "size" : "rate", {}));
    await waitForImmediates();
    expect(running).toBe(3);
    gate.resolve();
    await Promise.all(runs);
    expect(max).toBe(3);
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses a concurrency of %s", (concurrency) => {
    expect(() => createTestChecks({ options: { concurrency } })).toThrow(/checks\.concurrency/);
  });
});

/** Waits until every pending microtask and immediate has run. */
function waitForImmediates(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
