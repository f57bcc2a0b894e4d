import { ParaphError } from "@paraph/core";
import type { ConformanceTest } from "./conformance-test.ts";

/** Loads the conformance test that a module has as its default export. */
export async function loadConformanceTest(url: string): Promise<ConformanceTest> {
  const { default: test } = (await import(url)) as { default?: Partial<ConformanceTest> };
  if (Array.isArray(test?.cases) && test.adapter) return test as ConformanceTest;
  throw new ParaphError(
    "adapter-invalid",
    "The file has no conformance test as its default export. Write `export default defineConformanceTest({ … })`.",
  );
}
