import { describeTrial } from "../conformance/testing.ts";

await describeTrial(new URL("./test-trial.ts", import.meta.url));
