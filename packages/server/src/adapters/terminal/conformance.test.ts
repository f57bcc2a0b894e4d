import { it } from "vitest";
import { describeTrial } from "../conformance/testing.ts";
import { sandboxIsHere } from "../process/testing.ts";

if (sandboxIsHere) await describeTrial(new URL("./test-trial.ts", import.meta.url));
else it.skip("the trial needs a sandbox");
