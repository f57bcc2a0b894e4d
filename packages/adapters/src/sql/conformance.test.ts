import { inject } from "vitest";
import { describeConformanceTest } from "../conformance/testing.ts";

process.env.PARAPH_CONFORMANCE_POSTGRES = inject("postgres");
await describeConformanceTest(new URL("./test-conformance.ts", import.meta.url));
