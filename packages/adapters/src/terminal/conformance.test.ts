import { it } from "vitest";
import { describeConformanceTest } from "../conformance/testing.ts";
import { hasSandbox } from "../process/testing.ts";

if (hasSandbox) await describeConformanceTest(new URL("./test-conformance.ts", import.meta.url));
else it.skip("the conformance test needs a sandbox");
