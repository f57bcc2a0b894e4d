import { expect, it } from "vitest";
import { exitCodeOf } from "./exit-code.ts";
import { capturedOutput } from "./testing/plain.ts";

it("sends data one way and talk the other", () => {
  const { output, written } = capturedOutput();
  output.data("data");
  output.say("talk");
  output.status("never seen in a pipe");
  expect(written).toEqual({ stdout: "data\n", stderr: "talk\n" });
});

it("colours a terminal only, and not one that asks for none", () => {
  const red = (options: Parameters<typeof capturedOutput>[0]) =>
    capturedOutput(options).output.paint("red", "x") !== "x";
  expect(red({ tty: true })).toBe(true);
  expect(red({ tty: false })).toBe(false);
  expect(red({ tty: true, environment: { NO_COLOR: "1" } })).toBe(false);
  expect(red({ tty: true, environment: { TERM: "dumb" } })).toBe(false);
  expect(red({ tty: true, color: false })).toBe(false);
  expect(red({ tty: false, environment: { FORCE_COLOR: "1" } })).toBe(true);
});

it("replaces a status line with what comes next", () => {
  const { output, written } = capturedOutput({ tty: true });
  output.status("working");
  output.say("done");
  expect(written.stderr).toBe("working\r\u001b[Kdone\n");
});

it("has an exit code for every outcome", () => {
  const codes = [
    "succeeded",
    "failed",
    "refused",
    "denied",
    "expired",
    "cancelled",
    "superseded",
    "unknown",
  ] as const;
  expect(codes.map(exitCodeOf)).toEqual([0, 1, 3, 3, 3, 1, 1, 9]);
});
