import { inject } from "vitest";
import { describeTrial } from "../conformance/testing.ts";

process.env.PARAPH_TRIAL_POSTGRES = inject("postgres");
await describeTrial(new URL("./test-trial.ts", import.meta.url));
