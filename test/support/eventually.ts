import { vi } from "vitest";

/** How long a test waits for something that must happen. A limit for hangs, not a claim about speed. */
const maxWaitMs = 120_000;

/** Repeats the assertion until it holds. Resolves with what the assertion returns. */
export const eventually = <T>(assertion: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assertion, { timeout: maxWaitMs, interval: 20 });
