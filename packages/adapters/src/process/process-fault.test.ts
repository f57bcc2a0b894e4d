import { describe, expect, it } from "vitest";
import { type ProcessResult, toProcessFault } from "./index.ts";

const ran: ProcessResult = {
  exitCode: undefined,
  signal: undefined,
  stdout: Buffer.alloc(0),
  stderr: Buffer.alloc(0),
  truncated: false,
  end: "exited",
  durationMs: 1,
};

describe("[P8] the fault of an ended program", () => {
  it.each([
    [{ end: "not-started", message: "No program." }, "not-performed", "not-started"],
    [{ end: "timed-out" }, "ambiguous", "timed-out"],
    [{ end: "stopped" }, "ambiguous", "stopped"],
    [{ end: "too-much-output" }, "ambiguous", "too-much-output"],
    [{ end: "exited", exitCode: 1 }, "permanent", "exit-code"],
    [{ end: "exited", exitCode: 255 }, "permanent", "exit-code"],
    [{ end: "exited", signal: "SIGKILL" }, "ambiguous", "killed"],
    [{ end: "exited", exitCode: 137 }, "ambiguous", "killed"],
    [{ end: "exited", exitCode: 139 }, "ambiguous", "killed"],
  ] as const)("%j is %s", (how, kind, code) => {
    expect(toProcessFault({ ...ran, ...how }, "The push")).toMatchObject({ kind, code });
  });

  it("quotes the program's stderr in the message, and [P10] not in the code", () => {
    const fault = toProcessFault({ ...ran, exitCode: 2, stderr: Buffer.from("secret\n") }, "The push");
    expect(fault.message).toBe("The push failed (exit code 2). It said: secret");
    expect(fault.code).not.toContain("secret");
  });
});
