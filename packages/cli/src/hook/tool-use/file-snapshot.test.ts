import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readFileSnapshot } from "./file-snapshot.ts";

const folder = mkdtempSync(join(tmpdir(), "paraph-seen-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content);
  return readFileSnapshot(join(folder, name));
};

it("[P3] a snapshot contains a text file exactly, and names the reason if a file cannot be shown", () => {
  expect(file("a.txt", "é\r\n")).toMatchObject({ kind: "text", text: "é\r\n" });
  expect(readFileSnapshot(join(folder, "none.txt"))).toEqual({ kind: "absent" });
  expect(file("b.bin", Buffer.from([0xff, 0]))).toMatchObject({ kind: "unshown", why: "it is not text" });
  expect(file("c.txt", "x".repeat(300_000))).toMatchObject({ why: "it is larger than 256 KiB" });
  expect(readFileSnapshot(folder)).toMatchObject({ kind: "unshown", why: "it is not a file" });
});

it.each([".env", ".env.local", "server.pem", "id_ed25519", "aws-credentials"])(
  "[P10] a snapshot of `%s` contains none of its lines, and a changed file has a different snapshot",
  (name) => {
    const [one, other] = [file(name, "TOKEN=1\n"), file(name, "TOKEN=2\n")];
    expect(one).toMatchObject({ kind: "unshown", why: "it may contain secrets" });
    expect(JSON.stringify(one)).not.toContain("TOKEN");
    expect(one).not.toEqual(other);
  },
);

it("a snapshot of a named pipe does not block", () => {
  const program = "mkfifo";
  execFileSync(program, [join(folder, "pipe")]);
  expect(readFileSnapshot(join(folder, "pipe"))).toMatchObject({ kind: "unshown", why: "it is not a file" });
});
