import { describeConformanceTest } from "../conformance/testing.ts";

await describeConformanceTest(new URL("./test-conformance.ts", import.meta.url));
