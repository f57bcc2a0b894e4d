import { vi } from "vitest";

/**
 * The time that a test waits for something that must happen. The limit stops hanging tests and makes no claim about
 * speed.
 */
const maxWaitMs = 120_000;

/** Repeats the assertion until it holds. Resolves with its result. */
export const eventually = <T>(assertion: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assertion, { timeout: maxWaitMs, interval: 20 });
