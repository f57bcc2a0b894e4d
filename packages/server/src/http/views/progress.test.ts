import { expect, it } from "vitest";
import { toProgressDelta } from "./progress.ts";

const said = { attempt: 1, revision: 2, message: "half", fraction: 0.5, output: "cdef", putOut: 6 };
const told = { attempt: 1, revision: 1, putOut: 4 };

it("returns only progress that the reader has not received yet", () => {
  expect(toProgressDelta(said, told, false)).toEqual({
    attempt: 1,
    message: "half",
    fraction: 0.5,
    output: "ef",
  });
  expect(toProgressDelta(said, said, false)).toBeUndefined();
  expect(toProgressDelta({ ...said, revision: 3 }, said, false)).toEqual({
    attempt: 1,
    message: "half",
    fraction: 0.5,
  });
});

it("returns the length of the output that is no longer kept", () => {
  expect(toProgressDelta(said, undefined, false)).toMatchObject({ output: "cdef", leftOut: 2 });
});

it("starts again with the next attempt", () => {
  const next = { ...said, attempt: 2, revision: 1, output: "a", putOut: 1 };
  expect(toProgressDelta(next, said, false)).toMatchObject({ attempt: 2, output: "a" });
});

it("[P13] a reader who may not see a step gets only its attempt and fraction", () => {
  expect(toProgressDelta(said, told, true)).toEqual({ attempt: 1, fraction: 0.5 });
});
