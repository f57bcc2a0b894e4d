import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createDatabaseClock } from "./clock.ts";

const clocks: { stop(): void }[] = [];
beforeAll(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance", "setInterval", "clearInterval"] });
});
afterAll(() => {
  for (const clock of clocks) clock.stop();
  vi.useRealTimers();
});

/**
 * Creates a clock on a database that is `ahead` of the local time. The test sets the delay before and after the
 * database reads its clock.
 */
async function createFollowingClock(ahead: number) {
  const source = {
    ahead,
    asking: 0,
    answering: 0,
    async query() {
      vi.advanceTimersByTime(source.asking);
      const ms = Date.now() + source.ahead;
      vi.advanceTimersByTime(source.answering);
      return { rows: [{ ms }] };
    },
  };
  const clock = await createDatabaseClock(source);
  clocks.push(clock);
  const error = () => Math.abs(clock.now() - Date.now() - source.ahead);
  return { clock, source, error };
}

describe("[P15] the copy of the database's clock", () => {
  it("stays within 50 ms of the database despite a slow request or response", async () => {
    const { clock, source, error } = await createFollowingClock(5_000);
    source.answering = 300;
    await clock.read();
    expect(error()).toBeLessThan(50);
    Object.assign(source, { asking: 300, answering: 0 });
    await clock.read();
    expect(error()).toBeLessThan(50);
  });

  it("starts within 50 ms of the database although its first request is slow", async () => {
    let slow = 2_000;
    const query = async () => {
      vi.advanceTimersByTime(slow);
      slow = 0;
      return { rows: [{ ms: Date.now() + 5_000 }] };
    };
    const clock = await createDatabaseClock({ query });
    clocks.push(clock);
    expect(Math.abs(clock.now() - Date.now() - 5_000)).toBeLessThan(50);
  });

  it.each([3_600_000, -3_600_000])("follows when the database's time is moved by %i ms", async (by) => {
    const { clock, source, error } = await createFollowingClock(0);
    source.ahead += by;
    await clock.read();
    expect(error()).toBeLessThan(50);
  });
});
