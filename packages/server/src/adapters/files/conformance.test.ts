import { describeConformanceTest } from "../conformance/testing.ts";

await describeConformanceTest(new URL("./test-trial.ts", import.meta.url));
