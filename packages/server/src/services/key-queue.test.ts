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
  const first = queue.run("a", "ana", async () => {
    await task("first", held)();
    throw new Error("refused");
  });
  const second = queue.run("a", "bo", task("second"));
  expect(await queue.run("b", "ana", task("other"))).toBe("other");
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

it("[TRUST 25] an owner with many tasks delays the task of another owner by one task", async () => {
  const queue = new KeyQueue();
  const log: string[] = [];
  const add = (owner: string, name: string) => queue.run("a", owner, async () => void log.push(name));
  await Promise.all([add("mal", "mal 1"), add("mal", "mal 2"), add("mal", "mal 3"), add("bo", "bo 1")]);
  expect(log.indexOf("bo 1")).toBe(1);
});
