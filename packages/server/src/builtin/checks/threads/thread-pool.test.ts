import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ThreadPool } from "./thread-pool.ts";

const never = new AbortController().signal;

it("the pool reuses a thread, unless its parser failed on input that is too complex", async () => {
  let started = 0;
  const count = () => {
    started += 1;
  };
  process.on("worker", count);
  const threads = new ThreadPool();
  const parse = (text: string) =>
    threads.run({ kind: "syntax", texts: [{ text, languages: ["typescript"] }] }, never);
  const fine = { faults: [undefined], spoilt: false };
  expect(await parse("let a")).toMatchObject(fine);
  expect(await parse("let a")).toMatchObject(fine);
  expect(started).toBe(1);
  expect(await parse(`${"[".repeat(200_000)}1`)).toMatchObject({
    faults: [{ kind: "too-complex" }],
    spoilt: true,
  });
  expect(await parse("let a")).toMatchObject(fine);
  expect(started).toBe(2);
  process.off("worker", count);
});

it("[P11] a thread that crashes on its input fails the check instead of hanging it", async () => {
  const job = { kind: "nothing" } as never;
  await expect(new ThreadPool().run(job, never)).rejects.toMatchObject({ code: "check-crashed" });
});

it("idle threads do not keep a process from ending", async () => {
  const source = `
    import { ThreadPool } from ${JSON.stringify(new URL("./thread-pool.ts", import.meta.url).href)};
    const threads = new ThreadPool();
    const job = { kind: "secrets", text: "nothing" };
    await Promise.all([1, 2, 3].map(() => threads.run(job, new AbortController().signal)));
    console.log("done");`;
  const args = ["--conditions=paraph-source", "--input-type=module", "--eval", source];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 120_000 });
  expect(stdout.trim()).toBe("done");
});
