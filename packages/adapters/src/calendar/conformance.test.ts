import { describe } from "vitest";
import { hasProgram } from "../../../../test/support/optional-programs.ts";
import { describeConformanceTest } from "../conformance/testing.ts";
import { isRadicaleInstalled } from "./testing/radicale.ts";

if (hasProgram(isRadicaleInstalled, "Radicale", "apt-get install radicale"))
  await describeConformanceTest(new URL("./test-conformance.ts", import.meta.url));
else describe.skip("conformance test of calendar", () => {});
