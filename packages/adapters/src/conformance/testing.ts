// biome-ignore lint/correctness/noUndeclaredDependencies: for our own adapters' tests; it is not published.
import { afterAll, describe, it } from "vitest";
import { openConformanceTest } from "./open-conformance-test.ts";

/**
 * Runs a conformance test in vitest, with one `it` per verification. A verification that does not apply is skipped with
 * the reason. Await it:
 *
 *     await describeConformanceTest(new URL("./test-conformance.ts", import.meta.url));
 *
 * The module is imported here and by plain Node in the adapter's processes, so it may not import vitest. Values that
 * only a test can know, such as the address of a database, go into `process.env` first. Each case is killed twice, or
 * as often as PARAPH_CONFORMANCE_CRASHES says.
 */
export async function describeConformanceTest(test: URL): Promise<void> {
  const open = await openConformanceTest(test.href, {
    crashes: Number(process.env.PARAPH_CONFORMANCE_CRASHES ?? 2),
    // A busy machine may pause the adapter for seconds.
    graceMs: 10_000,
  });
  describe(`conformance test of ${open.name}`, () => {
    afterAll(() => open.close());
    for (const { name, steps } of open.subjects) {
      describe(name, () => {
        for (const { rule, claim, verify } of steps) {
          it(rule === undefined ? claim : `[${rule}] ${claim}`, async ({ skip }) => {
            const { kind, message } = await verify();
            if (kind === "not-asked") skip(message);
            if (kind === "fail") throw new Error(message);
          });
        }
      });
    }
  });
}
