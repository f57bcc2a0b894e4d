import { expect, it } from "vitest";
import { rejectConfigFaults } from "./config-faults.ts";

const source = { file: "paraph.config.ts", text: "export default defineConfig({\n  rules: [],\n});" };

it("accepts a configuration without faults", () => {
  expect(() => rejectConfigFaults([], source)).not.toThrow();
});

it("names the file, the line and the key of each fault, in one error", () => {
  const faults = [
    { path: ["rules"], message: ": expected array" },
    { path: ["limits", 0, "per"], message: " is not a known key." },
    { path: [], message: ": expected object" },
  ];
  expect(() => rejectConfigFaults(faults, source, ["policies/a.cedar:3: unexpected token"])).toThrow(
    [
      "The configuration has 4 faults. Correct it and try again:",
      "  - paraph.config.ts:2: `rules`: expected array",
      "  - paraph.config.ts: `limits[0].per` is not a known key.",
      "  - paraph.config.ts: expected object",
      "  - policies/a.cedar:3: unexpected token",
    ].join("\n"),
  );
});

it("names no file if the configuration was not read from one", () => {
  expect(() => rejectConfigFaults([{ path: ["rules"], message: ": expected array" }], undefined)).toThrow(
    "The configuration has a fault. Correct it and try again:\n  - `rules`: expected array",
  );
});
