import { expect, it } from "vitest";
import { parseOptions } from "../bench/lib/options.ts";

it("measures on PostgreSQL by default, and on the engine of `--engine`", () => {
  expect(parseOptions(["call"]).options.engine).toBe("postgres");
  expect(parseOptions(["call", "--engine", "restate"]).options.engine).toBe("restate");
});

it("refuses an unknown engine and names the known ones", () => {
  expect(() => parseOptions(["call", "--engine", "kafka"])).toThrow(
    "There is no engine `kafka`. There are: postgres, restate.",
  );
});
