import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { systemRandom } from "../system/system-random.ts";
import { createLog, toErrorCode } from "./index.ts";

function sink(isTTY = false) {
  const lines: string[] = [];
  return { lines, isTTY, write: (text: string) => lines.push(text) };
}

test("a line is JSON with a code, ids and numbers", () => {
  const destination = sink();
  const log = createLog({ level: "info", destination });
  log("warn", "engine-unavailable", {
    tenant: "acme",
    call: "call_01",
    ms: 12.5,
    status: 503,
    route: "/v1/calls/{call}",
  });
  log("debug", "not-shown");
  expect(destination.lines).toHaveLength(1);
  const { time, ...rest } = JSON.parse(destination.lines[0]!);
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect(rest).toEqual({
    level: "warn",
    code: "engine-unavailable",
    tenant: "acme",
    call: "call_01",
    ms: 12.5,
    status: 503,
    route: "/v1/calls/{call}",
  });
});

test("logs the name of every adapter that a configuration can have", () => {
  const destination = sink();
  const log = createLog({ level: "info", destination });
  for (const adapter of ["files", "files_2", "claude_desktop"])
    log("warn", "adapter-unavailable", { adapter });
  expect(destination.lines.map((line) => JSON.parse(line).adapter)).toEqual([
    "files",
    "files_2",
    "claude_desktop",
  ]);
});

test("logs the ids and routes of the real process unchanged", () => {
  const destination = sink();
  const made = {
    call: systemRandom.id("call"),
    approval: systemRandom.id("ask"),
    request: `req_${randomUUID()}`,
    method: "POST",
    route: "/v1/approvals/{approval}/decision",
    status: 200,
    ms: 3,
  };
  createLog({ level: "info", destination })("info", "request", made);
  expect(JSON.parse(destination.lines[0]!)).toMatchObject(made);
});

test("[P10] drops fields that are not on the list or do not have the expected format", () => {
  const destination = sink();
  const log = createLog({ level: "info", destination });
  const fields = {
    call: "jane@example.org",
    route: "/v1/calls/call_01",
    port: 4_917_012,
    msg: "secret",
    err: new Error("secret"),
  };
  log("error", "Jane Doe was here", fields as object);
  expect(JSON.parse(destination.lines[0]!)).toEqual({
    level: "error",
    time: expect.any(String),
    code: "code-unsafe",
  });
});

test("uses colours on a terminal unless `NO_COLOR` is set", () => {
  const write = (isTTY: boolean, pretty: boolean | undefined, env: Record<string, string>) => {
    const destination = sink(isTTY);
    createLog({ level: "info", destination, env, ...(pretty !== undefined && { pretty }) })(
      "info",
      "started",
      {
        port: 8080,
      },
    );
    return destination.lines.join("");
  };
  const plain = /^\d\d:\d\d:\d\d\.\d{3} info {2}started port=8080\n$/;
  expect(write(true, undefined, {})).toContain("\u001b[32minfo");
  expect(write(true, undefined, { NO_COLOR: "1" })).toMatch(plain);
  expect(write(false, true, {})).toMatch(plain);
  expect(write(false, undefined, {})).toMatch(/^\{/);
});

test("a failing destination does not stop the caller", () => {
  const destination = {
    write: () => {
      throw new Error("disk full");
    },
  };
  expect(() => createLog({ level: "info", destination })("info", "started")).not.toThrow();
});

test.each([
  [Object.assign(new Error("x"), { code: "ECONNREFUSED" }), "econnrefused"],
  [Object.assign(new Error("x"), { code: "23505", severity: "ERROR" }), "sqlstate-23505"],
  [Object.assign(new Error("x"), { code: "jane@example.org" }), "error"],
  [Object.assign(new Error("x"), { status: 503 }), "http-503"],
  [Object.assign(new Error("x"), { status: 4917012345 }), "error"],
  ["jane@example.org", "error"],
  [undefined, "error"],
  [
    {
      get code() {
        throw new Error("secret");
      },
    },
    "error",
  ],
])("[P10] the code of an error is short and safe (%#)", (error, code) => {
  expect(toErrorCode(error)).toBe(code);
});
