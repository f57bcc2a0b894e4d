import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isRefName } from "./ref-name.ts";

const gitTakes = (name: string) =>
  !name.includes("\0") && spawnSync("git", ["check-ref-format", "--branch", name], { cwd: "/" }).status === 0;

describe("names of branches and tags", () => {
  it("[TRUST 18] git accepts every name that Paraph accepts", () => {
    const piece = fc.constantFrom(
      ...[
        "a",
        "B",
        "0",
        "-",
        "--",
        ".",
        "..",
        "/",
        "//",
        "@",
        "@{",
        "{",
        "}",
        "~",
        "^",
        ":",
        "?",
        "*",
        "[",
        "\\",
        " ",
      ],
      ...[
        "\n",
        "\t",
        "\x7f",
        "\x1b",
        "é",
        "‮",
        ".lock",
        ".LOCK",
        "refs/",
        "heads/",
        "HEAD",
        "~1",
        "^{commit}",
        "$(x)",
      ],
      ...["`x`", ";", "|", "&", "'", '"', "%00", "+", "!", "#", "=", ","],
    );
    const names = fc.sample(
      fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("")),
      { numRuns: 400, seed: 7 },
    );
    const taken = [...new Set(names)].filter(isRefName);
    expect(taken.length).toBeGreaterThan(40);
    expect(taken.filter((name) => !gitTakes(name))).toEqual([]);
  });

  it.each(["main", "feature/x", "v1.0.0", "a-b_c", "é", "x@y", "release/2026.1", "a{b}", "$(x)"])(
    "accepts %s",
    (name) => {
      expect(isRefName(name)).toBe(true);
      expect(gitTakes(name)).toBe(true);
    },
  );

  it.each([
    ...[
      "",
      "-x",
      "--all",
      "a..b",
      "a b",
      "a~1",
      "a^",
      "a:b",
      "a?b",
      "a*b",
      "a[b",
      "a\\b",
      "a@{1}",
      "@",
      ".a",
      "a/.b",
    ],
    ...[
      "a.",
      "a/",
      "/a",
      "a//b",
      "a.lock",
      "a.lock/b",
      "a\nb",
      "a\x1b[31m",
      "a\u202eb",
      "HEAD",
      "FETCH_HEAD",
      "refs/heads/a",
    ],
    ...["a".repeat(245), "\ud800", "0".repeat(40), "a\0b"],
  ])("refuses %j", (name) => {
    expect(isRefName(name)).toBe(false);
  });
});
