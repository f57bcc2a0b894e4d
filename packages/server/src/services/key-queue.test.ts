import { expect, it } from "vitest";
import { KeyQueue } from "./key-queue.ts";

it("tasks of one key run in sequence, even after a failure, and tasks of another key do not wait", async () => {
  const queue = new KeyQueue();
  const log: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const task =
    (name: string, wait: Promise<void> = Promise.resolve()) =>
    async () => {
      log.push(`${name} begins`);
      await wait;
      log.push(`${name} ends`);
      return name;
    };
  const first = queue.run("a", async () => {
    await task("first", held)();
    throw new Error("refused");
  });
  const second = queue.run("a", task("second"));
  expect(await queue.run("b", task("other"))).toBe("other");
  release();
  await expect(first).rejects.toThrow("refused");
  expect(await second).toBe("second");
  expect(log).toEqual([
    "first begins",
    "other begins",
    "other ends",
    "first ends",
    "second begins",
    "second ends",
  ]);
});
