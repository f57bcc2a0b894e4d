import { expect, it } from "vitest";
import { toProgressDelta } from "./progress.ts";

const said = { attempt: 1, revision: 2, message: "half", fraction: 0.5, output: "cdef", putOut: 6 };
const told = { attempt: 1, revision: 1, putOut: 4 };

it("tells what is new since the reader was told, and nothing twice", () => {
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

it("says how much of what was put out is not kept any more", () => {
  expect(toProgressDelta(said, undefined, false)).toMatchObject({ output: "cdef", leftOut: 2 });
});

it("begins anew with the next attempt", () => {
  const next = { ...said, attempt: 2, revision: 1, output: "a", putOut: 1 };
  expect(toProgressDelta(next, said, false)).toMatchObject({ attempt: 2, output: "a" });
});

it("[P13] of a step for those who decide, anyone else learns how far it is and nothing else", () => {
  expect(toProgressDelta(said, told, true)).toEqual({ attempt: 1, fraction: 0.5 });
});
